// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build !commute_bundle

package option

// Reset sets the options to what they are at the start of a program. It is for tests.
func Reset() {
	Current.once.Store(1)
	Current.Deadlock = Off
	followsLocks.Store(0)
	Current.Cover = ""
	covers.Store(0)
	Current.Level, Current.Exit, Current.Halt = Updates, 66, false
	Current.Strip, Current.Out, Current.SuppressionText = "", 2, ""
	Current.Stats, Current.Sleep, Current.Perturb = false, 1000, true
	Current.MaxReports, Current.Color = -1, false
	Suppressions = nil
}
