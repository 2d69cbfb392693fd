// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package atomicity

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/vclock"
)

// An AtomicCode is code that is marked as atomic, as the program's own data has it.
type AtomicCode = compiled.AtomicCode

// A Thread makes the events of one goroutine. The zero Thread is ready for use. Calls say which
// clock the epochs of its events come from.
type Thread struct {
	txn    offheap.Ref[Transaction]
	depth  uint32               // transactions that it is in, one in another
	InCall bool                 // what it does now is part of a call that counts as one event
	Left   bool                 // what it does now decides nothing, and is left out
	Acted  bool                 // the transaction has made an event
	kept   offheap.Ref[sources] // counts of edges into the present transaction or unary event
}

// A Transaction is one that is running.
type Transaction struct {
	code        uintptr // *AtomicCode
	thread      offheap.Ref[Thread]
	clock       offheap.Ref[vclock.Thread]
	slot        uint32
	index       uint32 // in Graph.running
	begin       vclock.Epoch
	goid        uint64
	frontier    frontier
	closing     Edge     // the closing edge, zero for none
	edgesBefore uint64   // the number of edges that were kept before that
	earlier     finished // the part before a clock change, zero for none
}

// contains reports whether an event is one of x's.
func (x *Transaction) contains(e vclock.Epoch) bool {
	return e.Slot() == x.slot && e >= x.begin || x.earlier.contains(e)
}

var transactions offheap.Slab[Transaction]

// Depth is how many transactions t is in, one inside of another.
func (t *Thread) Depth() uint32 { return t.depth }

// Code is that of the outermost transaction that t is in, 0 if it's in none.
func (t *Thread) Code() uintptr {
	if x := t.txn.P(); x != nil {
		return x.code
	}
	return 0
}

// InTransaction reports whether t is in a transaction.
func (t *Thread) InTransaction() bool { return t.depth != 0 }

// BeginEpoch is the first epoch of the transaction that t is in, 0 if it's in none.
func (t *Thread) BeginEpoch() vclock.Epoch {
	if x := t.txn.P(); x != nil {
		return x.begin
	}
	return 0
}

// Begin begins a transaction of t, whose clock is c, in the code p; or one inside of that in
// which t is.
func (g *Graph) Begin(t *Thread, c *vclock.Thread, p *AtomicCode) {
	if t.depth++; t.depth > 1 {
		return
	}
	c.Advance() // what was before has another epoch, and is not part of it
	t.Acted, t.Left = false, false
	x := transactions.Get()
	*x = Transaction{
		code: uintptr(unsafe.Pointer(p)), thread: offheap.To(t), clock: offheap.To(c),
		begin: c.Pin(), goid: host.Goid(),
	}
	x.slot = x.begin.Slot()
	g.lock.Lock()
	g.add(x)
	t.txn = offheap.To(x)
	g.lock.Unlock()
}

// Again ends the transaction of t, and those that it is inside of, and begins them anew: what they
// have done so far decides nothing that they do from now on. If it is on a cycle, s gets that.
func (g *Graph) Again(t *Thread, s Sink) {
	x, depth := t.txn.P(), t.depth
	if x == nil {
		return
	}
	c, p := x.clock.P(), codeAt(x.code)
	t.depth = 1
	g.End(t, s)
	g.Begin(t, c, p)
	t.depth = depth
}

// Fresh reports whether t is in a transaction that has made no event yet.
func (t *Thread) Fresh() bool { return t.depth != 0 && !t.Acted }

// ChangeClock reports that the events of t, whose clock was old, have epochs of c from now on.
// The two clocks have different slots. What reaches the thread's present by the old clock reaches
// its first epoch by the new one.
func (g *Graph) ChangeClock(t *Thread, old, c *vclock.Thread) {
	g.lock.Lock()
	last, first := old.Now(), c.Pin()
	e := Edge{From: last, To: first, Kind: ClockChange}
	x := t.txn.P()
	relevant := x != nil
	if x != nil {
		x.earlier = finished{x.code, x.begin, last, x.goid}
		last = x.begin
		x.clock = offheap.To(c)
		x.begin, x.slot = first, first.Slot()
		g.extend(x, last)
		g.lowerEarliest(x.slot, first.Time())
	}
	for i := range g.nRunning.Load() {
		if b := g.runningAt(i); b != x && b.reachesEpoch(last) {
			g.extend(b, first)
			relevant = true
		}
	}
	if relevant {
		g.keepEdge(&e)
	}
	g.lock.Unlock()
}

// End ends the transaction of t that began last. If it is the outermost, and on a cycle, s gets the
// cycle.
func (g *Graph) End(t *Thread, s Sink) {
	if t.depth == 0 {
		return
	}
	if t.depth--; t.depth > 0 {
		return
	}
	t.Left = false
	x := t.txn.P()
	// The sink is asked before the lock is taken: it may take locks of its own.
	drop := x.closing.From != 0 && !s.Wants(codeAt(x.code))
	g.lock.Lock()
	if drop {
		x.closing = Edge{}
	}
	found := g.findCycle(x)
	g.remove(x)
	t.txn = offheap.Ref[Transaction]{}
	g.lock.Unlock()
	x.clock.P().Advance() // what comes after has another epoch, and is not part of it
	x.frontier.drop()
	transactions.Put(x)
	if found != nil {
		s.Cycle(found)
		cycles.Put(found)
	}
}

// EndAll ends all transactions of t, which makes no more events.
func (g *Graph) EndAll(t *Thread, s Sink) {
	if t.depth > 0 {
		t.depth = 1
		g.End(t, s)
	}
	t.dropKept()
}

// Flush gives s the cycles of transactions that are still running, at the end of the program.
func (g *Graph) Flush(s Sink) {
	for i := uint32(0); i < g.nRunning.Load(); i++ {
		var found *Cycle
		g.lock.Lock()
		if i < g.nRunning.Load() {
			found = g.findCycle(g.runningAt(i))
			g.runningAt(i).closing = Edge{}
		}
		g.lock.Unlock()
		if found != nil {
			s.Cycle(found)
			cycles.Put(found)
		}
	}
}

// Fork reports that t, at its epoch now, has started a goroutine whose first epoch is first. The
// caller has pinned first (see [vclock.Thread.Pin]). T is nil if the creator is not watched.
func (g *Graph) Fork(t *Thread, now, first vclock.Epoch, e Edge) {
	if g.nRunning.Load() == 0 {
		return
	}
	g.lock.Lock()
	g.noteBirth(first)
	for i := range g.nRunning.Load() {
		x := g.runningAt(i)
		if r := x.frontier.get(first.Slot()); r != nil && r.until == 0 {
			r.until = first.Time() // what is reached was of the slot's earlier goroutine
		}
	}
	if t != nil && g.mayReach(now) {
		relevant := false
		for i := range g.nRunning.Load() {
			if x := g.runningAt(i); x.reachesEpoch(now) {
				g.extend(x, first)
				relevant = true
			}
		}
		if relevant {
			e.From, e.To = now, first
			g.keepEdge(&e)
		}
	}
	g.lock.Unlock()
}
