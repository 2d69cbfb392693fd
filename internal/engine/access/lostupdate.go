// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package access

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/atomicity"
	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/engine/datarace"
	"github.com/commutego/commute/internal/engine/finding"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/report"
	"github.com/commutego/commute/internal/engine/source"
	"github.com/commutego/commute/internal/engine/stack"
	"github.com/commutego/commute/internal/event"
)

// inferAccess looks at an access by g, which is in an activation. It reports whether it is a lost
// update.
func (g *Accessor) inferAccess(addr uintptr, kind event.Access, site uint32) bool {
	a := g.activation.P()
	// Atomic accesses are the program's means of ordering, and nothing is inferred of them.
	if kind&datarace.Atomic != 0 || site <= datarace.CutOff {
		return false
	}
	reads, writes := sidesOf(a.function(), site)
	switch {
	case kind == datarace.Write && writes != 0:
		return g.inferWrite(a, addr, site, writes)
	case kind != datarace.Write && reads != 0:
		g.inferRead(a, addr, site, reads)
	}
	return false
}

// inferRead notes a read, with the last write of the variable.
func (g *Accessor) inferRead(a *activation, addr uintptr, site, pairs uint32) {
	i := 0
	for i < a.nReads && a.reads[i].addr != addr {
		i++
	}
	// A second read of the variable takes the place of the first: the write goes by the last value.
	last, ok := datarace.LastWrite(addr)
	switch {
	// The last write can't be told, so nothing can be said of writes after it.
	case !ok:
		if i < a.nReads {
			a.drop(i)
		}
		return
	case i == maxReads:
		return
	case i == a.nReads:
		a.nReads++
	}
	a.reads[i] = earlierRead{addr, last, 0, a.acquired, g.MemoryClock.P().Now(), site, pairs}
}

// inferWrite compares a write with the read that it depends on. If another goroutine has written in
// between, g.lostUpdate is the cycle of this run, where g is goroutine A:
//
//	A             B
//	reads x
//	              writes x, after what A has read and before what A writes
//	writes x, by the value that it has read
func (g *Accessor) inferWrite(a *activation, addr uintptr, site, pairs uint32) bool {
	for i := range a.nReads {
		read := a.reads[i]
		// Only a read of the same variable counts, and one that this write is paired with.
		if read.addr != addr || read.pairs&pairs == 0 {
			continue
		}
		// The write settles the read: what comes later depends on another value.
		a.drop(i)
		last, ok := datarace.LastWrite(addr)
		// Nothing was written in between, or by code that does not count.
		if !ok || last == read.lastWrite || !source.Counts(last.Site()) {
			return false
		}
		other, epoch, byOther := g.Memory.MadeBy(last)
		// The goroutine itself wrote in between, or there is another update to report first.
		if !byOther || !g.lostUpdate.Nil() {
			return false
		}
		lost := lostUpdates.Get()
		*lost = report.LostUpdate{Pair: lowest(read.pairs & pairs)}
		c := &lost.Cycle
		c.Code, c.Goid, c.N = &a.function().Code, host.Goid(), 2
		c.From[0], c.To[1] = c.Code, c.Code
		// The write in between comes after the read,
		c.Edges[0] = atomicity.Edge{
			Kind: atomicity.Memory, Addr: addr, From: read.epoch, FromGoid: c.Goid,
			FromSite: read.site,
			To:       epoch, ToGoid: other, ToSite: last.Site(), ToWrites: true,
		}
		// and before the write that depends on the read.
		c.Edges[1] = atomicity.Edge{
			Kind: atomicity.Memory, Addr: addr, From: epoch, FromGoid: other, FromSite: last.Site(),
			FromWrites: true,
			To:         g.MemoryClock.P().Now(), ToGoid: c.Goid, ToSite: site, ToWrites: true,
		}
		g.lostUpdate = offheap.To(lost)
		return true
	}
	return false
}

// lowest is the smallest number in a set that is not empty.
func lowest(set uint32) (i uint32) {
	for set>>i&1 == 0 {
		i++
	}
	return i
}

// reportLostUpdate reports what inferWrite has found.
func (g *Accessor) reportLostUpdate() {
	lost := g.lostUpdate.P()
	if lost == nil {
		return
	}
	g.lostUpdate = offheap.Ref[report.LostUpdate]{}
	finding.Cycle(&lost.Cycle, g.Test.P(), lost)
	lostUpdates.Put(lost)
}

// function is the function that runs.
func (a *activation) function() *report.Inferred {
	return *(**report.Inferred)(unsafe.Pointer(&a.code))
}

// sidesOf returns the pairs of a function of which a site is the read, and those of which it is the
// write.
func sidesOf(p *report.Inferred, site uint32) (reads, writes uint32) {
	// A site's pairs are looked up once: its lines are compared with those of all pairs.
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

// isAt reports whether a site is on a line. If by is a line, it is the one on which the function of
// place is called.
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
