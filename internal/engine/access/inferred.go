// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package access

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/atomicity"
	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/engine/counts"
	"github.com/commutego/commute/internal/engine/datarace"
	"github.com/commutego/commute/internal/engine/finding"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/report"
	"github.com/commutego/commute/internal/engine/source"
	"github.com/commutego/commute/internal/engine/stack"
	"github.com/commutego/commute/internal/engine/txn"
	"github.com/commutego/commute/internal/engine/vclock"
	"github.com/commutego/commute/internal/event"
)

// Transactions that nobody has marked: where a function reads a variable in one critical section of a lock, and in a later one
// writes what depends on it, no other goroutine is meant to write the variable in between. The compiler's side (analyzer/checkact) says
// where such reads and writes are; while the function runs, each read notes the last write of what is read, and each write compares.
// That is the only cycle of conflicts that counts here, and it's seen without the graph of package atomicity. So nothing changes for code
// that is marked: for its transactions, these are none.
//
// A write that the goroutine had heard of before it took the lock, through a channel or by waiting for its maker, was asked for or
// arranged, and is not reported.

const (
	sidesKept = compiled.KeptSides
	maxPairs  = 16 // of a function
)

// An activation is one run of such a function.
type activation struct {
	outer offheap.Ref[activation]
	code  uintptr // *Inferred
	depth uintptr
	heard uintptr // the address of the last acquire
	held  int     // locks that were taken, and not let go
	locks [maxHeld]uintptr
	n     int
	looks [maxLooks]look
}

// Reads and writes that count are made under locks. So what g does while it holds none is looked at as ever; under one, each access is, be it
// a repeated one.
const maxHeld = 4

// A look is a read that a later write may depend on.
type look struct {
	addr  uintptr
	last  datarace.Word // the last write then
	known datarace.Word // a later one, that the goroutine has heard of by the lock
	lock  uintptr       // what was acquired last before
	when  vclock.Epoch
	site  uint32
	pairs uint32
}

const maxLooks = 8

var activations offheap.Slab[activation]

var overwrites offheap.Slab[report.LostUpdate]

// BeginInferred tells that g enters such a function. In a transaction that is marked, it's part of that.
func (g *Accessor) BeginInferred(t *txn.Transaction, p *report.Inferred) {
	if g.TimerContext || t.Owner != 0 || g.Txn.InTransaction() {
		return
	}
	counts.Inferred()
	a := activations.Get()
	depth := uintptr(1)
	if outer := g.inferred.P(); outer != nil {
		depth = outer.depth + 1
	}
	*a = activation{outer: g.inferred, code: uintptr(unsafe.Pointer(p)), depth: depth}
	g.inferred = offheap.To(a)
	t.Owner, t.Depth = uintptr(unsafe.Pointer(g)), depth
}

// EndInferred tells that it leaves it.
func (g *Accessor) EndInferred(t *txn.Transaction) {
	if t.Owner != uintptr(unsafe.Pointer(g)) {
		return
	}
	t.Owner = 0
	g.leaveInferred(t.Depth)
}

// leaveInferred ends the runs from a depth on.
func (g *Accessor) leaveInferred(depth uintptr) {
	for a := g.inferred.P(); a != nil && a.depth >= depth; a = g.inferred.P() {
		g.inferred = a.outer
		activations.Put(a)
		g.MemoryClock.P().SetEpochID(0) // the outer one may hold a lock
	}
}

// InferSync tells that g is about to acquire or release at addr, or both.
func (g *Accessor) InferSync(addr uintptr, k event.Kind) {
	if !g.inferred.Nil() {
		g.inferSync(addr, k)
	}
}

func (g *Accessor) inferSync(addr uintptr, k event.Kind) {
	switch {
	case g.InCall && (k == event.PlainLoad || k == event.PlainStore || k == event.PlainRMW):
	case k.Acquires() && k.Releases():
		g.hear(addr)
	case k.Acquires():
		g.takes(addr)
	case k.Releases() && k != event.TimerSet:
		g.letsGo(addr)
	}
}

// takes comes before g acquires at addr: that may be a lock.
func (g *Accessor) takes(addr uintptr) {
	g.hear(addr)
	a := g.inferred.P()
	g.MemoryClock.P().SetEpochID(0)
	for i := range min(a.held, maxHeld) {
		if near(a.locks[i], addr) {
			return
		}
	}
	if a.held < maxHeld {
		a.locks[a.held] = addr
	}
	a.held++ // if there are too many, it's as if one were never let go
}

// letsGo comes when g releases at addr.
func (g *Accessor) letsGo(addr uintptr) {
	a := g.inferred.P()
	for i := range a.held {
		if a.held <= maxHeld && near(a.locks[i], addr) {
			a.held--
			a.locks[i] = a.locks[a.held]
			return
		}
	}
}

// hear comes before g acquires, at addr, what others have released.
func (g *Accessor) hear(addr uintptr) {
	for a := g.inferred.P(); a != nil; a = a.outer.P() {
		for i := 0; i < a.n; i++ {
			l := &a.looks[i]
			w, ok := datarace.LastWrite(l.addr)
			if w == l.last || w == l.known || !ok {
				continue
			}
			if _, when, foreign := g.Memory.MadeBy(w); foreign && g.MemoryClock.P().Knows(when) {
				if near(a.heard, l.lock) {
					l.known = w
				} else {
					a.drop(i)
					i--
				}
			}
		}
		a.heard = addr
	}
}

// near reports whether two addresses are of one lock: an RWMutex has two words that are acquired.
func near(a, b uintptr) bool { return a-b+4 <= 8 }

func (a *activation) drop(i int) {
	a.n--
	a.looks[i] = a.looks[a.n]
}

// infer looks at an access by g, which is in such a function. It reports whether there is something to report.
func (g *Accessor) infer(addr uintptr, kind int, site uint32) bool {
	a := g.inferred.P()
	if kind&datarace.Atomic != 0 || site <= datarace.CutOff {
		return false
	}
	reads, writes := sidesOf(a.inferred(), site)
	switch {
	case kind == datarace.Write && writes != 0:
		return g.act(a, addr, site, writes)
	case kind != datarace.Write && reads != 0:
		g.look(a, addr, site, reads)
	}
	return false
}

// look notes a read.
func (g *Accessor) look(a *activation, addr uintptr, site, pairs uint32) {
	i := 0
	for i < a.n && a.looks[i].addr != addr {
		i++
	}
	w, ok := datarace.LastWrite(addr)
	switch {
	case !ok:
		if i < a.n {
			a.drop(i)
		}
		return
	case i == maxLooks:
		return
	case i == a.n:
		a.n++
	}
	a.looks[i] = look{addr, w, 0, a.heard, g.MemoryClock.P().Now(), site, pairs}
}

// act compares a write with the read that it depends on.
func (g *Accessor) act(a *activation, addr uintptr, site, pairs uint32) bool {
	for i := range a.n {
		l := a.looks[i]
		if l.addr != addr || l.pairs&pairs == 0 {
			continue
		}
		a.drop(i)
		w, ok := datarace.LastWrite(addr)
		if !ok || w == l.last || !source.Counts(w.Site()) {
			return false
		}
		other, when, foreign := g.Memory.MadeBy(w)
		if !foreign || !g.lost.Nil() {
			return false
		}
		b := overwrites.Get()
		*b = report.LostUpdate{Pair: lowest(l.pairs & pairs)}
		c := &b.Cycle
		c.Code, c.Goid, c.N = &a.inferred().Code, host.Goid(), 2
		c.From[0], c.To[1] = c.Code, c.Code
		c.Edges[0] = atomicity.Edge{
			Kind: atomicity.Memory, Addr: addr, From: l.when, FromGoid: c.Goid, FromSite: l.site,
			To: when, ToGoid: other, ToSite: w.Site(), ToWrites: true,
		}
		c.Edges[1] = atomicity.Edge{
			Kind: atomicity.Memory, Addr: addr, From: when, FromGoid: other, FromSite: w.Site(), FromWrites: true,
			To: g.MemoryClock.P().Now(), ToGoid: c.Goid, ToSite: site, ToWrites: true,
		}
		g.lost = offheap.To(b)
		return true
	}
	return false
}

func lowest(set uint32) (i uint32) {
	for set>>i&1 == 0 {
		i++
	}
	return i
}

// tellLost reports what act has found.
func (g *Accessor) tellLost() {
	b := g.lost.P()
	if b == nil {
		return
	}
	g.lost = offheap.Ref[report.LostUpdate]{}
	finding.Cycle(&b.Cycle, g.Test.P(), b)
	overwrites.Put(b)
}

// inferred is the function.
func (a *activation) inferred() *report.Inferred {
	return *(**report.Inferred)(unsafe.Pointer(&a.code))
}

// sidesOf says of which pairs of a function a site is the read, and of which it is the write.
func sidesOf(p *report.Inferred, site uint32) (reads, writes uint32) {
	at := &p.Sides[site%sidesKept]
	if v := at.Load(); v>>32 == uint64(site) {
		return uint32(v) & (1<<maxPairs - 1), uint32(v) >> maxPairs
	}
	for i := range min(len(p.Pairs), maxPairs) {
		pair := &p.Pairs[i]
		if isAt(site, pair.Read, pair.ReadBy) {
			reads |= 1 << i
		}
		if isAt(site, pair.Write, pair.WriteBy) {
			writes |= 1 << i
		}
	}
	at.Store(uint64(site)<<32 | uint64(writes<<maxPairs|reads))
	return reads, writes
}

// isAt reports whether a site is on a line, in a function that is called on another, if there is one.
func isAt(site uint32, place, by compiled.Line) (found bool) {
	stack.EachLine(site, func(file string, line int) bool {
		found = line == place.Number && file == place.File
		if !found || by.Number == 0 {
			return false
		}
		place, by = by, compiled.Line{}
		return true
	})
	return found && by.Number == 0
}
