// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package dataraces holds only tests: two accesses to memory, and between them one synchronization
// edge of Go, or none.
//
// The verdict is in a test's name: a TestRaceX has a data race, by Go's memory model, and a
// TestNoRaceX has none. Subtests have the verdict of their parent. The accesses of a race are made
// on two goroutines one after the other, in an order that no detector sees (see flag in
// helpers_test.go), so that no verdict depends on the schedule and none of the tests does harm
// without a detector: under plain go test all pass. No two calls of a specified type that don't
// commute race here, so whatever is reported is a data race.
//
// The data race detector must give the same verdicts, but for those that knownToDiffer names.
package dataraces
