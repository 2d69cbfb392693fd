// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package hb

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace/tracegen"
)

// TestRaces wants each access to be found that is in a race by the definition.
func TestRaces(t *testing.T) {
	var n counts
	tracegen.Each(t, 10000, n.compare)
	n.mean(t)
}

// TestRelays is TestRaces with many relays: threads that do nothing themselves, as those of
// timers.
func TestRelays(t *testing.T) {
	var n counts
	for seed := range uint64(40000) {
		if tr := relays(seed); n.compare(tr) != nil {
			t.Fatalf("seed %d: %v in\n%v", seed, n.compare(tr), tr)
		}
	}
	n.mean(t)
}

// relays is a trace of three threads that access variables, and of many others. Those pass on the
// clocks that the three release, and some of them access variables, too.
func relays(seed uint64) tracegen.Trace {
	r := rand.New(rand.NewPCG(seed, 4))
	const actors, locks = 3, 4
	threads := uint32(actors)
	var tr tracegen.Trace
	add := func(op event.Kind, thread, target uint32) {
		tr.Events = append(tr.Events, event.Event{Op: op, Thread: thread, Target: target,
			Pos: uint32(len(tr.Events))})
	}
	for range 20 + r.IntN(60) {
		thread := r.Uint32N(threads)
		if r.IntN(4) == 0 {
			thread = threads
			threads++
		}
		switch n := r.IntN(12); {
		case n < 3:
			add(event.Acquire, thread, r.Uint32N(locks))
		case n < 5:
			add(event.Release, thread, r.Uint32N(locks))
		case n < 8:
			add(event.ReleaseMerge, thread, r.Uint32N(locks))
		case n == 8:
			add(event.Fork, thread, threads)
			threads++
		case n == 9 && thread >= actors:
			add(event.Join, r.Uint32N(actors), thread)
		case thread < actors || n == 10:
			add(event.Read+event.Kind(r.IntN(2)), thread, r.Uint32N(2))
		}
	}
	return tr
}

// counts are of events that are in a race and of those that are not.
type counts struct{ races, none int }

// mean wants there to be enough of both.
func (n *counts) mean(t *testing.T) {
	if n.races < 1000 || n.none < n.races {
		t.Errorf("%d races, %d events without: that is too one-sided to mean much", n.races, n.none)
	}
}

// compare wants the races of a trace to be found that there are by the definition.
func (n *counts) compare(tr tracegen.Trace) error {
	c := New(tr.Relation)
	for i, want := range tracegen.Races(tr) {
		e := &tr.Events[i]
		if e.Op == event.Touch {
			want = nil
		}
		found := c.Event(e)
		if found != (len(want) > 0) {
			return fmt.Errorf("event %d is in a race with %v, and that it is found is %v", i, want,
				found)
		}
		if !found {
			n.none++
			continue
		}
		n.races++
		first, second := c.Race().First, c.Race().Second
		if second != (event.Step{Index: uint64(i), Event: *e}) ||
			!slices.Contains(want, int(first.Index)) ||
			first.Event != tr.Events[first.Index] {
			return fmt.Errorf("event %d is in a race with %v, and found with %+v", i, want, first)
		}
	}
	return nil
}
