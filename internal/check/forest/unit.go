// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package forest

import (
	"hash/maphash"
	"slices"

	"github.com/commutego/commute/internal/event"
)

// An access is a read or write of a variable, or a call that touches a point of an object.
type access struct {
	item, kind uint32 // see Access, and atomically
	locks      lockSet
	pos        uint32 // in its unit
	stretch    uint32 // of its thread
	word       uint16 // 0, or 1 and where the word of the item is to which it is; see Split
	frame      *frame
	place
}

// atomically is added to the kind of an access to a word of an item. Such accesses conflict with
// those of the whole item only: of atomic operations, another item has the conflicts.
const atomically = 2

// A place is where an event is in the trace.
type place struct {
	index uint64
	src   uint32 // Event.Pos
}

// A frame is what a thread holds, from when it takes or lets go a lock to when it does so again.
// Back at the same set of sections in the same unit and stretch, it's the same frame.
type frame struct {
	number  uint32
	locks   lockSet
	stretch uint32
	held    []held
}

// A section is the part of a unit in which a lock is held.
type section struct {
	held
	interval
	begin, end place
	before     bool // the lock was taken before the unit's begin
	ended      bool // the lock was let go before the unit's end
}

// An interval is some positions of a unit, from first to last.
type interval struct{ first, last uint32 }

func (i interval) meet(j interval) interval {
	return interval{max(i.first, j.first), min(i.last, j.last)}
}

func (i interval) empty() bool { return i.first > i.last }

// A step is one that makes must-order with other threads. The stretch is the one that it ends.
type step struct {
	pos     uint32
	out, in bool // something of another thread may come after it, or before
	stretch uint32
	op      event.Event
	place
}

// A unit is a transaction, with what was kept of it, or one access outside of any.
type unit struct {
	thread      uint32
	marked      bool
	id          event.Transaction
	accesses    []access
	sections    []section
	steps       []step
	begin, end  uint32 // stretches
	last        uint32 // position
	firstSerial uint32 // of the sections that it began
	blurred     bool   // an access was left out that isn't right after the one that stands for it
	inherited   int    // sections of locks that were held at its begin

	count     uint64 // of units that are like it
	twin      uint64 // where the last of these begins, if count > 1
	lastIndex uint64 // where it was last known to have an event
}

// interval is the section of a lock around an access, or the access alone if locked is false.
func (u *unit) interval(e *access, lock uint32, locked bool) interval {
	if locked {
		if s := u.around(e, lock); s != nil {
			return s.interval
		}
	}
	return interval{e.pos, e.pos}
}

// around is the section of a lock around an access.
func (u *unit) around(e *access, lock uint32) *section {
	for _, h := range e.frame.held {
		if h.lock == lock {
			return u.section(h.serial)
		}
	}
	return nil
}

// section is the one with a serial number, which the unit has.
func (u *unit) section(serial uint32) *section {
	for i := range u.sections[:u.inherited] {
		if u.sections[i].serial == serial {
			return &u.sections[i]
		}
	}
	i := int(serial-u.firstSerial) + u.inherited
	if serial < u.firstSerial || i >= len(u.sections) {
		return nil // a single access has no sections of its own
	}
	return &u.sections[i]
}

// plain reports whether all of the unit is in one stretch, with all its locks taken and let go.
func (u *unit) plain() bool {
	return len(u.steps) == 0 && u.inherited == 0 &&
		!slices.ContainsFunc(u.sections, func(s section) bool { return !s.ended })
}

var seed = maphash.MakeSeed()

// shape is a number that like units have in common.
func (u *unit) shape() uint64 {
	n := uint64(len(u.accesses))
	for i := range u.accesses {
		e := &u.accesses[i]
		n = maphash.Comparable(seed, [4]uint64{
			n, uint64(e.item)<<32 | uint64(e.kind), uint64(e.locks)<<32 | uint64(e.pos), 0})
	}
	for i := range u.sections {
		s := &u.sections[i]
		n = maphash.Comparable(seed, [4]uint64{
			n, uint64(s.lock), uint64(s.first)<<32 | uint64(s.last), 1})
	}
	return n
}

// like reports whether two plain units of a thread and stretch have the same accesses under the
// same locks.
func (u *unit) like(v *unit) bool {
	return u.last == v.last && u.id.Pos == v.id.Pos && u.blurred == v.blurred &&
		slices.EqualFunc(u.accesses, v.accesses, func(a, b access) bool {
			return a.item == b.item && a.kind == b.kind && a.locks == b.locks && a.pos == b.pos &&
				a.word == b.word
		}) &&
		slices.EqualFunc(u.sections, v.sections, func(a, b section) bool {
			return a.lock == b.lock && a.read == b.read && a.interval == b.interval
		})
}
