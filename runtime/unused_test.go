// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package runtime

import "testing"

// TestUnused asks what becomes of the result of the call at the top of a stack.
func TestUnused(t *testing.T) {
	restore(t)
	put, get, _ := appMain()
	table := mapTable(t)
	fr := put.top("")
	pkg := packageOf(fr.Func)
	if !put.unused(table, "Swap") {
		t.Error("used, though the package has said nothing")
	}
	Register(siteLine(pkg, "cache.go", 12, "Swap", "global", pkg, "cache", "") + siteLine(pkg, "cache.go", 22, "Load", "local", pkg, "c", ""))
	if put.unused(table, "Swap") {
		t.Error("what was not known is not asked again")
	}
	Register("unused\t" + pkg + "\tcache.go\t22\tLoad\n")
	for range 2 { // it is asked once
		if !get.unused(table, "Load") {
			t.Error("used, though two calls on the line differ")
		}
	}
	var none *stack
	if !none.unused(table, "Load") {
		t.Error("the result of a call without a stack is used")
	}
	if d := declare(get.top(""), "Load"); d.name != "c" {
		t.Errorf("declaration %+v", d)
	}
}
