// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package event

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestRelationOfMap(t *testing.T) {
	const read, write, size, resize = 0, 1, 2, 3
	r, err := NewRelation(4, [2]uint32{write, read}, [2]uint32{write, write},
		[2]uint32{size, resize}, [2]uint32{read, write})
	if err != nil {
		t.Fatal(err)
	}
	for p, want := range [][]uint32{{write}, {read, write}, {resize}, {size}} {
		if got := slices.Sorted(slices.Values(r.Conflicts(uint32(p)))); !slices.Equal(got, want) {
			t.Errorf("point %d conflicts with %v, want %v", p, got, want)
		}
	}
	for p, want := range [][]uint32{nil, {read, write}, nil, nil} {
		if got := slices.Sorted(slices.Values(r.Subsumes(uint32(p)))); !slices.Equal(got, want) {
			t.Errorf("point %d subsumes %v, want %v", p, got, want)
		}
	}
}

func TestRelationRefusesUnknownPoints(t *testing.T) {
	_, err := NewRelation(2, [2]uint32{0, 1}, [2]uint32{1, 2})
	const want = "points 1 and 2 conflict, but there are 2 points"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestRelationByDefinition compares random relations with matrices.
func TestRelationByDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	subsuming := 0
	for range 5000 {
		n := 1 + r.Uint32N(6)
		var pairs [][2]uint32
		var matrix [6][6]bool
		for range r.Uint32N(3 * n) {
			p, q := r.Uint32N(n), r.Uint32N(n)
			pairs = append(pairs, [2]uint32{p, q})
			matrix[p][q], matrix[q][p] = true, true
		}
		relation, err := NewRelation(n, pairs...)
		if err != nil {
			t.Fatal(err)
		}
		for q := range n {
			if relation.Exclusive(q) != matrix[q][q] {
				t.Fatalf("%v: that %d is exclusive is %v", pairs, q, relation.Exclusive(q))
			}
			for p := range n {
				subsumes := matrix[q][p]
				for o := range n {
					subsumes = subsumes && (!matrix[p][o] || matrix[q][o])
				}
				if slices.Contains(relation.Conflicts(q), p) != matrix[q][p] {
					t.Fatalf("%v: %d conflicts with %v", pairs, q, relation.Conflicts(q))
				}
				if slices.Contains(relation.Subsumes(q), p) != subsumes {
					t.Fatalf("%v: %d subsumes %v", pairs, q, relation.Subsumes(q))
				}
				if subsumes && !relation.Exclusive(q) {
					t.Fatalf("%v: %d subsumes %d and commutes with itself", pairs, q, p)
				}
				if subsumes && p != q {
					subsuming++
				}
			}
		}
	}
	if subsuming == 0 {
		t.Error("no point subsumed another")
	}
}
