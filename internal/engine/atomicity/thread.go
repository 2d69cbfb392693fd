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

// A Place is code that is marked as atomic, as the program's own data has it.
type Place = compiled.Place

// A Thread makes the events of one goroutine. The zero Thread is ready for use; its clock is what tells the epochs of its
// events.
type Thread struct {
	txn    offheap.Ref[Transaction]
	depth  uint32      // transactions that it is in, one in another
	Hidden bool        // what it does now is part of a call that counts as one event
	lines  [noted]line // edges that were noted since the present transaction or unary event began
}

// A line is how many edges were noted from one event, of one kind.
type line struct {
	key  uint32 // slot and kind, and 1
	from vclock.Epoch
	n    uint32
	when vclock.Epoch
}

const (
	noted    = 8
	maxNoted = 4 // edges from one event and of one kind that are kept for a transaction
)

// A Transaction is one that is running.
type Transaction struct {
	place   uintptr // *Place
	thread  offheap.Ref[Thread]
	clock   offheap.Ref[vclock.Thread]
	slot    uint32
	index   uint32 // in running
	begin   vclock.Epoch
	goid    uint64
	reaches frontier
	closing Edge   // the edge that closed a cycle; zero if none did
	closed  uint64 // how many edges were noted before that
	turned  ended  // what it did by another clock, before the present one; zero for nothing
}

// has reports whether an event is one of x's.
func (x *Transaction) has(e vclock.Epoch) bool {
	return e.Slot() == x.slot && e >= x.begin || x.turned.has(e)
}

var transactions offheap.Slab[Transaction]

// In reports whether t is in a transaction.
func (t *Thread) In() bool { return t.depth != 0 }

// Began is the first epoch of the transaction that t is in, 0 if it's in none.
func (t *Thread) Began() vclock.Epoch {
	if x := t.txn.P(); x != nil {
		return x.begin
	}
	return 0
}

// Begin begins a transaction of t, whose clock is c, at p, or one inside of that in which it is.
func (t *Thread) Begin(c *vclock.Thread, p *Place) {
	if t.depth++; t.depth > 1 {
		return
	}
	c.Advance() // what was before is not part of it
	x := transactions.Get()
	*x = Transaction{place: uintptr(unsafe.Pointer(p)), thread: offheap.To(t), clock: offheap.To(c), begin: c.Bear(), goid: host.Goid()}
	x.slot = x.begin.Slot()
	g := &graph
	g.lock.Lock()
	g.add(x)
	t.txn = offheap.To(x)
	g.lock.Unlock()
}

// Turn tells that the events of t, whose clock was old, are known by the epochs of another from here on.
func (t *Thread) Turn(old, c *vclock.Thread) {
	g := &graph
	g.lock.Lock()
	was, first := old.Now(), c.Bear()
	e := Edge{From: was, To: first, Kind: Turned}
	x := t.txn.P()
	related := x != nil
	if x != nil {
		x.turned = ended{x.place, x.begin, was, x.goid}
		was = x.begin
		x.clock = offheap.To(c)
		x.begin, x.slot = first, first.Slot()
		x.reach(was)
		g.lower(x.slot, first.Time())
	}
	for i := range g.n.Load() {
		if b := g.at(i); b != x && b.reached(was) {
			b.reach(first)
			related = true
		}
	}
	if related {
		g.note(&e)
	}
	g.lock.Unlock()
}

// End ends the transaction of t that began last. If it is the outermost, and was found to be on a cycle, the cycle is
// handed to s.
func (t *Thread) End(s Sink) {
	if t.depth == 0 {
		return
	}
	if t.depth--; t.depth > 0 {
		return
	}
	x := t.txn.P()
	drop := x.closing.From != 0 && !s.Wants(placeAt(x.place))
	g := &graph
	g.lock.Lock()
	if drop {
		x.closing = Edge{}
	}
	found := x.cycle()
	g.remove(x)
	t.txn = offheap.Ref[Transaction]{}
	g.lock.Unlock()
	x.clock.P().Advance()
	x.reaches.drop()
	transactions.Put(x)
	if found != nil {
		s.Cycle(found)
		cycles.Put(found)
	}
}

// Leave ends all transactions of t, which does nothing any more.
func (t *Thread) Leave(s Sink) {
	if t.depth > 0 {
		t.depth = 1
		t.End(s)
	}
}

// Flush hands the cycles of transactions to s that are still running, at the end of the program.
func Flush(s Sink) {
	g := &graph
	for i := uint32(0); i < g.n.Load(); i++ {
		var found *Cycle
		g.lock.Lock()
		if i < g.n.Load() {
			found = g.at(i).cycle()
			g.at(i).closing = Edge{}
		}
		g.lock.Unlock()
		if found != nil {
			s.Cycle(found)
			cycles.Put(found)
		}
	}
}

// Fork tells that a goroutine begins whose first epoch is first, which it bears (see [vclock.Thread.Bear]), and which t, at
// its epoch now, has started. A nil t is one that nobody watches.
func Fork(t *Thread, now, first vclock.Epoch, e Edge) {
	g := &graph
	if g.n.Load() == 0 {
		return
	}
	g.lock.Lock()
	g.bear(first)
	for i := range g.n.Load() {
		x := g.at(i)
		if r := x.reaches.get(first.Slot()); r != nil && r.until == 0 {
			r.until = first.Time() // what is reached was another's
		}
	}
	if t != nil && g.leastOf(now) {
		related := false
		for i := range g.n.Load() {
			if x := g.at(i); x.reached(now) {
				x.reach(first)
				related = true
			}
		}
		if related {
			e.From, e.To = now, first
			g.note(&e)
		}
	}
	g.lock.Unlock()
}
