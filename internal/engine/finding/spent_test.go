// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package finding

import (
	"strings"
	"testing"

	"github.com/commutego/commute/internal/engine/atomicity"
	"github.com/commutego/commute/internal/engine/capture"
	"github.com/commutego/commute/internal/engine/datarace"
	"github.com/commutego/commute/internal/engine/fixture"
	"github.com/commutego/commute/internal/engine/instance"
	"github.com/commutego/commute/internal/engine/tests"
	"github.com/commutego/commute/internal/engine/text"
	"github.com/commutego/commute/internal/engine/vclock"
)

// TestSpentClocks finds a race of calls, one of accesses, and a violation, when the clocks are used
// up: none is reported, no test fails, and the summary says why. Before that, all are reported.
func TestSpentClocks(t *testing.T) {
	restore(t)
	forget(t)
	forgetPairs(t)
	wasList, wasViolations := violations, violationReports
	defer func() { violations, violationReports = wasList, wasViolations }()
	violations, violationReports = nil, 0
	defer instance.Clocks.Exhausted.Store(0)
	main := new(vclock.Thread)
	instance.Clocks.Start(main)
	defer main.End()
	put, get, _ := fixture.AppMain()
	find := func(i int) {
		first, second := &logger{stack: put}, &logger{stack: get}
		makeRace(t, first, second, fixture.CallOf(fixture.Store, 1, 2),
			fixture.CallOf(fixture.Store, 1, 3), Race)
		sites := [2]uint32{fixture.Somewhere(uintptr(0x1000 + 16*i)),
			fixture.Somewhere(uintptr(0x1008 + 16*i))}
		for k := range 2 {
			clock, o := new(vclock.Thread), new(datarace.Thread)
			instance.Clocks.Start(clock)
			o.Start(clock)
			defer clock.End()
			defer o.End()
			r := o.AccessByte(uintptr(0xc000200000+16*i), datarace.Write, sites[k])
			if r.Word != 0 != (k == 1) {
				t.Fatalf("access %d is in a race: %v", k, r.Word != 0)
			}
			if r.Word != 0 {
				DataRace(o, datarace.Write, sites[k], &r)
			}
		}
		Cycle(&atomicity.Cycle{Code: &fixture.TestPlace, N: 2, Goid: uint64(i)}, tests.All.Add())
	}
	const line = "commute: the clocks were used up after 2^40 steps"
	for i, spent := range []uint32{1, 0} {
		instance.Clocks.Exhausted.Store(spent)
		got := capture.Stderr(t, func() { find(i) })
		if n := strings.Count(got, "WARNING: "); n != 3*i {
			t.Errorf("%d reports, want %d: %s", n, 3*i, got)
		}
		if n := found.number + dataRaces + violationReports; n != uint64(3*i) {
			t.Errorf("%d findings count, want %d", n, 3*i)
		}
		b := new(text.Buffer)
		if summary(b); strings.Contains(b.String(), line) != (spent != 0) {
			t.Errorf("clocks used up: %d; the summary is %s", spent, b.String())
		}
	}
}
