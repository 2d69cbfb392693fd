// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package io holds only tests: goroutines that meet by input and output, or by what the standard
// library does for it. TestRaceX must be reported: nothing that the program does orders the calls,
// though the library may take a lock of its own in between. TestNoRaceX must not be.
package io
