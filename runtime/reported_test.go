// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package runtime

import (
	"strings"
	"testing"

	"github.com/commutego/commute/internal/engine/capture"
	"github.com/commutego/commute/internal/engine/datarace"
	"github.com/commutego/commute/internal/engine/finding"
	"github.com/commutego/commute/internal/engine/fixture"
)

// TestDataRaceIsReported has two goroutines of tests race, more than once.
func TestDataRaceIsReported(t *testing.T) {
	fixture.Clear(t)
	put, get, _ := fixture.AppMain()
	root := Main()
	a, b := Fork(root, 1, 0, stackOf), Fork(root, 1, 0, stackOf)
	a.TestBegin(false, "T")
	b.TestBegin(false, "T")
	defer func() {
		for _, g := range []*Goroutine{a, b, root} {
			g.Exit()
		}
	}()
	for i, step := range []struct {
		rules            string
		put, get         uint32
		reported, failed bool
	}{
		{"", fixture.SiteOf(put), fixture.SiteOf(get), true, true},
		{"", fixture.SiteOf(put), fixture.SiteOf(get), false, true},
		{"AppPut", fixture.SiteOf(put), fixture.Somewhere(0x1000), false, false},
		{"AppPut", fixture.Somewhere(0x1008), fixture.Somewhere(0x1000), true, true},
	} {
		fixture.Suppress(step.rules)
		addr := uintptr(0xc000100000 + i*16)
		errors, told := [2]int{a.Errors(), b.Errors()}, [2]int{a.Told(), b.Told()}
		_, before, _ := finding.Reports()
		text := capture.Stderr(t, func() {
			for k, g := range []*Goroutine{a, b} {
				site := [...]uint32{step.put, step.get}[k]
				if !g.CountsAccesses() {
					t.Error("a goroutine's accesses don't count")
				}
				r := g.Memory.P().AccessByte(addr, datarace.Write, site)
				if r.Word != 0 != (k == 1) {
					t.Errorf("step %d: access %d is in a race: %v", i, k, r.Word != 0)
				}
				if r.Word != 0 {
					finding.DataRace(g.Memory.P(), datarace.Write, site, &r)
				}
			}
		})
		_, after, _ := finding.Reports()
		written := strings.Contains(text, "WARNING: DATA RACE\nWrite at 0x00c000100")
		if got := written && after == before+1; got != step.reported {
			t.Errorf("step %d: %d reports: %s", i, after-before, text)
		}
		if got := a.Errors() > errors[0] && b.Errors() > errors[1]; got != step.failed {
			t.Errorf("step %d: the tests fail: %v", i, got)
		}
		for k, g := range []*Goroutine{a, b} { // what is reported is counted, once
			if got := g.Told() - told[k]; got != 0 != step.reported || got > 1 {
				t.Errorf("step %d: %d findings are told of test %d", i, got, k)
			}
		}
		datarace.Free(addr, 8)
	}
}
