// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package api tests the module's API. The list of exported symbols is api.txt; each of them must be
// documented, and a program outside of the module must be able to use them.
//
// A change of the API is a change of the list, made by
//
//	go test ./internal/api -run List -update
package api
