// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package avp

import (
	"testing"

	"github.com/commutego/commute/internal/check/reorder"
	"github.com/commutego/commute/internal/check/reorder/brute"
	"github.com/commutego/commute/internal/trace/tracegen"
)

// TestFilter has a filter pass only traces of which no order has a cycle if it passes all of their
// transactions; and each part of it passes some that the others don't.
func TestFilter(t *testing.T) {
	passed, kept, ordered, apart := 0, 0, 0, 0
	for seed := range count() {
		tr := brute.Random(seed)
		seg := reorder.NewSegment(tr.Piece, tr.Relation)
		f := newFilter(seg, new(Options))
		safe, static := true, true
		for i := range tr.Piece.Steps {
			if tr.Piece.Steps[i].Op != reorder.Begin {
				continue
			}
			safe = safe && f.safe(int32(i))
			nodes := f.nodes(int32(i))
			if len(nodes) < 2 {
				continue
			}
			static = false
			f.needOrder()
			if f.together(nodes, true) && !f.guarded(nodes) {
				ordered++
			}
			if f.apart(nodes) && !f.together(nodes, true) {
				apart++
			}
		}
		s := newSearch(seg, 1<<20)
		if found := s.find(reorder.None); found && safe {
			t.Fatalf("trace %d: the filter passes all, the search finds %v\n%v", seed, s.Order(), tr)
		} else if found {
			kept++
		} else if safe && !static {
			passed++
		}
	}
	t.Logf("%d with a cycle; %d passed beyond static, %d transactions by order only, %d by what "+
		"they lead to", kept, passed, ordered, apart)
	if kept == 0 || passed == 0 || ordered == 0 || apart == 0 {
		t.Error("that is one-sided")
	}
}

// TestCrossed has two transactions that each hold a lock throughout, and take the other's within.
// Either lock alone would rule out that one of the two is broken, and not the same one.
func TestCrossed(t *testing.T) {
	for _, text := range []string{
		"1> 1+m 1+l 1wy 1-l 1wx 1-m 1< 0> 0+l 0wx 0+m 0wy 0-m 0-l 0<",
		"0> 0+l 0wx 0+m 0wy 0-m 0-l 0< 1> 1+m 1+l 1wy 1-l 1wx 1-m 1<",
	} {
		tr := tracegen.Trace{Events: tracegen.Parse(text), Mutexes: true}
		if list, counts := check(t, tr, Options{}); len(list) != 1 || counts.Found == 0 {
			t.Errorf("%s: %d found, %+v", text, len(list), counts)
		}
	}
}

// TestSilentFork has a fork be an edge though it is no conflict of its own.
func TestSilentFork(t *testing.T) {
	tr := tracegen.Trace{Events: tracegen.Parse("1> 1f0 1rx 1< 0wx"), Mutexes: true}
	p := brute.Whole(tr)
	for i := range p.Steps {
		p.Steps[i].Silent = p.Steps[i].Op == reorder.Fork
	}
	f := newFilter(reorder.NewSegment(p, nil), new(Options))
	if f.safe(0) {
		t.Error("passed")
	}
}

// TestGuarded has locks that are held throughout rule cycles out, and no others.
func TestGuarded(t *testing.T) {
	for text, want := range map[string]bool{
		"0> 0+l 0wx 0wx 0-l 0< 1+l 1wx 1-l":                     true,
		"0+l 0> 0wx 0wx 0< 0-l 1+l 1wx 1-l":                     true,
		"0> 0+l 0wx 0-l 0+l 0wx 0-l 0< 1+l 1wx 1-l":             false,
		"0> 0+l 0wx 0wx 0-l 0< 1wx":                             false,
		"0> 0+l 0wx 0wx 0-l 0< 1+m 1wx 1-m":                     false,
		"0> 0+l 0wx 0+m 0wy 0-m 0-l 0< 1+l 1wx 1-l 1+m 1wy 1-m": true,
		"0> 0+l 0wx 0-l 0+m 0wy 0-m 0< 1+l 1wx 1-l 1+m 1wy 1-m": false,
	} {
		tr := tracegen.Trace{Events: tracegen.Parse(text), Mutexes: true}
		seg := reorder.NewSegment(brute.Whole(tr), nil)
		f := newFilter(seg, new(Options))
		for i := range seg.Steps {
			if seg.Steps[i].Op == reorder.Begin && f.guarded(f.nodes(int32(i))) != want {
				t.Errorf("%s: guarded is not %v", text, want)
			}
		}
	}
}
