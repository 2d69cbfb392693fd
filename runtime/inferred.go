// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package runtime

import (
	"sync/atomic"
	"unsafe"

	"github.com/commutego/commute/internal/engine/atomicity"
	"github.com/commutego/commute/internal/engine/datarace"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/vclock"
)

// Transactions that nobody has marked: where a function reads a variable in one critical section of a lock, and in a later one
// writes what depends on it, no other goroutine is meant to write the variable in between. The compiler's side (analyzer/checkact) says
// where such reads and writes are; while the function runs, each read notes the last write of what is read, and each write compares.
// That is the only cycle of conflicts that counts here, and it's seen without the graph of package atomicity. So nothing changes for code
// that is marked: for its transactions, these are none.
//
// A write that the goroutine had heard of before it took the lock, through a channel or by waiting for its maker, was asked for or
// arranged, and is not reported.

// Inferred is a function with such reads and writes; the layout is shared with the code that is injected.
type Inferred struct {
	atomicity.AtomicCode
	// Pairs has a line for each: the place of the read, of the call of the helper that reads or nothing, and of the write the same two,
	// separated by tabs.
	Pairs string
	sides [sidesKept]atomic.Uint64 // of sites, by their numbers, which are in the high halves: the pairs whose read, and whose write, they are
}

const (
	sidesKept = 64
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

// An overwritten is what is to be reported.
type overwritten struct {
	cycle atomicity.Cycle
	pair  uint32
}

var overwrites offheap.Slab[overwritten]

// BeginInferred tells that g enters such a function. In a transaction that is marked, it's part of that.
func (g *Goroutine) BeginInferred(t *Transaction, p *Inferred) {
	if g == nil || g.carrier || t.owner != 0 || g.txn.InTransaction() {
		return
	}
	countInferred()
	a := activations.Get()
	depth := uintptr(1)
	if outer := g.inferred.P(); outer != nil {
		depth = outer.depth + 1
	}
	*a = activation{outer: g.inferred, code: uintptr(unsafe.Pointer(p)), depth: depth}
	g.inferred = offheap.To(a)
	t.owner, t.depth = uintptr(unsafe.Pointer(g)), depth
}

// EndInferred tells that it leaves it.
func (g *Goroutine) EndInferred(t *Transaction) {
	if g == nil || t.owner != uintptr(unsafe.Pointer(g)) {
		return
	}
	t.owner = 0
	g.leaveInferred(t.depth)
}

// leaveInferred ends the runs from a depth on.
func (g *Goroutine) leaveInferred(depth uintptr) {
	for a := g.inferred.P(); a != nil && a.depth >= depth; a = g.inferred.P() {
		g.inferred = a.outer
		activations.Put(a)
		g.line.P().SetEpochID(0) // the outer one may hold a lock
	}
}

// takes comes before g acquires at addr: that may be a lock.
func (g *Goroutine) takes(addr uintptr) {
	g.hear(addr)
	a := g.inferred.P()
	g.line.P().SetEpochID(0)
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
func (g *Goroutine) letsGo(addr uintptr) {
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
func (g *Goroutine) hear(addr uintptr) {
	for a := g.inferred.P(); a != nil; a = a.outer.P() {
		for i := 0; i < a.n; i++ {
			l := &a.looks[i]
			w, ok := datarace.LastWrite(l.addr)
			if w == l.last || w == l.known || !ok {
				continue
			}
			if _, when, foreign := g.memory.MadeBy(w); foreign && g.line.P().Knows(when) {
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
func (g *Goroutine) infer(addr uintptr, kind int, site uint32) bool {
	a := g.inferred.P()
	if kind&datarace.Atomic != 0 || site <= datarace.CutOff {
		return false
	}
	reads, writes := (*(**Inferred)(unsafe.Pointer(&a.code))).sidesOf(site)
	switch {
	case kind == datarace.Write && writes != 0:
		return g.act(a, addr, site, writes)
	case kind != datarace.Write && reads != 0:
		g.look(a, addr, site, reads)
	}
	return false
}

// look notes a read.
func (g *Goroutine) look(a *activation, addr uintptr, site, pairs uint32) {
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
	a.looks[i] = look{addr, w, 0, a.heard, g.line.P().Now(), site, pairs}
}

// act compares a write with the read that it depends on.
func (g *Goroutine) act(a *activation, addr uintptr, site, pairs uint32) bool {
	for i := range a.n {
		l := a.looks[i]
		if l.addr != addr || l.pairs&pairs == 0 {
			continue
		}
		a.drop(i)
		w, ok := datarace.LastWrite(addr)
		if !ok || w == l.last || !counts(w.Site()) {
			return false
		}
		other, when, foreign := g.memory.MadeBy(w)
		if !foreign || !g.lost.Nil() {
			return false
		}
		b := overwrites.Get()
		*b = overwritten{pair: lowest(l.pairs & pairs)}
		c := &b.cycle
		c.Code, c.Goid, c.N = &(*(**Inferred)(unsafe.Pointer(&a.code))).AtomicCode, host.Goid(), 2
		c.From[0], c.To[1] = c.Code, c.Code
		c.Edges[0] = atomicity.Edge{
			Kind: atomicity.Memory, Addr: addr, From: l.when, FromGoid: c.Goid, FromSite: l.site,
			To: when, ToGoid: other, ToSite: w.Site(), ToWrites: true,
		}
		c.Edges[1] = atomicity.Edge{
			Kind: atomicity.Memory, Addr: addr, From: when, FromGoid: other, FromSite: w.Site(), FromWrites: true,
			To: g.line.P().Now(), ToGoid: c.Goid, ToSite: site, ToWrites: true,
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
func (g *Goroutine) tellLost() {
	b := g.lost.P()
	if b == nil {
		return
	}
	g.lost = offheap.Ref[overwritten]{}
	tellCycle(&b.cycle, g.test.P(), b)
	overwrites.Put(b)
}

// sidesOf says of which pairs a site is the read, and of which it is the write.
func (p *Inferred) sidesOf(site uint32) (reads, writes uint32) {
	at := &p.sides[site%sidesKept]
	if v := at.Load(); v>>32 == uint64(site) {
		return uint32(v) & (1<<maxPairs - 1), uint32(v) >> maxPairs
	}
	i := 0
	p.each(func(read, readBy, write, writeBy string) {
		if i < maxPairs && isAt(site, read, readBy) {
			reads |= 1 << i
		}
		if i < maxPairs && isAt(site, write, writeBy) {
			writes |= 1 << i
		}
		i++
	})
	at.Store(uint64(site)<<32 | uint64(writes<<maxPairs|reads))
	return reads, writes
}

// each calls f for each pair.
func (p *Inferred) each(f func(read, readBy, write, writeBy string)) {
	var line string
	for rest := p.Pairs; rest != ""; {
		line, rest = cut(rest, '\n')
		read, s := cut(line, '\t')
		readBy, s := cut(s, '\t')
		write, writeBy := cut(s, '\t')
		f(read, readBy, write, writeBy)
	}
}

// isAt reports whether a site is at a place, "file:line", in a function that is called at another, if that is not empty.
func isAt(site uint32, place, by string) (found bool) {
	n := 0
	eachLine(site, func(file string, line int) bool {
		found = isPlace(file, line, place)
		if !found || by == "" {
			return false
		}
		place, by = by, ""
		n++
		return true
	})
	return found && by == ""
}

func isPlace(file string, line int, place string) bool {
	if !hasPrefix(place, file) || len(place) <= len(file) || place[len(file)] != ':' {
		return false
	}
	n, ok := number(place[len(file)+1:])
	return ok && n == line
}

// eachLine calls f for the places of a site's frames, innermost first, until f returns false. It allocates nothing.
func eachLine(site uint32, f func(file string, line int) bool) {
	for ; site > datarace.CutOff; site = datarace.Caller(site) {
		for i := 0; ; i++ {
			file, line, ok := host.LineAt(datarace.PC(site), i)
			if !ok {
				break
			}
			if !hasPrefix(file, "commute/") && !f(file, line) {
				return
			}
		}
	}
}

// printInferred writes a report, as printViolation does.
func printInferred(b *buffer, x *overwritten) {
	c := &x.cycle
	b.texts(ruler, "WARNING: ATOMICITY VIOLATION\n")
	function(b, c.Code.Name)
	i := uint32(0)
	(*Inferred)(unsafe.Pointer(c.Code)).each(func(read, _, write, _ string) {
		if i == x.pair {
			b.texts(" reads at ", stripped(read), ", and writes what depends on it at ", stripped(write))
		}
		i++
	})
	b.text(": goroutine ")
	b.uint(c.Goid)
	b.text(" was interfered with by ")
	others(b, c)
	b.text("\n\n")
	printCycle(b, c)
	b.text("\nWhat can go wrong: lost update: what was written in between is lost, and what has taken its place was made of an older value\n")
	b.text("Evidence: observed: this has happened, in this order\n")
	b.text(ruler)
}
