// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package replay

import (
	"github.com/commutego/commute/internal/check/velodrome"
	"github.com/commutego/commute/internal/engine/atomicity"
	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/vclock"
	"github.com/commutego/commute/internal/event"
)

// A Violation is a transaction that is not serializable. The first edge of its cycle leaves the
// transaction, and the last edge comes back to it, at the event At.
type Violation struct {
	Transaction event.Transaction
	Cycle       velodrome.Cycle
	At          event.Step

	// Sync lists releases by the transaction after its first event, with the acquires by the other
	// goroutine before its own event.
	Sync []velodrome.Edge
	// Table is the specification of the methods in the last conflict; nil if that is no conflict of
	// calls.
	Table *commrace.Table
}

// goid is what stands for a thread in the graph, where 0 is none.
func goid(thread uint32) uint64 { return uint64(thread) + 1 }

// edgeOf is the edge from one event to another. What a program has of calls holds other numbers
// here: the indices of the two events, and the points that they touch, or else their kinds.
func edgeOf(epoch vclock.Epoch, from, to *event.Step, kind event.Class) atomicity.Edge {
	both := from.Event.Point<<16 | to.Event.Point&0xffff
	if kind != atomicity.Object {
		both = from.Event.Point<<12 | uint32(from.Event.Op)<<6 | uint32(to.Event.Op)
	}
	return atomicity.Edge{
		From: epoch, Kind: kind, Addr: uintptr(from.Event.Target),
		FromGoid: goid(from.Event.Thread), ToGoid: goid(to.Event.Thread),
		FromSite: from.Event.Pos, ToSite: to.Event.Pos,
		FromWrites: from.Event.Op != event.Read, ToWrites: to.Event.Op == event.Write,
		FromCall: uintptr(from.Index), ToCall: uintptr(to.Index), Table: uintptr(both),
	}
}

// eventsOf are the two events of an edge. An edge by a go statement leads to no event.
func eventsOf(e *atomicity.Edge) (from, to event.Step) {
	target := uint32(e.Addr)
	from = event.Step{Index: uint64(e.FromCall), Event: event.Event{
		Thread: uint32(e.FromGoid - 1), Target: target, Pos: e.FromSite,
	}}
	to = event.Step{Index: uint64(e.ToCall), Event: event.Event{
		Thread: uint32(e.ToGoid - 1), Target: target, Pos: e.ToSite,
	}}
	f, t := &from.Event, &to.Event
	switch e.Kind {
	case atomicity.Object:
		f.Op, t.Op = event.Touch, event.Touch
		f.Point, t.Point = uint32(e.Table)>>16, uint32(e.Table)&0xffff
		return from, to
	case atomicity.Go:
		f.Op = event.Fork
		return from, to
	case atomicity.Atomic:
		f.Flags, t.Flags = event.Only, event.Only
	}
	f.Op, t.Op = event.Kind(e.Table>>6&0x3f), event.Kind(e.Table&0x3f)
	if t.Op == event.Join { // of the thread that has made the other event, of any kind
		f.Point, t.Target = uint32(e.Table)>>12, f.Thread
	}
	return from, to
}

// An ended transaction is one that is over.
type ended struct {
	event.Transaction
	last uint64 // the index of its last event
}

// maxEnded is how many of them are remembered, as many as the graph does.
const maxEnded = 1 << 11

// An endedRing has the last maxEnded of them.
type endedRing struct {
	list []ended
	n    uint64
}

func (r *endedRing) keep(e ended) {
	if len(r.list) < maxEnded {
		r.list = append(r.list, e)
	} else {
		r.list[r.n%maxEnded] = e
	}
	r.n++
}

// of is the transaction that an event is part of. An event that is in none is one by itself.
func (r *endedRing) of(s *event.Step) event.Transaction {
	for i := range r.list {
		e := &r.list[i]
		if e.Thread == s.Event.Thread && e.First <= s.Index && s.Index <= e.last {
			return e.Transaction
		}
	}
	return event.Transaction{Thread: s.Event.Thread, First: s.Index, Pos: s.Event.Pos}
}

// transactionOf is the transaction that an event is part of, of those that run as well.
func (x *transactions) transactionOf(s *event.Step) event.Transaction {
	thread := s.Event.Thread
	if t := x.replay.threads[thread]; t != nil && t.actor != nil {
		if now := t.actor.now; now.Marked && s.Index >= now.First {
			return now
		}
	}
	return x.ended.of(s)
}

// A searchedFor is what cycles are counted of: a place where transactions begin, and a test.
type searchedFor struct {
	pos  uint32
	test string
}

// maxSearches is how many cycles are looked for of the transactions at one place in each test. It
// is that of a run.
const maxSearches = 64

// Wants reports whether to look for the cycle of the transaction that the thread ends. In a trace
// that doesn't tell of the program each is looked for.
func (t *thread) Wants(*atomicity.AtomicCode) bool {
	r := t.replay
	if !r.orders {
		return true
	}
	of := searchedFor{t.actor.now.Pos, r.program.Test(t.number)}
	r.txns.searched[of]++
	return r.txns.searched[of] <= maxSearches
}

// Cycle tells of the cycle of the transaction that the thread ends.
func (t *thread) Cycle(c *atomicity.Cycle) {
	x := t.replay.txns
	v := Violation{Transaction: t.actor.now}
	v.Cycle.Transactions = []event.Transaction{v.Transaction}
	var at event.Step // where the cycle has arrived
	for i := range c.N {
		from, to := eventsOf(&c.Edges[i])
		if c.Edges[i].Kind == atomicity.Go && i+1 < c.N {
			to, _ = eventsOf(&c.Edges[i+1]) // the first that is known of the goroutine
		}
		if here := x.transactionOf(&from); i > 0 &&
			v.Cycle.Transactions[len(v.Cycle.Transactions)-1].First != here.First {
			v.add(at, from, here) // program order
		}
		v.add(from, to, x.transactionOf(&to))
		at = to
	}
	// The last edge has added the first transaction again.
	v.Cycle.Transactions = v.Cycle.Transactions[:len(v.Cycle.Edges)]
	v.At = at
	for i := range c.NSyncEdges {
		from, to := eventsOf(&c.SyncEdges[i])
		v.Sync = append(v.Sync, velodrome.Edge{Tail: from, Head: to})
	}
	if at.Event.Op == event.Touch {
		v.Table = x.replay.tableOf(at.Event.Point)
	}
	x.found(v)
}

// add adds an edge, and the transaction that it leads to.
func (v *Violation) add(from, to event.Step, in event.Transaction) {
	v.Cycle.Edges = append(v.Cycle.Edges, velodrome.Edge{Tail: from, Head: to})
	v.Cycle.Transactions = append(v.Cycle.Transactions, in)
}
