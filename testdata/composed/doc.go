// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package composed holds tests of functions that compose methods of types of other packages, of
// which each alone is right: one checks under its lock, and another one acts. TestRaceX must be
// reported, and TestNoRaceX must not, wherever the function and the test stand.
package composed
