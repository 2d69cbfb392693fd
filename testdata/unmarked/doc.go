// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package unmarked holds only tests: ordinary code with locks, maps and fields, in which nothing is
// marked and no type has a specification. TestRaceX must be reported, and TestNoRaceX must not.
//
// In a test whose name ends in Between, another goroutine comes between check and act, which is
// observed. In one whose name ends in After it comes later, and nothing orders the two but the lock
// that they share.
package unmarked
