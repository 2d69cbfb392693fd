// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package access

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/engine/counts"
	"github.com/commutego/commute/internal/engine/datarace"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/report"
	"github.com/commutego/commute/internal/engine/txn"
	"github.com/commutego/commute/internal/engine/vclock"
	"github.com/commutego/commute/internal/event"
)

// A transaction is inferred where a function reads a variable in one critical section of a lock,
// and a later one writes what depends on it. No other goroutine is meant to write the variable in
// between: that would be a lost update.
//
// The analysis at compile time (analyzer/checkact) says where such reads and writes are. While the
// function runs, each read notes the last write of the variable, and each write compares. That is
// the only cycle of conflicts that counts here, and it is seen without the graph of package
// atomicity. So nothing changes for marked code, for whose transactions these are none.
//
// A write of which the goroutine has learned before it took the lock is not reported. It has
// learned of it through a channel, or by waiting for its writer, so it has asked for it or arranged
// it.

const (
	sidesKept = compiled.KeptSides
	maxPairs  = 16 // of a function
)

// An activation is one run of a function with inferred transactions.
type activation struct {
	outer    offheap.Ref[activation] // the activation that it is in
	code     uintptr                 // the function, a *report.Inferred
	depth    uintptr                 // how many activations g was in at its begin, itself included
	acquired uintptr                 // the address of the last acquire
	held     int                     // how many locks were taken, and not released
	locks    [maxHeld]uintptr
	nReads   int
	reads    [maxReads]earlierRead
}

// maxHeld is how many locks are told apart. Reads and writes that count are made under locks. So
// accesses are looked at as ever while g holds none. Under a lock each access is, also if it
// repeats an earlier one.
const maxHeld = 4

// An earlierRead is a read that a later write may depend on.
type earlierRead struct {
	addr        uintptr
	lastWrite   datarace.Word // the last write before it
	joinedWrite datarace.Word // a later one, of which the goroutine has learned by the lock
	acquired    uintptr       // the address of the last acquire before it
	epoch       vclock.Epoch
	site        uint32
	pairs       uint32
}

// maxReads is how many reads of an activation are kept.
const maxReads = 8

var activationSlab offheap.Slab[activation]

var lostUpdates offheap.Slab[report.LostUpdate]

// BeginInferred notes that g enters such a function. In a marked transaction, it is part of that.
func (g *Accessor) BeginInferred(t *txn.Transaction, p *report.Inferred) {
	if g.TimerContext || t.Owner != 0 || g.Txn.InTransaction() {
		return
	}
	counts.Inferred()
	a := activationSlab.Get()
	depth := uintptr(1)
	if outer := g.activation.P(); outer != nil {
		depth = outer.depth + 1
	}
	*a = activation{outer: g.activation, code: uintptr(unsafe.Pointer(p)), depth: depth}
	g.activation = offheap.To(a)
	t.Owner, t.Depth = uintptr(unsafe.Pointer(g)), depth
}

// EndInferred notes that g leaves the function.
func (g *Accessor) EndInferred(t *txn.Transaction) {
	if t.Owner != uintptr(unsafe.Pointer(g)) {
		return
	}
	t.Owner = 0
	g.endActivations(t.Depth)
}

// endActivations ends the activations from a depth on.
func (g *Accessor) endActivations(depth uintptr) {
	for a := g.activation.P(); a != nil && a.depth >= depth; a = g.activation.P() {
		g.activation = a.outer
		activationSlab.Put(a)
		g.MemoryClock.P().SetEpochID(0) // the outer one may hold a lock
	}
}

// InferSync notes that g is about to acquire or release at addr, or both.
func (g *Accessor) InferSync(addr uintptr, k event.Kind) {
	if !g.activation.Nil() {
		g.inferSync(addr, k)
	}
}

// inferSync is InferSync in an activation.
func (g *Accessor) inferSync(addr uintptr, k event.Kind) {
	switch {
	case g.InCall && (k == event.PlainLoad || k == event.PlainStore || k == event.PlainRMW):
	case k.Acquires() && k.Releases():
		g.inferJoin(addr)
	case k.Acquires():
		g.inferAcquire(addr)
	case k.Releases() && k != event.TimerSet:
		g.inferRelease(addr)
	}
}

// inferAcquire comes before g acquires at addr, which may be a lock.
func (g *Accessor) inferAcquire(addr uintptr) {
	g.inferJoin(addr)
	a := g.activation.P()
	g.MemoryClock.P().SetEpochID(0)
	for i := range min(a.held, maxHeld) {
		if sameLock(a.locks[i], addr) {
			return
		}
	}
	if a.held < maxHeld {
		a.locks[a.held] = addr
	}
	a.held++ // if there are too many, it is as if one were never released
}

// inferRelease comes when g releases at addr.
func (g *Accessor) inferRelease(addr uintptr) {
	a := g.activation.P()
	for i := range a.held {
		if a.held <= maxHeld && sameLock(a.locks[i], addr) {
			a.held--
			a.locks[i] = a.locks[a.held]
			return
		}
	}
}

// inferJoin comes before g acquires, at addr, what others have released. A write that g knows by
// now was not between the read and the write of a transaction. The exception is a write of which g
// has learned by the lock that it takes again.
func (g *Accessor) inferJoin(addr uintptr) {
	for a := g.activation.P(); a != nil; a = a.outer.P() {
		for i := 0; i < a.nReads; i++ {
			read := &a.reads[i]
			last, ok := datarace.LastWrite(read.addr)
			if last == read.lastWrite || last == read.joinedWrite || !ok {
				continue
			}
			if _, epoch, byOther := g.Memory.MadeBy(last); byOther &&
				g.MemoryClock.P().Knows(epoch) {
				if sameLock(a.acquired, read.acquired) {
					read.joinedWrite = last
				} else {
					a.drop(i)
					i--
				}
			}
		}
		a.acquired = addr
	}
}

// sameLock reports whether two addresses are of one lock: an RWMutex has two words that are
// acquired.
func sameLock(a, b uintptr) bool { return a-b+4 <= 8 }

// drop forgets the i-th read.
func (a *activation) drop(i int) {
	a.nReads--
	a.reads[i] = a.reads[a.nReads]
}
