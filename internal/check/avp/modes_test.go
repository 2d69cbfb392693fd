// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package avp

import (
	"testing"

	"github.com/commutego/commute/internal/check/reorder"
	"github.com/commutego/commute/internal/check/reorder/brute"
)

// modes are all that change only what a check costs.
func modes() (list []Options) {
	for n := range 16 {
		list = append(list, Options{
			NoTAS: n&1 != 0, NoStatic: n&2 != 0, NoForest: n&4 != 0, NoReduction: n&8 != 0,
		})
	}
	return list
}

// TestModes has a checker find something in each mode just if one of all orders has a cycle; and
// each filter passes transactions, unless it is off.
func TestModes(t *testing.T) {
	sums, found := make([]Counts, len(modes())), 0
	for seed := range count() / 4 {
		tr := brute.Random(seed)
		tr.Piece = brute.Whole(tr.Trace)
		all := brute.Search{Piece: tr.Piece, Relation: tr.Relation, Nodes: nodes}
		if !all.Run() {
			continue
		}
		for n, o := range modes() {
			list, counts := check(t, tr.Trace, o)
			if (len(list) > 0) != (len(all.OnCycle) > 0) || counts.GaveUp > 0 {
				t.Fatalf("trace %d, %+v: found %d, %+v, on cycles are %v\n%v", seed, o, len(list),
					counts, all.OnCycle, tr)
			}
			judgeAll(t, tr.Trace, list, counts)
			found += len(list)
			sums[n].Add(&counts)
		}
	}
	for n, o := range modes() {
		c := &sums[n]
		t.Logf("mode %d: %+v", n, *c)
		if c.Static+c.StaticTAS+c.Forest != c.Filtered {
			t.Error("the filters' numbers don't add up")
		}
		if (c.Static > 0) == o.NoStatic || (c.StaticTAS > 0) == (o.NoStatic || o.NoTAS) ||
			(c.Forest > 0) == o.NoForest {
			t.Error("a filter that is off, or never passes anything")
		}
		if (c.Segments > 0) == o.NoTAS || c.Inside > c.Around || (c.Inside > 0) == o.NoTAS {
			t.Error("segments")
		}
		if o.NoForest && !o.NoTAS && c.Segments != c.All {
			t.Errorf("%d segments", c.Segments)
		}
	}
	if found == 0 || sums[8].States <= sums[0].States || sums[6].States >= sums[7].States {
		t.Errorf("%d found; states: %d, without ample sets %d; by filters of segments only %d, "+
			"without any %d", found, sums[0].States, sums[8].States, sums[6].States, sums[7].States)
	}
}

// TestBound has a checker find something just if an order with so few switches has a cycle.
func TestBound(t *testing.T) {
	found, more := 0, 0
	for seed := range count() / 4 {
		tr := brute.Random(seed)
		tr.Piece = brute.Whole(tr.Trace)
		seg := reorder.NewSegment(tr.Piece, tr.Relation)
		least := 100
		all := brute.Search{Piece: tr.Piece, Relation: tr.Relation, Nodes: nodes}
		all.Each = func(order []int32) {
			if len(all.OnCycle) > 0 {
				least = min(least, switches(seg, order))
				clear(all.OnCycle)
			}
		}
		if !all.Run() {
			continue
		}
		for most := 1; most < 4; most++ {
			list, counts := check(t, tr.Trace, Options{Bound: true, Switches: most})
			if (len(list) > 0) != (least <= most) || counts.GaveUp > 0 {
				t.Fatalf("trace %d: found %d with %d switches, which takes %d; %+v\n%v", seed,
					len(list), most, least, counts, tr)
			}
			judgeAll(t, tr.Trace, list, counts)
			if len(list) > 0 {
				found++
			} else if least < 100 {
				more++
			}
		}
	}
	if t.Logf("%d found, %d take more switches", found, more); found == 0 || more == 0 {
		t.Error("that is one-sided")
	}
}
