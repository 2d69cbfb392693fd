// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	gobuild "go/build"
	"path/filepath"
	"testing"

	"github.com/commutego/commute/internal/longtest"
)

// TestStandard explores tests of the standard library's own. What their files do is decided as in
// any program.
func TestStandard(t *testing.T) {
	longtest.Need(t, "a test of the standard library is compiled")
	b := build(t, filepath.Join(gobuild.Default.GOROOT, "src/internal/singleflight"), "")
	plan := limits
	plan.Runs = 24
	r, err := Explore(b, plan, "TestDoDupSuppress")
	if err != nil {
		t.Fatal(err)
	}
	if r.Failure != nil {
		t.Errorf("it fails by %v:\n%s", r.Failure.Seeds, r.Failure.Output)
	}
	if r.Cover.Line() == "" {
		t.Error("no pair of operations was seen")
	}
}
