// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package atomicity

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/vclock"
)

// A Place is code that is marked as atomic, as the program's own data has it.
type AtomicCode struct {
	Name string // of the function
	Pos  string // file:line
	// Straight is whether it makes the same accesses, whatever it reads from variables.
	ValueIndependent bool
}

// A Thread makes the events of one goroutine. The zero Thread is ready for use; its clock is what tells the epochs of its
// events.
type Thread struct {
	txn    offheap.Ref[Transaction]
	depth  uint32                // transactions that it is in, one in another
	InCall bool                  // what it does now is part of a call that counts as one event
	kept   [maxSources]keptEdges // edges that were noted since the present transaction or unary event began
}

// A line is how many edges were noted from one event, of one kind.
type keptEdges struct {
	key  uint32 // slot and kind, and 1
	from vclock.Epoch
	n    uint32
	when vclock.Epoch
}

const (
	maxSources   = 8
	maxPerSource = 4 // edges from one event and of one kind that are kept for a transaction
)

// A Transaction is one that is running.
type Transaction struct {
	code        uintptr // *Place
	thread      offheap.Ref[Thread]
	clock       offheap.Ref[vclock.Thread]
	slot        uint32
	index       uint32 // in running
	begin       vclock.Epoch
	goid        uint64
	frontier    frontier
	closing     Edge     // the edge that closed a cycle; zero if none did
	edgesBefore uint64   // how many edges were noted before that
	earlier     finished // what it did by another clock, before the present one; zero for nothing
}

// has reports whether an event is one of x's.
func (x *Transaction) contains(e vclock.Epoch) bool {
	return e.Slot() == x.slot && e >= x.begin || x.earlier.contains(e)
}

var transactions offheap.Slab[Transaction]

// In reports whether t is in a transaction.
func (t *Thread) InTransaction() bool { return t.depth != 0 }

// Began is the first epoch of the transaction that t is in, 0 if it's in none.
func (t *Thread) BeginEpoch() vclock.Epoch {
	if x := t.txn.P(); x != nil {
		return x.begin
	}
	return 0
}

// Begin begins a transaction of t, whose clock is c, at p, or one inside of that in which it is.
func (g *Graph) Begin(t *Thread, c *vclock.Thread, p *AtomicCode) {
	if t.depth++; t.depth > 1 {
		return
	}
	c.Advance() // what was before is not part of it
	x := transactions.Get()
	*x = Transaction{code: uintptr(unsafe.Pointer(p)), thread: offheap.To(t), clock: offheap.To(c), begin: c.Pin(), goid: host.Goid()}
	x.slot = x.begin.Slot()
	g.lock.Lock()
	g.add(x)
	t.txn = offheap.To(x)
	g.lock.Unlock()
}

// Turn tells that the events of t, whose clock was old, are known by the epochs of another from here on.
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

// End ends the transaction of t that began last. If it is the outermost, and was found to be on a cycle, the cycle is
// handed to s.
func (g *Graph) End(t *Thread, s Sink) {
	if t.depth == 0 {
		return
	}
	if t.depth--; t.depth > 0 {
		return
	}
	x := t.txn.P()
	drop := x.closing.From != 0 && !s.Wants(codeAt(x.code))
	g.lock.Lock()
	if drop {
		x.closing = Edge{}
	}
	found := g.findCycle(x)
	g.remove(x)
	t.txn = offheap.Ref[Transaction]{}
	g.lock.Unlock()
	x.clock.P().Advance()
	x.frontier.drop()
	transactions.Put(x)
	if found != nil {
		s.Cycle(found)
		cycles.Put(found)
	}
}

// Leave ends all transactions of t, which does nothing any more.
func (g *Graph) EndAll(t *Thread, s Sink) {
	if t.depth > 0 {
		t.depth = 1
		g.End(t, s)
	}
}

// Flush hands the cycles of transactions to s that are still running, at the end of the program.
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

// Fork tells that a goroutine begins whose first epoch is first, which it bears (see [vclock.Thread.Pin]), and which t, at
// its epoch now, has started. A nil t is one that nobody watches.
func (g *Graph) Fork(t *Thread, now, first vclock.Epoch, e Edge) {
	if g.nRunning.Load() == 0 {
		return
	}
	g.lock.Lock()
	g.noteBirth(first)
	for i := range g.nRunning.Load() {
		x := g.runningAt(i)
		if r := x.frontier.get(first.Slot()); r != nil && r.until == 0 {
			r.until = first.Time() // what is reached was another's
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
