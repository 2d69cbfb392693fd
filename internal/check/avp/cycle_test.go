// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package avp

import (
	"testing"

	"github.com/commutego/commute/internal/check/reorder"
	"github.com/commutego/commute/internal/check/reorder/brute"
)

// TestCycleOf has a cycle through a transaction found in an order just where the transaction is on
// one, and its edges be what they say.
func TestCycleOf(t *testing.T) {
	found, none := 0, 0
	for seed := range count() {
		tr := brute.Random(seed)
		seg := reorder.NewSegment(tr.Piece, tr.Relation)
		order := inOrder(tr.Piece)
		only := brute.Search{Piece: tr.Piece, Relation: tr.Relation, Fixed: order, Nodes: 100}
		only.Run()
		first := len(order) + 1
		for i := range tr.Piece.Steps {
			if tr.Piece.Steps[i].Op != reorder.Begin {
				continue
			}
			c := cycleOf(seg, order, int32(i))
			if (c != nil) != only.OnCycle[int32(i)] {
				t.Fatalf("trace %d, transaction from %d: %v, on cycles are %v\n%v", seed, i, c,
					only.OnCycle, tr)
			}
			if c == nil {
				none++
				continue
			}
			found++
			first = min(first, c.closed)
			at := int32(i)
			for _, e := range c.edges {
				if seg.Of[seg.Thread[e.tail]][seg.Start[e.tail]] != at || e.tail >= e.head {
					t.Fatalf("trace %d, transaction from %d: edges %v\n%v", seed, i, c.edges, tr)
				}
				at = seg.Of[seg.Thread[e.head]][seg.Start[e.head]]
			}
			if at != int32(i) {
				t.Fatalf("trace %d: edges %v don't lead back to %d\n%v", seed, c.edges, i, tr)
			}
		}
		j := newJudge(reorder.NewSegment(tr.Piece, tr.Relation))
		if n, ok := j.cycle(order); ok && n != first {
			t.Fatalf("trace %d: package frontier finds the first after %d steps, not %d\n%v", seed, n,
				first, tr)
		}
	}
	if t.Logf("%d found, %d not", found, none); found == 0 || none == 0 {
		t.Error("that is one-sided")
	}
}
