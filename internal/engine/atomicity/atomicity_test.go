// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package atomicity

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/commutego/commute/internal/engine/vclock"
)

// TestAgainstGraph runs random events. A transaction must be found to be on a cycle at the event
// that closes it, as an explicit graph has it, and never else.
func TestAgainstGraph(t *testing.T) {
	n := 30_000
	if testing.Short() {
		n = 3_000
	}
	violations, longest, reused, changed := 0, 0, 0, 0
	for seed := range n {
		r := newRun(t, uint64(seed), &graph, &clocks)
		for r.step() {
		}
		r.finish()
		reused += bit(r.reused)
		changed += bit(r.changed > 0 && len(r.cycles) > 0)
		violations += len(r.cycles)
		for _, c := range r.cycles {
			longest = max(longest, c.N)
		}
	}
	if violations < n/20 || longest < 4 || reused > n/2 || changed < n/100 {
		t.Errorf("only %d violations in %d runs, of up to %d edges, %d where a clock has changed",
			violations, n, longest, changed)
	}
	if graph.Running() {
		t.Error("a transaction still runs")
	}
	t.Logf("%d runs, %d violations, cycles of up to %d edges, %d incomplete; %d runs reuse a slot",
		n, violations, longest, graph.Incomplete(), reused)
}

// TestTwoGraphs runs two executions in turns. Their goroutines have the same slots, so that the
// transactions of one, in the graph of the other, would be on cycles that the oracle doesn't have.
func TestTwoGraphs(t *testing.T) {
	n := 10_000
	if testing.Short() {
		n = 1_000
	}
	var graphs [2]Graph
	var worlds [2]vclock.World
	var violations [2]int
	for seed := range n {
		var runs [2]*run
		for i := range runs {
			runs[i] = newRun(t, uint64(i*n+seed), &graphs[i], &worlds[i])
		}
		for goesOn := true; goesOn; {
			goesOn = false
			for _, r := range runs {
				if r.step() {
					goesOn = true
				}
			}
		}
		for i, r := range runs {
			r.finish()
			violations[i] += len(r.cycles)
		}
	}
	for i := range graphs {
		if graphs[i].Running() || violations[i] < n/20 {
			t.Errorf("graph %d has only %d violations in %d runs, or something still runs",
				i, violations[i], n)
		}
	}
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

func newRun(t *testing.T, seed uint64, g *Graph, w *vclock.World) *run {
	r := &run{
		t: t, graph: g, clocks: w,
		r:     rand.New(rand.NewPCG(seed, 1)),
		slots: map[uint32]bool{},
	}
	r.left = 5 + r.r.IntN(60)
	first := newGoroutine(0)
	r.clocks.Start(first.clock)
	r.started(first)
	r.threads = append(r.threads, first)
	return r
}

// step attempts a random event. It reports whether more are to come.
func (r *run) step() bool {
	if r.left == 0 {
		return false
	}
	r.left--
	if g := r.threads[r.r.IntN(len(r.threads))]; !g.over {
		r.random(g)
	}
	return true
}

// finish ends all goroutines, and checks the cycles.
func (r *run) finish() {
	for _, g := range r.threads {
		if !g.over {
			r.exit(g)
		}
	}
	for _, c := range r.cycles {
		r.verify(c)
	}
}

func (r *run) started(g *goroutine) {
	slot := g.clock.Now().Slot()
	r.reused = r.reused || r.slots[slot]
	r.slots[slot] = true
}

func (r *run) exit(g *goroutine) {
	r.graph.EndAll(&g.thread, r)
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
		r.attempt(name("begin", 0), g, func() {
			if g.in == 0 {
				r.event(g).marked = true
			}
			g.in++
			r.graph.Begin(&g.thread, g.clock, &AtomicCode{Name: "f"})
		})
	case k < 5 && g.in > 0:
		r.attempt(name("end", 0), g, func() {
			r.graph.End(&g.thread, r)
			g.in--
		})
	case k < 9:
		r.attempt(name("r", v), g, func() { r.read(g, v) })
	case k < 13:
		r.attempt(name("w", v), g, func() { r.write(g, v) })
	case k < 15:
		r.attempt(name("acq", l), g, func() { r.acquire(g, l) })
	case k < 16:
		r.attempt(name("rel", l), g, func() { r.releaseTo(g, l, false) })
	case k < 17:
		r.attempt(name("merge", l), g, func() { r.releaseTo(g, l, true) })
	case k < 19 && len(r.threads) < maxThreads:
		r.attempt(name("fork", len(r.threads)), g, func() { r.fork(g) })
	case k == 19 && g.in == 0 && g.id > 0:
		r.log = append(r.log, name("exit", 0))
		r.exit(g)
	case k == 19 && len(g.clocks) == 1:
		r.log = append(r.log, name("change", 0))
		r.changeClock(g)
	case k >= 20:
		r.log = append(r.log, name("hidden", l))
		r.hidden[l].Acquire(g.clock)
		r.hidden[l].Release(g.clock)
	}
}

// changeClock gives g another clock, as the engine does when it forks the memory happens-before
// clock of a goroutine from its call clock.
func (r *run) changeClock(g *goroutine) {
	c := new(vclock.Thread)
	old := g.clock
	old.Fork(c)
	g.clock, g.clocks = c, append(g.clocks, c)
	r.started(g)
	r.graph.Fork(nil, 0, c.Pin(), Edge{})
	r.graph.ChangeClock(&g.thread, old, c)
	r.changed += bit(g.in > 0)
}

func (r *run) read(g *goroutine, v int) {
	n := r.event(g)
	if w := r.writes[v]; w != nil {
		r.conflict(g, *w, Memory)
	}
	r.reads[v] = append(r.reads[v], happened{g.clock.AccessEpoch(), n, g.id})
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
	r.writes[v] = &happened{g.clock.AccessEpoch(), n, g.id}
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
	e := happened{g.clock.Now(), r.event(g), g.id}
	var m vclock.SingletonClock
	m.Release(g.clock) // publishes the epoch
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
	r.graph.Fork(&g.thread, now, h.clock.Pin(), Edge{
		Kind: Go, FromGoid: uint64(g.id), ToGoid: uint64(h.id),
	})
	// What h does first comes after; that it begins at all is no event.
	h.node = &node{}
	n.to(h.node)
	r.threads = append(r.threads, h)
}

// verify checks that a cycle is one: it begins and ends in the transaction, and each edge begins
// where the one before leads to.
func (r *run) verify(c *Cycle) {
	for i := range c.N {
		e, next := &c.Edges[i], &c.Edges[(i+1)%c.N]
		changed := len(r.threads[e.ToGoid].clocks) > 1 && e.To.Slot() != next.From.Slot()
		if !changed && e.To.Slot() != next.From.Slot() || e.ToGoid != next.FromGoid {
			r.t.Fatalf("edge %d leads to %v, the next begins at %v: %+v",
				i, e.To, next.From, c.Edges[:c.N])
		}
		if !changed && next.From < e.To && c.To[i] == nil {
			r.t.Fatalf("edge %d leads, outside of transactions, past where the next begins: %+v",
				i, c.Edges[:c.N])
		}
	}
	if out, in := c.Edges[0].From, c.Edges[c.N-1].To; out.Slot() == in.Slot() && out > in {
		r.t.Fatalf("the first edge leaves the transaction at %v, the last enters it at %v: %+v",
			out, in, c.Edges[:c.N])
	}
	if c.N < 2 || c.From[0] != c.Code || c.To[c.N-1] != c.Code {
		r.t.Fatalf("the cycle is not the transaction's: %+v", c)
	}
}
