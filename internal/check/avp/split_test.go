// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package avp

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"
	"testing"

	"github.com/commutego/commute/internal/check/reorder"
	"github.com/commutego/commute/internal/check/reorder/brute"
	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace/tracegen"
)

// split is the windows of a trace.
func split(tr tracegen.Trace, o Options) (list []*Window) {
	s := NewSplitter(tr.Relation, o, func(w *Window) { list = append(list, w) })
	d := reorder.Decoder{Mutexes: tr.Mutexes}
	for i := range tr.Events {
		s.Take(&tr.Events[i], d.Step(&tr.Events[i]))
	}
	s.End()
	return list
}

// long is a trace of several random ones, one after the other, with the same places.
func long(seed uint64) tracegen.Trace {
	var tr tracegen.Trace
	for n := uint64(0); n < 40; n++ {
		next := brute.Random(seed + n)
		if !next.Mutexes || next.Relation != nil {
			continue
		}
		tr.Mutexes = true
		for _, e := range next.Events {
			if e.Op == event.Fork || e.Op == event.Join {
				continue // else a thread would be forked twice
			}
			if e.Op != event.Begin && e.Op != event.End {
				e.Target += uint32(n / 5 * 10) // locks may not have been let go
			}
			e.Thread += uint32(n / 5 * 10)
			tr.Events = append(tr.Events, e)
		}
	}
	return tr
}

// TestAnyOrder has windows judged in any order, several times and at once: each gives one result,
// which depends on no other, and leaves the window as it was. What a checker tells is what these
// have, in the order of the trace, the first for each three places.
func TestAnyOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	found, dropped := 0, 0
	for seed := range count() / 100 {
		o := Options{Window: 10 + int(seed%30), Budget: 2000}
		tr := long(seed * 100)
		windows := split(tr, o)
		want := make([]*Result, len(windows))
		for i, w := range split(tr, o) {
			want[i] = w.Judge(o)
		}
		order := r.Perm(2 * len(windows))
		var wg sync.WaitGroup
		for part := range slices.Chunk(order, max(1, len(order)/4)) {
			wg.Go(func() {
				for _, n := range part {
					i := n / 2
					if got := windows[i].Judge(o); !reflect.DeepEqual(got, want[i]) {
						t.Errorf("trace %d, window %d: %+v, want %+v", seed, i, got, want[i])
					}
				}
			})
		}
		wg.Wait()
		if again := split(tr, o); !reflect.DeepEqual(again, windows) {
			t.Fatalf("trace %d: windows have changed", seed)
		}
		list, counts := check(t, tr, o)
		var all []*Violation
		var sum Counts
		told := make(map[[3]uint32]bool)
		for _, w := range want {
			sum.Add(&w.Counts)
			for _, v := range w.Violations {
				if !told[v.Places] {
					all = append(all, v)
				} else {
					dropped++
				}
				told[v.Places] = true
			}
		}
		if !reflect.DeepEqual(list, all) || counts != sum {
			t.Fatalf("trace %d: found %v, %+v, want %v, %+v", seed, list, counts, all, sum)
		}
		found += len(list)
	}
	if t.Logf("%d found, %d again", found, dropped); found == 0 || dropped == 0 {
		t.Error("that is one-sided")
	}
}

// TestFirstIsEnough has nothing be told after what is enough, nor counted of later windows.
func TestFirstIsEnough(t *testing.T) {
	tr := long(3)
	o := Options{Window: 20, Budget: 2000}
	first := 0
	var want Counts
	for _, w := range split(tr, o) {
		r := w.Judge(o)
		want.Add(&r.Counts)
		if first = len(r.Violations); first > 0 {
			break
		}
	}
	told := 0
	c := New(nil, o, func(*Violation) bool { told++; return true })
	d := reorder.Decoder{Mutexes: true}
	for i := range tr.Events {
		c.Take(&tr.Events[i], d.Step(&tr.Events[i]))
		c.Flush()
	}
	c.End()
	if told != 1 || first == 0 || c.Counts != want || !c.Take(&tr.Events[0], reorder.Step{}) {
		t.Errorf("told %d, %+v, want %+v", told, c.Counts, want)
	}
}

// TestPanic has a panic in a window be one of the goroutine that takes what was found.
func TestPanic(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	c := New(nil, Options{}, func(*Violation) bool { return false })
	o := Options{}
	c.judging = append(c.judging, start(&Window{}, &o))
	c.merge()
}

// TestJudgeTwice has windows of recorded programs give the same again: what is settled of their
// locks is settled in a copy.
func TestJudgeTwice(t *testing.T) {
	changed := 0
	for seed := range programs() / 20 {
		p := brute.RandomProgram(seed)
		o := Options{Recorded: true, Window: 12 + int(seed%20)}
		var list []*Window
		s := NewSplitter(p.Relation, o, func(w *Window) { list = append(list, w) })
		for i := range p.Piece.Steps {
			s.Take(&p.Piece.Events[i], p.Piece.Steps[i])
		}
		s.End()
		for _, w := range list {
			was := slices.Clone(w.Piece.Steps)
			first := w.Judge(o)
			if !slices.Equal(w.Piece.Steps, was) {
				t.Fatalf("program %d: the window has changed", seed)
			}
			if again := w.Judge(o); !reflect.DeepEqual(first, again) {
				t.Fatalf("program %d: %+v, then %+v", seed, first, again)
			}
			settled := *w.Piece
			settled.Steps = slices.Clone(was)
			if settled.Settle(); !slices.Equal(settled.Steps, was) {
				changed++
			}
		}
	}
	if changed == 0 {
		t.Error("nothing was settled")
	}
}
