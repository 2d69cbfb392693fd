// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build commute_patch && commute_explore

package runtime

// The orders of operations that a run has, and that the process has not had before. Their lines
// come when the run is over:
//
//	w <site> <kind> <line> <function> <name of the file>    before the first o with the site
//	o <site> <the other site> <decision> <choice>           the one before the other
//
// Sites are hexadecimal. The choice of the decision by which the other one comes first is given.

// commute_tellOrders writes them.
func commute_tellOrders() {
	r := &commute_runs
	seen := &commute_explore.control.Seen
	for i := range seen.New() {
		o := seen.At(i)
		commute_tellSite(o.Before, o.BeforePC, o.BeforeKind)
		commute_tellSite(o.After, o.AfterPC, o.AfterKind)
		var line commute_line
		line.text("o ")
		line.number(uint64(o.Before), 16)
		line.text(" ")
		line.number(uint64(o.After), 16)
		line.text(" ")
		line.number(uint64(o.Decision), 10)
		line.text(" ")
		line.number(uint64(o.Choice), 10)
		line.write(r.tells, r.fd)
	}
}

// commute_tellSite writes what a site is. What is too long for a line is left out.
func commute_tellSite(s commute_explore_Site, pc uintptr, k commute_explore_Kind) {
	r := &commute_runs
	if !commute_explore.control.Seen.First(s) {
		return
	}
	fn, file, n := commute_explore_ProgramAt(pc)
	file = commute_text_Base(file)
	var line commute_line
	if len(fn)+len(file) > len(line.p)-64 {
		return
	}
	line.text("w ")
	line.number(uint64(s), 16)
	line.text(" ")
	line.number(uint64(k), 10)
	line.text(" ")
	line.number(uint64(n), 10)
	line.text(" ")
	line.text(fn)
	line.text(" ")
	line.text(file)
	line.write(r.tells, r.fd)
}
