// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package atomicity

import (
	"fmt"
	"testing"

	matrix "github.com/commutego/commute/internal/check/frontier"
	"github.com/commutego/commute/internal/engine/vclock"
	stream "github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace/tracegen"
)

// A streamed checker draws the edges of a stream of events.
type streamed struct {
	relation *stream.Relation
	threads  map[uint32]*goroutine
	last     map[string][]mark // by variable, lock, or point of an object
}

// A mark is what is kept of an event; of one thread the last.
type mark struct {
	epoch  vclock.Epoch
	thread uint32
}

func (s *streamed) Cycle(*Cycle)           {}
func (s *streamed) Wants(*AtomicCode) bool { return false }

func (s *streamed) thread(id uint32) *goroutine {
	g := s.threads[id]
	if g == nil {
		g = newGoroutine(int(id))
		clocks.Start(g.clock)
		s.threads[id] = g
	}
	return g
}

func (s *streamed) draw(g *goroutine, from mark, me uint32) {
	if from.thread != me && graph.Running() && graph.MayCloseCycle(from.epoch) {
		graph.AddEdge(&g.thread, g.clock, Edge{
			From: from.epoch, FromGoid: uint64(from.thread), ToGoid: uint64(me),
		})
	}
}

// meet draws edges from all that is known of some places, and notes the event at one, in the
// place of what was there if alone is set.
func (s *streamed) meet(g *goroutine, me uint32, at string, alone bool, from ...string) {
	for _, f := range from {
		for _, e := range s.last[f] {
			s.draw(g, e, me)
		}
	}
	if at == "" {
		return
	}
	now := mark{g.clock.AccessEpoch(), me}
	list := s.last[at]
	if alone {
		list = nil
	}
	for i := range list {
		if list[i].thread == me {
			list[i] = now
			return
		}
	}
	s.last[at] = append(list, now)
}

// event takes the next event, and reports whether it closes a cycle.
func (s *streamed) event(e *stream.Event) bool {
	g := s.thread(e.Thread)
	name := func(kind string) string { return fmt.Sprint(kind, e.Target) }
	switch e.Op {
	case stream.Begin:
		graph.Begin(&g.thread, g.clock, &AtomicCode{})
	case stream.End:
		graph.End(&g.thread, s)
	case stream.Read:
		s.meet(g, e.Thread, name("read"), false, name("write"))
	case stream.Write:
		s.meet(g, e.Thread, name("write"), true, name("write"), name("read"))
		delete(s.last, name("read"))
	case stream.Acquire:
		s.meet(g, e.Thread, "", false, name("lock"))
	case stream.Release, stream.ReleaseMerge:
		s.meet(g, e.Thread, name("lock"), e.Op == stream.Release)
	case stream.Fork:
		now := g.clock.AccessEpoch()
		h := newGoroutine(int(e.Target))
		g.clock.Fork(h.clock)
		s.threads[e.Target] = h
		graph.Fork(&g.thread, now, h.clock.Pin(), Edge{Kind: Go, FromGoid: uint64(e.Thread)})
	case stream.Join:
		s.meet(g, e.Thread, "", false, name("end"))
	case stream.Touch:
		var from []string
		for _, q := range s.relation.Conflicts(e.Point) {
			from = append(from, fmt.Sprintf("object%d.%d", e.Target, q))
		}
		s.meet(g, e.Thread, fmt.Sprintf("object%d.%d", e.Target, e.Point), false, from...)
	}
	s.last[fmt.Sprint("end", e.Thread)] = []mark{{g.clock.AccessEpoch(), e.Thread}}
	x := g.thread.txn.P()
	return x != nil && x.closing.From != 0
}

func (s *streamed) end() {
	for _, g := range s.threads {
		graph.EndAll(&g.thread, s)
	}
}

// TestAgreesWithFrontier compares this package with package frontier, event by event, on random
// streams up to the first violation.
func TestAgreesWithFrontier(t *testing.T) {
	violations := 0
	tracegen.Each(t, 5000, func(tr tracegen.Trace) error {
		f := matrix.New(tr.Relation)
		s := &streamed{tr.Relation, map[uint32]*goroutine{}, map[string][]mark{}}
		defer s.end()
		for i := range tr.Events {
			e := &tr.Events[i]
			want, got := f.Event(e), s.event(e)
			if want != got {
				return fmt.Errorf("event %d: frontier says %v, we say %v", i, want, got)
			}
			if want {
				violations++
				return nil // the two may report other members of a cycle from here on
			}
		}
		return nil
	})
	if violations == 0 {
		t.Error("no violations")
	}
	t.Logf("%d violations", violations)
}
