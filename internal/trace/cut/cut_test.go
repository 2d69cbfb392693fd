// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package cut

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/commutego/commute/internal/check/frontier"
	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace/tracegen"
)

// TestPartsAreWellFormed wants every part to be well-formed, and to have the events that were asked
// for, in their order, and beyond those only begins and acquires.
func TestPartsAreWellFormed(t *testing.T) {
	added, dropped := 0, 0
	tried := tracegen.Each(t, 10000, func(tr tracegen.Trace) error {
		if len(tr.Events) == 0 {
			return nil
		}
		r := rand.New(rand.NewPCG(uint64(len(tr.Events)), uint64(tr.Events[0].Target)))
		keep := Keep{Mutexes: tr.Mutexes}
		if r.IntN(2) == 0 {
			keep.From = uint64(r.IntN(len(tr.Events)))
			keep.To = keep.From + uint64(r.IntN(len(tr.Events)))
		}
		if r.IntN(2) == 0 {
			threads := r.Uint32()
			keep.Thread = func(t uint32) bool { return threads>>t&1 != 0 }
		}
		c := New(keep)
		got := c.Add(c.Add(nil, tr.Events[:len(tr.Events)/2]), tr.Events[len(tr.Events)/2:])
		if err := event.Check(got, tr.Relation, tr.Mutexes); err != nil {
			return fmt.Errorf("from %d to %d: %w\n%v", keep.From, keep.To, err,
				tracegen.Trace{Events: got})
		}
		next := 0
		for i, e := range tr.Events {
			if uint64(i) < keep.From || keep.To != 0 && uint64(i) >= keep.To ||
				keep.Thread != nil && !keep.Thread(e.Thread) {
				dropped++
				continue
			}
			for next < len(got) && got[next] != e {
				if op := got[next].Op; op != event.Begin && op != event.Acquire {
					return fmt.Errorf("%v was not asked for", got[next])
				}
				added++
				next++
			}
			if next == len(got) {
				return fmt.Errorf("event %d, %v, is missing", i, e)
			}
			next++
		}
		if next != len(got) {
			return fmt.Errorf("%v come last", got[next:])
		}
		return nil
	})
	if added < tried/10 || dropped < tried/10 {
		t.Errorf("%d events were added, %d dropped: that is too one-sided to mean much", added,
			dropped)
	}
}

// TestNeighbourhood wants it to be well-formed, to have all accesses of the thing, and whole
// transactions.
func TestNeighbourhood(t *testing.T) {
	smaller := 0
	tracegen.Each(t, 10000, func(tr tracegen.Trace) error {
		is := func(e *event.Event) bool { return e.Op <= event.Write && e.Target == 0 }
		n := NewNeighbourhood(is)
		n.Add(tr.Events)
		got := New(Keep{Near: n, Mutexes: tr.Mutexes}).Add(nil, tr.Events)
		if err := event.Check(got, tr.Relation, tr.Mutexes); err != nil {
			return fmt.Errorf("%w\n%v", err, tracegen.Trace{Events: got})
		}
		count := func(list []event.Event) (n int) {
			for i := range list {
				if is(&list[i]) {
					n++
				}
			}
			return n
		}
		if a, b := count(tr.Events), count(got); a != b || n.Empty() != (a == 0) {
			return fmt.Errorf("%d accesses of %d are left, and that there are none is %v", b, a,
				n.Empty())
		}
		if len(got) < len(tr.Events) {
			smaller++
		}
		// A transaction that accesses the thing is whole.
		for i, e := range tr.Events {
			if !is(&e) {
				continue
			}
			var begin, end int
			depth := 0
			for begin = i; begin >= 0 && (tr.Events[begin].Thread != e.Thread ||
				tr.Events[begin].Op != event.Begin); begin-- {
			}
			for end = max(begin, 0); end < len(tr.Events) && begin >= 0; end++ {
				f := tr.Events[end]
				if f.Thread != e.Thread {
					continue
				}
				if f.Op == event.Begin {
					depth++
				} else if f.Op == event.End {
					depth--
				}
				if end >= i && depth >= 0 && !slices.Contains(got, f) {
					return fmt.Errorf("event %d, %v, is missing from the transaction of event %d",
						end, f, i)
				}
				if depth == 0 {
					break
				}
			}
		}
		return nil
	})
	if smaller < 500 {
		t.Errorf("only %d parts are smaller", smaller)
	}
}

// TestViolationStays wants a violation to be found still in a part that begins within its
// transaction.
func TestViolationStays(t *testing.T) {
	events := tracegen.Parse("0wa 1> 1+l 1wb 1> 1rx 2wx 1wx 1< 1-l 1<")
	part := New(Keep{From: 5, Mutexes: true}).Add(nil, events)
	if want := tracegen.Parse("1> 1> 1+l 1rx 2wx 1wx 1< 1-l 1<"); len(part) != len(want) {
		t.Fatalf("got\n%v", tracegen.Trace{Events: part})
	}
	c := frontier.New(nil)
	found := 0
	for i := range part {
		if c.Event(&part[i]) {
			found++
		}
	}
	if found != 1 {
		t.Errorf("%d violations, want 1", found)
	}
}
