// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package reorder_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/commutego/commute/internal/check/reorder"
	"github.com/commutego/commute/internal/check/reorder/brute"
)

// nodes is how many orders of a trace are looked at.
const nodes = 20000

// count is how many random traces there are.
func count() uint64 {
	if testing.Short() {
		return 300
	}
	return 2000
}

// TestValidate has Validate take all orders of small traces, and no other: each is changed at
// random, and what isn't among them must be refused.
func TestValidate(t *testing.T) {
	valid, refused, broken := 0, 0, 0
	for seed := range count() {
		tr := brute.Random(seed)
		r := rand.New(rand.NewPCG(seed, 3))
		all := make(map[string]bool)
		var list [][]int32
		s := brute.Search{Piece: tr.Piece, Relation: tr.Relation, Nodes: nodes}
		s.Each = func(order []int32) {
			all[string(runes(order))] = true
			if r.IntN(1+len(list)/20) == 0 {
				list = append(list, slices.Clone(order))
			}
		}
		if !s.Run() {
			continue
		}
		for _, order := range list {
			if err := tr.Piece.Validate(tr.Relation, order); err != nil {
				t.Fatalf("trace %d, order %v: %v\n%v", seed, order, err, tr)
			}
			valid++
			broken += len(tr.Piece.Broken(order))
			other := slices.Clone(order)
			for range 1 + r.IntN(2) {
				if n := len(other); n > 1 {
					i, j := r.IntN(n), r.IntN(n)
					switch r.IntN(3) {
					case 0:
						other[i], other[j] = other[j], other[i]
					case 1:
						other = slices.Delete(other, i, i+1)
					default:
						x := other[i]
						other = slices.Insert(slices.Delete(other, i, i+1), j, x)
					}
				}
			}
			err := tr.Piece.Validate(tr.Relation, other)
			if all[string(runes(other))] != (err == nil) {
				t.Fatalf("trace %d, order %v: Validate says %v\n%v", seed, other, err, tr)
			}
			if err != nil {
				refused++
			}
		}
	}
	t.Logf("%d orders are valid, with %d broken reads, %d are not", valid, broken, refused)
	if valid == 0 || broken == 0 || refused == 0 {
		t.Error("that is one-sided")
	}
}

func runes(order []int32) (list []rune) {
	for _, i := range order {
		list = append(list, rune(i+1))
	}
	return list
}

// TestRunner has a runner allow just the steps that can come next, by the definition, at random
// places; and come back to where it was when steps are taken back.
func TestRunner(t *testing.T) {
	for seed := range count() {
		tr := brute.Random(seed)
		r := rand.New(rand.NewPCG(seed, 4))
		runner := reorder.NewRunner(reorder.NewSegment(tr.Piece, tr.Relation))
		after := make(map[string]map[int32]bool)
		s := brute.Search{Piece: tr.Piece, Relation: tr.Relation, Nodes: nodes}
		s.Each = func(order []int32) {
			if n := len(order); n > tr.Piece.Before {
				key := string(runes(order[:n-1]))
				if after[key] == nil {
					after[key] = make(map[int32]bool)
				}
				after[key][order[n-1]] = true
			}
		}
		if !s.Run() {
			continue
		}
		for range 200 {
			can := make(map[int32]bool)
			var steps []int32
			var breaks []bool
			for thread := range runner.Threads {
				if i, b, ok := runner.Step(int32(thread)); ok {
					can[i] = true
					steps, breaks = append(steps, i), append(breaks, b)
				}
			}
			want := after[string(runes(runner.Order()))]
			if len(can) != len(want) {
				t.Fatalf("trace %d, after %v: %v can come next, want %v\n%v", seed, runner.Order(),
					can, want, tr)
			}
			for i := range can {
				if !want[i] {
					t.Fatalf("trace %d, after %v: %d can't come next\n%v", seed, runner.Order(), i,
						tr)
				}
			}
			switch n := len(steps); {
			case n == 0 || r.IntN(3) == 0 && runner.Len() > tr.Piece.Before:
				for range r.IntN(1 + runner.Len() - tr.Piece.Before) {
					runner.Undo()
				}
			default:
				k := r.IntN(n)
				runner.Do(steps[k], breaks[k])
			}
		}
	}
}

// TestClosure has a closure be the least set of steps that can be made in the trace's order,
// without a read that breaks.
func TestClosure(t *testing.T) {
	more := 0
	for seed := range count() {
		tr := brute.Random(seed)
		seg := reorder.NewSegment(tr.Piece, tr.Relation)
		closer := reorder.NewCloser(seg)
		r := rand.New(rand.NewPCG(seed, 5))
		for range 10 {
			want := seg.Begin()
			for u := range want {
				if r.IntN(2) == 0 {
					want[u] += r.Int32N(int32(len(seg.Of[u])) - want[u] + 1)
				}
			}
			least := least(tr, seg, want)
			got := closer.Closure(want)
			if !slices.Equal(got, least) {
				t.Fatalf("trace %d, wanted %v: got %v, want %v\n%v", seed, want, got, least, tr)
			}
			runner := reorder.NewRunner(seg)
			if !runner.To(got) || !slices.Equal(runner.Made, got) {
				t.Fatalf("trace %d: the closure %v can't be made\n%v", seed, got, tr)
			}
			if !slices.Equal(got, want) {
				more++
			}
		}
	}
	if t.Logf("%d closures have more than is wanted", more); more == 0 {
		t.Error("that is one-sided")
	}
}

// least is the least cut above want of which the steps, in the trace's order, are a valid order
// without a broken read. Valid cuts are closed under intersection, so it is the intersection.
func least(tr brute.Trace, seg *reorder.Segment, want reorder.Cut) (least reorder.Cut) {
	cut := slices.Clone(want)
	for {
		var order []int32
		for i := range seg.Steps {
			if seg.Pos[i] < cut[seg.Thread[i]] {
				order = append(order, int32(i))
			}
		}
		if tr.Piece.Validate(tr.Relation, order) == nil && len(tr.Piece.Broken(order)) == 0 {
			if least == nil {
				least = slices.Clone(cut)
			}
			for u := range cut {
				least[u] = min(least[u], cut[u])
			}
		}
		u := 0
		for u < len(cut) && int(cut[u]) == len(seg.Of[u]) {
			cut[u] = want[u]
			u++
		}
		if u == len(cut) {
			return least
		}
		cut[u]++
	}
}
