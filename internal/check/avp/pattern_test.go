// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package avp

import (
	"testing"

	"github.com/commutego/commute/internal/check/reorder"
	"github.com/commutego/commute/internal/check/reorder/brute"
)

// TestPatternFindsMost has the pattern find a cycle in nearly all traces that one can be predicted
// of, and in no other.
func TestPatternFindsMost(t *testing.T) {
	found, missed, observed := 0, 0, 0
	for seed := range count() {
		tr := brute.Random(seed)
		seg := reorder.NewSegment(tr.Piece, tr.Relation)
		s := newSearch(seg, 1<<20)
		want := s.find(reorder.None)
		if s.over {
			continue
		}
		p := newPattern(seg)
		if _, ok := p.cycle(inOrder(tr.Piece)); ok {
			observed++
			continue
		}
		got := false
		for i := range tr.Piece.Steps {
			if tr.Piece.Steps[i].Op != reorder.Begin {
				continue
			}
			if order, _ := p.find(int32(i), nil); order != nil {
				got = true
				prove(t, tr, order)
			}
		}
		switch {
		case got && !want:
			t.Fatalf("trace %d: the search finds nothing\n%v", seed, tr)
		case got:
			found++
		case want:
			missed++
		}
	}
	t.Logf("%d found, %d missed, %d had one in the trace", found, missed, observed)
	if found == 0 || missed > found/30 {
		t.Error("that is too few")
	}
}

// inOrder is a piece as it was.
func inOrder(p *reorder.Piece) (order []int32) {
	for i := range p.Steps {
		order = append(order, int32(i))
	}
	return order
}
