// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package replay

import (
	"sync"

	"github.com/commutego/commute/internal/check/table"
	"github.com/commutego/commute/internal/engine/atomicity"
	"github.com/commutego/commute/internal/engine/vclock"
	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace"
)

// A transactions is the check of a trace's transactions.
type transactions struct {
	*execution
	replay *Replay
	found  func(Violation)

	// What events of threads may conflict with, by variable, lock and object. The last is for
	// traces that have no steps of calls.
	vars, locks []cell
	objects     [][]pointCell

	ended    endedRing
	searched map[searchedFor]int
}

// An execution is a graph of transactions, and the clocks that have the epochs of events in it. The
// memory of both is never given back, so the next trace goes on with them: it has other epochs.
type execution struct {
	graph atomicity.Graph
	times vclock.World
}

var idle struct {
	sync.Mutex
	list []*execution
}

func takeExecution() *execution {
	idle.Lock()
	defer idle.Unlock()
	n := len(idle.list)
	if n == 0 {
		return new(execution)
	}
	x := idle.list[n-1]
	idle.list = idle.list[:n-1]
	return x
}

func (x *execution) giveBack() {
	idle.Lock()
	idle.list = append(idle.list, x)
	idle.Unlock()
}

// An actor is a thread's part in the check of transactions. Its clock only tells its events from
// each other: transactions ask for conflicts, ordered or not.
type actor struct {
	txn   atomicity.Thread
	clock *vclock.Thread
	at    vclock.Epoch      // of its last event, 0 for none
	last  event.Step        // the event
	begun uint32            // the number of its marked transactions
	now   event.Transaction // the one that runs; marked if there is one
	calls []pastCall        // a ring of the last maxCalls
	made  uint64            // how many there were
}

// marked stands for the code of each transaction in the graph: [actor] has what is known of it.
var marked = &atomicity.AtomicCode{Name: "transaction"}

// NewTransactions is a check of the transactions in the trace of a program, which may be nil. It
// calls found for each that is not serializable, when it ends.
func NewTransactions(program *trace.Program, found func(Violation)) *Replay {
	r := New(program, func(Race) {})
	r.waits = true
	r.orders = program != nil && program.Calls
	r.txns = &transactions{
		replay: r, execution: takeExecution(), found: found, searched: make(map[searchedFor]int),
	}
	return r
}

// act is the part of a thread that does something.
func (x *transactions) act(t *thread) *actor {
	if t.actor == nil {
		t.actor = &actor{clock: clocks.Get()}
		x.times.Start(t.actor.clock)
		// Its slot may have been another's, which a transaction reaches.
		x.graph.Fork(nil, 0, t.actor.clock.Pin(), atomicity.Edge{})
	}
	return t.actor
}

// exit ends the part of a thread.
func (x *transactions) exit(t *thread) {
	if a := t.actor; a != nil {
		x.graph.EndAll(&a.txn, t)
		x.ends(a)
		a.clock.End()
		clocks.Put(a.clock)
		t.actor = nil
	}
}

// event takes an event. While no transaction runs, none matters but the beginning of one: a
// transaction reaches nothing that came before it.
func (x *transactions) event(e *event.Event) {
	if !x.graph.Running() && e.Op != event.Begin {
		return
	}
	if e.Op == event.Split {
		x.split(e.Target, e.Point)
		return
	}
	t := x.replay.thread(e.Thread)
	if t.carrier || e.Flags&event.Silent != 0 {
		x.silent(t, e)
		return
	}
	a := x.act(t)
	switch e.Op {
	case event.Begin:
		x.begin(a, e)
	case event.End:
		x.note(a, e)
		x.graph.End(&a.txn, t)
		x.ends(a)
		return
	case event.Fork:
		x.fork(a, e)
	case event.Join:
		x.join(a, e)
	case event.Touch:
		if !x.replay.orders { // else the check of calls tells which calls conflict
			x.touch(a, e)
		}
	default:
		x.access(a, e)
	}
	x.note(a, e)
}

// note notes the last event of a.
func (x *transactions) note(a *actor, e *event.Event) {
	a.at, a.last = a.clock.Pin(), event.Step{Index: x.replay.index, Event: *e}
}

// happens is the event that a makes at present, for later ones to conflict with.
func (x *transactions) happens(a *actor, e *event.Event) past {
	return past{a.clock.Pin(), x.replay.index, e.Thread, e.Pos}
}

// silent takes an event that conflicts with nothing. A later event meets what this one has left,
// and not what was there before.
func (x *transactions) silent(t *thread, e *event.Event) {
	cells := x.locks
	switch e.Op {
	case event.Fork:
		x.act(x.replay.thread(e.Target)) // no edge leads to it
		return
	case event.Write:
		cells = x.vars
	case event.Release:
	default:
		return
	}
	if uint64(e.Target) < uint64(len(cells)) {
		cells[e.Target].replace(past{})
	}
}

func (x *transactions) begin(a *actor, e *event.Event) {
	if !a.txn.InTransaction() {
		a.begun++
		a.now = event.Transaction{
			Thread: e.Thread, Number: a.begun, Marked: true, First: x.replay.index, Pos: e.Pos,
		}
	}
	x.graph.Begin(&a.txn, a.clock, marked)
}

// ends notes that a transaction of a is over, if it is.
func (x *transactions) ends(a *actor) {
	if a.now.Marked && !a.txn.InTransaction() {
		x.ended.keep(ended{a.now, x.replay.index})
		a.now = event.Transaction{}
	}
}

func (x *transactions) fork(a *actor, e *event.Event) {
	t := x.replay.thread(e.Target)
	if t.carrier || t.actor != nil {
		return
	}
	now := a.clock.Pin()
	t.actor = &actor{clock: clocks.Get()}
	x.times.Start(t.actor.clock)
	x.graph.Fork(&a.txn, now, t.actor.clock.Pin(), atomicity.Edge{
		Kind: atomicity.Go, FromGoid: goid(e.Thread), FromSite: e.Pos, FromWrites: true,
		FromCall: uintptr(x.replay.index), Addr: uintptr(e.Target),
	})
}

// join draws an edge from the last event of a thread. Nothing reaches the epoch of one that did
// nothing.
func (x *transactions) join(a *actor, e *event.Event) {
	if uint64(e.Target) < uint64(len(x.replay.threads)) {
		if t := x.replay.threads[e.Target]; t != nil && t.actor != nil {
			x.draw(a, t.actor.at, &t.actor.last, e, atomicity.Sync)
		}
	}
}

// access takes an access, or synchronization.
func (x *transactions) access(a *actor, e *event.Event) {
	switch e.Op {
	case event.Read, event.Write:
		x.vars = table.Grow(x.vars, e.Target)
		c, kind := &x.vars[e.Target], atomicity.Memory
		if e.Flags&event.Only != 0 {
			kind = atomicity.Atomic
		}
		x.meet(a, &c.last, event.Write, e, kind)
		if e.Op == event.Read {
			c.add(x.happens(a, e), &x.graph)
			return
		}
		for i := range c.since {
			x.meet(a, &c.since[i], event.Read, e, kind)
		}
		c.replace(x.happens(a, e))
	case event.Acquire:
		if uint64(e.Target) < uint64(len(x.locks)) {
			c := &x.locks[e.Target]
			x.meet(a, &c.last, event.Release, e, atomicity.Sync)
			for i := range c.since {
				x.meet(a, &c.since[i], event.ReleaseMerge, e, atomicity.Sync)
			}
		}
	case event.Release:
		x.locks = table.Grow(x.locks, e.Target)
		x.locks[e.Target].replace(x.happens(a, e))
	case event.ReleaseMerge:
		x.locks = table.Grow(x.locks, e.Target)
		x.locks[e.Target].add(x.happens(a, e), &x.graph)
	}
}

// touch takes a touch of a trace that has only touches of calls.
func (x *transactions) touch(a *actor, e *event.Event) {
	x.objects = table.Grow(x.objects, e.Target)
	relation := x.replay.relation
	for _, q := range relation.Conflicts(e.Point) {
		if c := pointAt(x.objects[e.Target], q); c != nil {
			for i := range c.since {
				x.meetPoint(a, &c.since[i], q, e)
			}
		}
	}
	for _, q := range relation.Subsumes(e.Point) {
		if c := pointAt(x.objects[e.Target], q); c != nil {
			c.replace(past{})
		}
	}
	c := pointAt(x.objects[e.Target], e.Point)
	if c == nil {
		x.objects[e.Target] = append(x.objects[e.Target], pointCell{point: e.Point})
		c = pointAt(x.objects[e.Target], e.Point)
	}
	c.add(x.happens(a, e), &x.graph)
}

// split gives a new variable the past of another, of which it was a part.
func (x *transactions) split(part, from uint32) {
	x.vars = table.Grow(x.vars, max(part, from))
	c := x.vars[from]
	c.since = append([]past(nil), c.since...)
	x.vars[part] = c
}

// meet draws the edge from an earlier event of a kind to one that a makes at present.
func (x *transactions) meet(
	a *actor, from *past, op event.Kind, e *event.Event, kind event.Class,
) {
	if from.epoch != 0 && from.thread != e.Thread && x.graph.MayCloseCycle(from.epoch) {
		s := from.step(op, 0, e)
		x.draw(a, from.epoch, &s, e, kind)
	}
}

// meetPoint is meet for touches; the earlier one is of point q.
func (x *transactions) meetPoint(a *actor, from *past, q uint32, e *event.Event) {
	if from.thread != e.Thread {
		s := from.step(event.Touch, q, e)
		x.draw(a, from.epoch, &s, e, atomicity.Object)
	}
}

// draw draws the edge from an earlier event to one that a makes at present, if it can be part of a
// cycle.
func (x *transactions) draw(
	a *actor, epoch vclock.Epoch, from *event.Step, e *event.Event, kind event.Class,
) {
	if x.graph.MayCloseCycle(epoch) {
		to := event.Step{Index: x.replay.index, Event: *e}
		x.graph.AddEdge(&a.txn, a.clock, edgeOf(epoch, from, &to, kind))
	}
}
