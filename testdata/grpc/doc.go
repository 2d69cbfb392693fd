// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package grpc holds only tests: clients of a server of google.golang.org/grpc. TestRaceX must be
// reported, and TestNoRaceX must not be.
package grpc
