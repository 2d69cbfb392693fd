// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package plan

import "slices"

// A clock has for each goroutine the number of its operations that come before.
type clock []int32

func (c clock) join(d clock) {
	for i, n := range d {
		c[i] = max(c[i], n)
	}
}

// A tracker follows a plan in its order, with vector clocks. They have the orders that every run
// must have. If the order of the plan is forced, critical sections are ordered, too.
type tracker struct {
	p     *Plan
	now   []clock // by goroutine
	links []linkState
	locks []lockState
	at    []clock // by operation: what comes before it, and itself
}

type linkState struct {
	clock clock
	queue []clock // what the k-th signal releases
	taken []clock // what the k-th wait does
	waits int
	from  int // the goroutine that signaled last
}

type lockState struct{ written, read clock }

func newTracker(p *Plan) *tracker {
	return &tracker{p: p,
		now: []clock{make(clock, maxGoroutines)}}
}

const maxGoroutines = 24

// add follows the next operation.
func (t *tracker) add(o *Op) {
	for len(t.now) < len(t.p.Goroutines) {
		t.now = append(t.now, make(clock, maxGoroutines))
	}
	for len(t.links) < len(t.p.Links) {
		t.links = append(t.links, linkState{clock: make(clock, maxGoroutines)})
	}
	for len(t.locks) < len(t.p.Locks) {
		t.locks = append(t.locks, lockState{make(clock, maxGoroutines), make(clock, maxGoroutines)})
	}
	c := t.now[o.G]
	c[o.G]++
	switch o.Action {
	case Signal:
		t.signal(o, c)
	case Wait:
		t.wait(o, c)
	case Fork, Next, Yield:
		t.now[o.Child].join(c)
	case Enter, Leave, Whole:
		if t.p.Forced {
			t.lock(o, c)
		}
	case Split:
		t.locks[o.Lock].written = c
	case Meddle: // both are in the middle of the other
		other := t.locks[o.Lock].written
		other.join(c)
		c.join(other)
	}
	t.at = append(t.at, slices.Clone(c))
}

// signal gives a link the clock of the signaler. On a queue with room for n values, the signal
// after n others also comes after the wait that made room for it.
func (t *tracker) signal(o *Op, c clock) {
	l, kind := &t.links[o.Link], &properties[t.p.Links[o.Link].Kind]
	l.from = o.G
	switch {
	case kind.queue:
		k := len(l.queue) - t.p.Links[o.Link].Room
		if k >= 0 {
			c.join(l.taken[k])
		}
		l.queue = append(l.queue, slices.Clone(c))
	default:
		if kind.mix && t.p.Forced {
			c.join(l.clock)
		}
		l.clock.join(c)
	}
}

// wait joins the clocks that the waiter takes from a link. Where both sides wait, each takes the
// other's.
func (t *tracker) wait(o *Op, c clock) {
	l, kind := &t.links[o.Link], &properties[t.p.Links[o.Link].Kind]
	switch {
	case kind.queue:
		c.join(l.queue[l.waits])
		l.waits++
		l.taken = append(l.taken, slices.Clone(c))
	case kind.meet:
		t.now[l.from].join(c)
		c.join(t.now[l.from])
	default:
		c.join(l.clock)
	}
}

// lock orders critical sections as they are executed.
func (t *tracker) lock(o *Op, c clock) {
	l := &t.locks[o.Lock]
	if o.Action != Leave {
		c.join(l.written)
		if !o.Shared {
			c.join(l.read)
		}
	}
	switch {
	case o.Action == Enter:
	case o.Shared:
		l.read.join(c)
	default:
		l.written.join(c)
	}
}

// before reports whether operation i must come before operation j, an access that is later in the
// plan.
func (t *tracker) before(i, j int) bool {
	g := t.p.Ops[i].G
	return t.at[j][g] >= t.at[i][g]
}

// known reports whether g's clock has operation i.
func (t *tracker) known(g, i int) bool {
	by := t.p.Ops[i].G
	return t.now[g][by] >= t.at[i][by]
}
