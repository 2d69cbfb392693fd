// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package atomicity

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/commutego/commute/internal/engine/vclock"
)

// TestAgainstGraph runs random events: a transaction must be found to be on a cycle at the event that closes it, as an
// explicit graph has it, and never else.
func TestAgainstGraph(t *testing.T) {
	n := 30_000
	if testing.Short() {
		n = 3_000
	}
	violations, longest, reused, turned := 0, 0, 0, 0
	for seed := range n {
		r := &run{t: t, r: rand.New(rand.NewPCG(uint64(seed), 1)), slots: map[uint32]bool{}}
		r.do(5 + r.r.IntN(60))
		reused += bit(r.reused)
		turned += bit(r.turned > 0 && len(r.cycles) > 0)
		violations += len(r.cycles)
		for _, c := range r.cycles {
			r.verify(c)
			longest = max(longest, c.N)
		}
	}
	if violations < n/20 || longest < 4 || reused > n/2 || turned < n/100 {
		t.Errorf("only %d violations in %d runs, of up to %d edges, %d where a clock has turned", violations, n, longest, turned)
	}
	if graph.Running() {
		t.Error("something still runs")
	}
	t.Logf("%d runs, %d violations, cycles of up to %d edges, %d not remembered; %d runs in which a slot had several goroutines", n, violations, longest, graph.Incomplete(), reused)
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (r *run) do(steps int) {
	first := newGoroutine(0)
	clocks.Start(first.clock)
	r.started(first)
	r.threads = append(r.threads, first)
	for range steps {
		g := r.threads[r.r.IntN(len(r.threads))]
		if !g.over {
			r.random(g)
		}
	}
	for _, g := range r.threads {
		if !g.over {
			r.exit(g)
		}
	}
}

func (r *run) started(g *goroutine) {
	slot := g.clock.Now().Slot()
	r.reused = r.reused || r.slots[slot]
	r.slots[slot] = true
}

func (r *run) exit(g *goroutine) {
	graph.EndAll(&g.thread, r)
	for _, c := range g.clocks {
		c.End()
	}
	g.over = true
}

func (r *run) random(g *goroutine) {
	v, l := r.r.IntN(variables), r.r.IntN(locks)
	name := func(op string, n int) string { return fmt.Sprint(g.id, op, n, " ") }
	switch k := r.r.IntN(22); {
	case k < 3:
		r.step(name("begin", 0), g, func() {
			if g.in == 0 {
				r.event(g).marked = true
			}
			g.in++
			graph.Begin(&g.thread, g.clock, &AtomicCode{Name: "f"})
		})
	case k < 5 && g.in > 0:
		r.step(name("end", 0), g, func() {
			graph.End(&g.thread, r)
			g.in--
		})
	case k < 9:
		r.step(name("r", v), g, func() { r.read(g, v) })
	case k < 13:
		r.step(name("w", v), g, func() { r.write(g, v) })
	case k < 15:
		r.step(name("acq", l), g, func() { r.acquire(g, l) })
	case k < 16:
		r.step(name("rel", l), g, func() { r.releaseTo(g, l, false) })
	case k < 17:
		r.step(name("merge", l), g, func() { r.releaseTo(g, l, true) })
	case k < 19 && len(r.threads) < maxThreads:
		r.step(name("fork", len(r.threads)), g, func() { r.fork(g) })
	case k == 19 && g.in == 0 && g.id > 0:
		r.log = append(r.log, name("exit", 0))
		r.exit(g)
	case k == 19 && len(g.clocks) == 1:
		r.log = append(r.log, name("turn", 0))
		r.turn(g)
	case k >= 20:
		r.log = append(r.log, name("hidden", l))
		r.hidden[l].Acquire(g.clock)
		r.hidden[l].Release(g.clock)
	}
}

// turn gives g another clock, as it gets one when the first call is made.
func (r *run) turn(g *goroutine) {
	c := new(vclock.Thread)
	old := g.clock
	old.Fork(c)
	g.clock, g.clocks = c, append(g.clocks, c)
	r.started(g)
	graph.Fork(nil, 0, c.Pin(), Edge{})
	graph.ChangeClock(&g.thread, old, c)
	r.turned += bit(g.in > 0)
}

func (r *run) read(g *goroutine, v int) {
	n := r.event(g)
	if w := r.writes[v]; w != nil {
		r.conflict(g, *w, Memory)
	}
	r.reads[v] = append(r.reads[v], event{g.clock.AccessEpoch(), n, g.id})
}

func (r *run) write(g *goroutine, v int) {
	n := r.event(g)
	if w := r.writes[v]; w != nil {
		r.conflict(g, *w, Memory)
	}
	for _, e := range r.reads[v] {
		r.conflict(g, e, Memory)
	}
	r.reads[v] = nil
	r.writes[v] = &event{g.clock.AccessEpoch(), n, g.id}
}

func (r *run) acquire(g *goroutine, l int) {
	r.event(g)
	if e := r.release[l]; e != nil {
		r.conflict(g, *e, Sync)
	}
	for _, e := range r.readers[l] {
		r.conflict(g, e, Sync)
	}
}

func (r *run) releaseTo(g *goroutine, l int, merge bool) {
	e := event{g.clock.Now(), r.event(g), g.id}
	var m vclock.SingletonClock
	m.Release(g.clock) // so that the moment is given away
	m.Clear()
	if merge {
		r.readers[l] = append(r.readers[l], e)
	} else {
		r.release[l], r.readers[l] = &e, nil
	}
}

func (r *run) fork(g *goroutine) {
	n := r.event(g)
	h := newGoroutine(len(r.threads))
	now := g.clock.Now()
	g.clock.Fork(h.clock)
	r.started(h)
	graph.Fork(&g.thread, now, h.clock.Pin(), Edge{Kind: Go, FromGoid: uint64(g.id), ToGoid: uint64(h.id)})
	// What h does first comes after; that it begins at all is no event.
	h.node = &node{}
	n.to(h.node)
	r.threads = append(r.threads, h)
}

// verify checks that a cycle is one: it begins and ends in the transaction, and each edge begins where the one before
// leads to.
func (r *run) verify(c *Cycle) {
	for i := range c.N {
		e, next := &c.Edges[i], &c.Edges[(i+1)%c.N]
		turned := len(r.threads[e.ToGoid].clocks) > 1 && e.To.Slot() != next.From.Slot()
		if !turned && e.To.Slot() != next.From.Slot() || e.ToGoid != next.FromGoid {
			r.t.Fatalf("edge %d leads to %v, the next begins at %v: %+v", i, e.To, next.From, c.Edges[:c.N])
		}
		if !turned && next.From < e.To && c.To[i] == nil {
			r.t.Fatalf("edge %d leads to what is later than where the next begins, in no transaction: %+v", i, c.Edges[:c.N])
		}
	}
	if out, in := c.Edges[0].From, c.Edges[c.N-1].To; out.Slot() == in.Slot() && out > in {
		r.t.Fatalf("the transaction does what leads out of it at %v, after it was led back, at %v: %+v", out, in, c.Edges[:c.N])
	}
	if c.N < 2 || c.From[0] != c.Code || c.To[c.N-1] != c.Code {
		r.t.Fatalf("the cycle is not the transaction's: %+v", c)
	}
}
