// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package deadlocks holds only tests: goroutines that take locks one after the other, so that they
// never wait for each other. TestRaceX must be reported as a potential deadlock, and TestNoRaceX
// must not.
package deadlocks
