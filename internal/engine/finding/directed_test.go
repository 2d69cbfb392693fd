// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package finding

import (
	"testing"

	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/engine/fixture"
	"github.com/commutego/commute/internal/engine/source"
)

// TestGlobalIsDirected has a directive at a variable that only its address tells.
func TestGlobalIsDirected(t *testing.T) {
	restore(t)
	fixture.Global("m", "cache", "m.go:3")
	source.Keep(&compiled.Registration{Path: "m", Directives: []compiled.Directive{
		{Kind: compiled.Concurrent, File: "m.go", Line: 3, Decl: "cache"},
	}})
	d, _ := source.GlobalAt(0x5008)
	put, _, _ := fixture.AppMain()
	if !source.Directed("concurrent", put.Top(""), &d) {
		t.Error("the directive doesn't apply")
	}
}
