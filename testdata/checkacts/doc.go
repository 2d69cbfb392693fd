// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package checkacts holds only tests: code that checks with one call and acts with another, and
// what another goroutine does meanwhile, in a forced interleaving. TestRaceX must be reported, and
// TestNoRaceX must not, at level=violations as well; but TestRacePlainX is of races that break no
// check and act, so at that level it must not be reported.
package checkacts
