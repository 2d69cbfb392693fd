// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package verdicts holds only tests: two calls on a sync.Map that no edge orders, the first always
// before the second in time. Whether they commute is the question, and its answer the verdict in
// the test's name, at the default level: TestRaceX must be reported, and TestNoRaceX must not,
// because the calls commute or because both are calls that check and act in one (arbitration).
package verdicts
