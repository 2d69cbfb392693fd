// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package finding

import (
	"testing"

	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/engine/fixture"
	"github.com/commutego/commute/internal/engine/source"
	"github.com/commutego/commute/internal/engine/stack"
)

// TestUnused asks what becomes of the result of the call at the top of a stack.
func TestUnused(t *testing.T) {
	restore(t)
	put, get, _ := fixture.AppMain()
	table := fixture.MapTable(t)
	if !put.Unused(table, "Swap") {
		t.Error("used, though the package has said nothing")
	}
	load := compiled.Site{File: "cache.go", Line: 22, Method: "Load", Decl: compiled.LocalVar,
		Home: fixture.Package, Name: "c"}
	fixture.Register(fixture.CacheCall("cache.go", 12, "Swap"), load)
	if put.Unused(table, "Swap") {
		t.Error("what was not known is not asked again")
	}
	load.Unused = true
	fixture.Register(load)
	for range 2 { // it is asked once
		if !get.Unused(table, "Load") {
			t.Error("used, though two calls on the line differ")
		}
	}
	var none *stack.Stack
	if !none.Unused(table, "Load") {
		t.Error("the result of a call without a stack is used")
	}
	if d := source.Declare(get.Top(""), "Load"); d.Name != "c" {
		t.Errorf("declaration %+v", d)
	}
}
