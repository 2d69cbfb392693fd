// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/vclock"
)

// Unknown is a value that is not known: it equals none, not even itself.
const Unknown = ^uint64(0)

// equal reports whether two values are known to be equal.
func equal(a, b uint64) bool { return a == b && a != Unknown }

// A class says which of the points of an address a point is.
type class uint8

const (
	variable class = iota // a variable, whole
	element               // a key of a map
	length                // the length of a map
	all                   // all keys of a map
	inner                 // what a slice or container holds
	backing               // the elements of all slices that share a block of memory
)

// A point is what the sections of a lock conflict on.
type point struct {
	place      offheap.Ref[place]
	generation uint32 // of the place
	class      class
	certain    bool // the last change has changed the value for sure
	noted      bool // an activation has seen it
	key        uint64

	created uint64 // how often the record was a new point: what was seen before is another one
	version uint64 // moves when a section changes the value
	wide    uint64 // that of the lock when the point was touched last
	value   uint64

	by      uint64       // the thread that has changed it last, 0 if that is not known
	changed vclock.Epoch // the begin of its section
	change  Event        // the touch that has changed it

	written clockSet // the sections that have written it: the last, or all that commute
	read    clockSet // the sections that have read it since
	acts    actList
	links   actList // see link.go
}

// An actList has acts: the last ones.
type actList struct {
	n   uint8
	act [maxActs]offheap.Ref[act]
}

const maxActs = 4 // that are kept of a point

// hashOf is the hash of a point. It depends on addresses of the program alone, as sets are kept by
// it: the replay of a trace has to find what the run has found.
func hashOf(o *place, c class, key uint64) uint64 {
	return mix(uint64(o.addr.Load())+uint64(c)<<60, key) * 0x9E3779B97F4A7C15
}

// free gives the record back.
func (p *point) free() {
	p.acts.clear()
	p.links.clear()
	p.written.clear()
	p.read.clear()
	pointSlab.Put(p)
}

// keep keeps an act, in place of the oldest if need be.
func (l *actList) keep(a *act) {
	if l.n == maxActs {
		actSlab.Put(l.act[0].P())
		for i := 1; i < maxActs; i++ {
			l.act[i-1] = l.act[i]
		}
		l.n--
	}
	l.act[l.n] = offheap.To(a)
	l.n++
}

// clear gives the records back.
func (l *actList) clear() {
	for i := range l.n {
		actSlab.Put(l.act[i].P())
	}
	l.n = 0
}
