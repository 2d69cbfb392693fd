// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package edges holds only tests: two calls that do not commute, and between them one
// synchronization edge of Go, or none.
//
// The verdict is in a test's name. A TestNoRaceX orders the calls by the edge X and by nothing
// else, so a report is a false alarm. A TestRaceX leaves them unordered, so silence is a miss; it
// keeps the operations of its twin and moves one call to the wrong side of them (see both in
// helpers_test.go), so that a checker which draws the edge too early or too late is found out.
// Subtests have the verdict of their parent. No verdict depends on the schedule.
//
// The same tests judge the data race detector when built with -tags memory, where the two calls are
// a plain write and a plain read: the table of happens-before edges is thereby checked by somebody
// else. See knownToDiffer in memory_test.go for where the two detectors differ.
package edges
