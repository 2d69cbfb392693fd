// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package api has tests of what the module offers to other modules: the list of exported symbols
// (api.txt), that each of them is documented, and that a program outside can use them.
//
// A change of the API is a change of the list, made by
//
//	go test ./internal/api -run List -update
package api
