// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package finding

import (
	"testing"

	"github.com/commutego/commute/internal/engine/fixture"
	"github.com/commutego/commute/internal/engine/source"
)

// TestGlobalIsDirected has a directive at a variable that only its address tells.
func TestGlobalIsDirected(t *testing.T) {
	restore(t)
	source.Global(0x5000, 48, "m\tcache\tm.go:3")
	source.Register("concurrent\tm\tcache\tm.go\t3\twhy\tt\n")
	d, _ := source.GlobalAt(0x5008)
	put, _, _ := fixture.AppMain()
	if !source.Directed("concurrent", put.Top(""), &d) {
		t.Error("the directive doesn't apply")
	}
}
