//go:build !commute_bundle

// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package runtime

// Reset sets the options to what they are at the start of a program. It is for tests.
func resetOptions() {
	options.once.Store(1)
	options.level, options.exit, options.halt = races, 66, false
	options.strip, options.out, options.rules = "", 2, ""
	options.stats, options.sleep = false, 1000
	rules = nil
}
