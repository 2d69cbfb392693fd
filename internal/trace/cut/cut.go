// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package cut takes well-formed parts out of traces.
//
// Input: a well-formed stream of events, and which of them to keep. Output: those events. Before
// the first event of a thread there is a begin for each transaction that was open there. If locks
// are mutexes, there is an acquire for each that was held, too. So the events have the same meaning
// in the part as in the whole. A part lacks the order that events outside of it make: two unordered
// events of the part may be ordered in the whole.
package cut

import (
	"github.com/commutego/commute/internal/event"
)

// Keep says which events to keep: those that meet all conditions that are not nil or 0. Events
// count from 0.
type Keep struct {
	From, To uint64              // the range [From, To); To 0 is the end
	Thread   func(t uint32) bool // the threads
	Near     *Neighbourhood      // the transactions, and the synchronization of their threads

	Mutexes bool // each lock is a mutex: see event.Validator
}

// A Cutter selects the events of a part.
type Cutter struct {
	keep    Keep
	index   uint64
	threads []thread
}

// A thread has the state before its next event.
type thread struct {
	open  []event.Event // the begins of transactions that have not ended, outermost first
	held  []event.Event // the acquires of locks that were not released
	kept  bool          // an event was kept, and before it open and held were added
	begun uint32        // the number of outermost transactions
}

// New is a cutter at the beginning of a trace.
func New(keep Keep) *Cutter { return &Cutter{keep: keep} }

// Done reports whether all events that follow are dropped.
func (c *Cutter) Done() bool { return c.keep.To != 0 && c.index >= c.keep.To }

// Add appends to out the next events that are kept.
func (c *Cutter) Add(out, events []event.Event) []event.Event {
	for i := range events {
		out = c.add(out, &events[i])
	}
	return out
}

// add is Add for one event.
func (c *Cutter) add(out []event.Event, e *event.Event) []event.Event {
	if e.Op == event.Split { // no step, and kept events may be about the new variable
		c.index++
		return append(out, *e)
	}
	for uint64(len(c.threads)) <= uint64(e.Thread) {
		c.threads = append(c.threads, thread{})
	}
	t := &c.threads[e.Thread]
	if e.Op == event.Begin && len(t.open) == 0 {
		t.begun++
	}
	if c.keeps(e, t) {
		if !t.kept {
			t.kept = true
			if c.keep.Near == nil || c.keep.Near.whole(e.Thread, t) {
				out = append(out, t.open...)
			}
			out = append(out, t.held...)
		}
		out = append(out, *e)
	}
	t.update(e, c.keep.Mutexes)
	c.index++
	return out
}

// update updates open and held for e.
func (t *thread) update(e *event.Event, mutexes bool) {
	switch {
	case e.Op == event.Begin:
		t.open = append(t.open, *e)
	case e.Op == event.End:
		t.open = t.open[:len(t.open)-1]
	case e.Op == event.Acquire && mutexes:
		t.held = append(t.held, *e)
	case e.Op == event.Release && mutexes:
		for i := len(t.held) - 1; i >= 0; i-- {
			if t.held[i].Target == e.Target {
				t.held = append(t.held[:i], t.held[i+1:]...)
				break
			}
		}
	}
}

// keeps reports whether e meets the conditions.
func (c *Cutter) keeps(e *event.Event, t *thread) bool {
	k := &c.keep
	return c.index >= k.From && (k.To == 0 || c.index < k.To) &&
		(k.Thread == nil || k.Thread(e.Thread)) &&
		(k.Near == nil || k.Near.has(e, t))
}

// A Neighbourhood is the transactions that access a variable, a lock or an object, and the
// synchronization of their threads.
type Neighbourhood struct {
	is      func(e *event.Event) bool
	threads []near
}

// A near is a thread of a Neighbourhood.
type near struct {
	in           bool // the thread accesses the thing
	depth, begun uint32
	last         uint32              // the transaction that was added last
	transactions map[uint32]struct{} // those that access the thing, by begun
}

// NewNeighbourhood is the neighbourhood of a thing; is reports whether an event accesses it. Add
// must get the whole trace before the neighbourhood is used.
func NewNeighbourhood(is func(e *event.Event) bool) *Neighbourhood { return &Neighbourhood{is: is} }

// Empty reports whether nothing accesses the thing.
func (n *Neighbourhood) Empty() bool {
	for i := range n.threads {
		if n.threads[i].in {
			return false
		}
	}
	return true
}

// Add takes the next events of the trace.
func (n *Neighbourhood) Add(events []event.Event) {
	for i := range events {
		e := &events[i]
		for uint64(len(n.threads)) <= uint64(e.Thread) {
			n.threads = append(n.threads, near{})
		}
		t := &n.threads[e.Thread]
		switch {
		case e.Op == event.Begin:
			if t.depth++; t.depth == 1 {
				t.begun++
			}
		case e.Op == event.End:
			t.depth--
		case n.is(e):
			t.in = true
			if t.depth > 0 && t.last != t.begun {
				t.last = t.begun
				if t.transactions == nil {
					t.transactions = make(map[uint32]struct{})
				}
				t.transactions[t.begun] = struct{}{}
			}
		}
	}
}

// has reports whether an event is in the neighbourhood; t is its thread before the event.
func (n *Neighbourhood) has(e *event.Event, t *thread) bool {
	near := &n.threads[e.Thread]
	if (len(t.open) > 0 || e.Op == event.Begin) && n.whole(e.Thread, t) {
		return true
	}
	switch e.Op {
	case event.Acquire, event.Release, event.ReleaseMerge:
		return near.in
	case event.Fork, event.Join:
		return near.in && uint64(e.Target) < uint64(len(n.threads)) && n.threads[e.Target].in
	}
	return n.is(e)
}

// whole reports whether the present or last transaction of a thread is in the neighbourhood; then
// all of its events are kept.
func (n *Neighbourhood) whole(id uint32, t *thread) bool {
	_, ok := n.threads[id].transactions[t.begun]
	return ok
}
