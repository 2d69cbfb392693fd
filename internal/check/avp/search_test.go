// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package avp

import (
	"testing"

	"github.com/commutego/commute/internal/check/frontier"
	"github.com/commutego/commute/internal/check/reorder"
	"github.com/commutego/commute/internal/check/reorder/brute"
	"github.com/commutego/commute/internal/longtest"
)

// nodes is how many orders of a trace are looked at.
const nodes = 30000

// count is how many random traces there are.
func count() uint64 {
	switch {
	case longtest.Asked():
		return 60000
	case testing.Short():
		return 1000
	}
	return 2500
}

// TestSearchFindsAll has the search find a cycle in a trace, and with each of its transactions,
// just if one of all orders has it.
func TestSearchFindsAll(t *testing.T) {
	violating, none, left := 0, 0, 0
	for seed := range count() {
		tr := brute.Random(seed)
		all := brute.Search{Piece: tr.Piece, Relation: tr.Relation, Nodes: nodes}
		if !all.Run() {
			left++
			continue
		}
		s := newSearch(reorder.NewSegment(tr.Piece, tr.Relation), 1<<20)
		found := s.find(reorder.None)
		if found != (len(all.OnCycle) > 0) {
			t.Fatalf("trace %d: found %v, on cycles are %v\n%v%v", seed, found, all.OnCycle, tr,
				tr.Piece.Steps)
		}
		if !found {
			none++
			continue
		}
		violating++
		order := s.Order()
		prove(t, tr, order)
		j := newJudge(reorder.NewSegment(tr.Piece, tr.Relation))
		if n, _ := j.cycle(order); n != len(order) {
			t.Fatalf("trace %d: order %v has a cycle after %d steps\n%v", seed, order, n, tr)
		}
		for i := range tr.Piece.Steps {
			if tr.Piece.Steps[i].Op != reorder.Begin {
				continue
			}
			if found := s.find(int32(i)); found != all.OnCycle[int32(i)] {
				t.Fatalf("trace %d, transaction from %d: found %v, on cycles are %v\n%v", seed, i,
					found, all.OnCycle, tr)
			}
		}
	}
	t.Logf("%d with a cycle, %d without, %d have too many orders", violating, none, left)
	if violating < 100 || none < 100 {
		t.Error("that is one-sided")
	}
}

// prove wants an order to be one that the program could have made, and not serializable by its very
// events.
func prove(t *testing.T, tr brute.Trace, order []int32) {
	t.Helper()
	if err := tr.Piece.Validate(tr.Relation, order); err != nil {
		t.Fatalf("order %v: %v\n%v", order, err, tr)
	}
	j := newJudge(reorder.NewSegment(tr.Piece, tr.Relation))
	if _, ok := j.cycle(order); !ok {
		t.Fatalf("order %v has no cycle\n%v", order, tr)
	}
	f, found := frontier.New(tr.Relation), false
	for _, i := range order {
		found = f.Event(&tr.Piece.Events[i]) || found
	}
	if !found {
		t.Fatalf("order %v: frontier finds nothing\n%v", order, tr)
	}
}
