// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package avp

import (
	"slices"
	"testing"

	"github.com/commutego/commute/internal/check/reorder"
	"github.com/commutego/commute/internal/check/reorder/brute"
	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace/tracegen"
)

// TestSameWhatever has the verdict of the search be the same if threads, variables and locks have
// other numbers, and if there is another thread that touches nothing.
func TestSameWhatever(t *testing.T) {
	for seed := range count() / 4 {
		tr := brute.Random(seed)
		verdict := func(events []event.Event) bool {
			p := brute.Whole(tracegen.Trace{Events: events, Mutexes: tr.Mutexes})
			return newSearch(reorder.NewSegment(p, tr.Relation), 1<<20).find(reorder.None)
		}
		want := verdict(tr.Events)
		other := slices.Clone(tr.Events)
		for i := range other {
			e := &other[i]
			e.Thread = 9 - e.Thread
			switch e.Op {
			case event.Fork, event.Join:
				e.Target = 9 - e.Target
			case event.Begin, event.End:
			default:
				e.Target = 20 - e.Target
			}
		}
		if verdict(other) != want {
			t.Fatalf("trace %d: not %v with other numbers\n%v", seed, want, tr)
		}
		idle := []event.Event{
			{Op: event.Begin, Thread: 99}, {Op: event.Read, Thread: 99, Target: 99},
			{Op: event.Write, Thread: 99, Target: 99}, {Op: event.End, Thread: 99},
		}
		more := slices.Clone(tr.Events)
		for n := range idle {
			at := int(seed+uint64(n)*7) % (len(more) + 1)
			more = slices.Insert(more, at, idle[n])
		}
		last := 0 // the idle thread's events have to be in their order
		for i := range more {
			if more[i].Thread == 99 {
				more[i] = idle[last]
				last++
			}
		}
		if verdict(more) != want {
			t.Fatalf("trace %d: not %v with an idle thread\n%v", seed, want, tr)
		}
	}
}

// TestSwitches has the least number of switches with which a cycle is found be that of the order in
// which it is.
func TestSwitches(t *testing.T) {
	counts := make(map[int]int)
	for seed := range count() / 4 {
		tr := brute.Random(seed)
		seg := reorder.NewSegment(tr.Piece, tr.Relation)
		least := -1
		all := brute.Search{Piece: tr.Piece, Relation: tr.Relation, Nodes: nodes}
		all.Each = func(order []int32) {
			if len(all.OnCycle) > 0 {
				n := switches(seg, order)
				if least < 0 || n < least {
					least = n
				}
				clear(all.OnCycle)
			}
		}
		if !all.Run() {
			continue
		}
		got := -1
		for most := 0; most < 20 && got < 0; most++ {
			s := newSearch(seg, 1<<20)
			s.switches = most
			if s.find(reorder.None) {
				got = most
			}
		}
		if got != least {
			t.Fatalf("trace %d: found with %d switches, want %d\n%v", seed, got, least, tr)
		}
		counts[got]++
	}
	if t.Logf("orders by switches: %v", counts); counts[1] == 0 || counts[2] == 0 {
		t.Error("that is one-sided")
	}
}
