// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/engine/offheap"
)

// An entry is what a section does to a point.
type entry struct {
	point   offheap.Ref[point]
	did     uint8
	changed bool // the value is another one than before, or may be
	certain bool // it is for sure
	found   bool // it is reported: the other way round it is the same
	knew    bool // the goroutine knew of the point's last change before the section
	at      int8 // the touch that has read it first, -1 if none has
	by      int8 // the touch that has written it last, -1 if none has
	value   uint64
	before  uint64 // the value before the section
	version uint64 // before the section
	// What it has read after it had changed the point, made of what was there before; else 0.
	mixed uint64
}

// What a section does to a point.
const (
	reads   = 1 << iota // reads it, and may depend on what it reads
	updates             // reads it only to write it
	sets                // writes it
	adds                // writes it so that another one that adds may come before or after
)

const (
	changes    = sets | adds
	maxEntries = 3 * maxTouches
)

// expand lists what the section did to each point. It returns false if there is no room for what
// has to be known of it. The lock is locked.
func (s *state) expand(w *World, l *lock) bool {
	o := &s.section
	o.nEntries = 0
	for i := range o.n {
		// The points of whole maps are there before the section's own writes.
		x := &o.touches[i]
		switch x.of.P().Op {
		case compiled.Len:
			if l.make(w, x.place.P(), length, 0) == nil {
				return false
			}
		case compiled.ReadAll:
			if l.make(w, x.place.P(), all, 0) == nil {
				return false
			}
		}
	}
	for i := range o.n {
		x := &o.touches[i]
		if p := x.place.P(); p.under.Load() != l {
			p.under.Store(l)
		}
		c, did := variable, uint8(reads)
		switch x.of.P().Op {
		case compiled.WriteVar:
			did = sets
		case compiled.UpdateVar:
			did = updates | sets
		case compiled.ReadInner:
			c = inner
		case compiled.WriteInner:
			c, did = inner, sets
		case compiled.ReadBacking:
			c = backing
		case compiled.WriteBacking:
			c, did = backing, sets
		case compiled.Lookup:
			c = element
		case compiled.Len:
			c = length
		case compiled.ReadAll:
			c = all
		case compiled.Insert, compiled.Delete:
			c, did = element, sets
		case compiled.Update:
			c, did = element, updates|sets
		}
		was := x.place.P().mapLength(l)
		e := s.enter(w, l, x, c, did)
		if e == nil {
			return false
		}
		if did&reads != 0 && e.at < 0 {
			e.at = int8(i)
		}
		x.main = int8(o.nEntries - 1)
		for o.entries[x.main].point != e.point {
			x.main--
		}
		if did&sets != 0 {
			e.by = int8(i)
		}
		switch {
		case c == element && did&sets != 0:
			e.infer(x, was)
			if !s.enterMap(w, l, x, e) {
				return false
			}
			x.grew = was != Unknown && was != x.n
			x.place.P().setLength(l, x.n)
		case c == length && x.value != Unknown:
			x.place.P().setLength(l, x.value)
		}
	}
	return true
}

// infer finds out from the map's length before a write whether its key was there, of which nothing
// was known.
func (e *entry) infer(x *touch, length uint64) {
	if e.before != Unknown || e.did&reads != 0 || length == Unknown || e.value != x.value {
		return
	}
	deletes := x.of.P().Op == compiled.Delete
	if deletes == (length == x.n) {
		e.before = 0
		x.moved = !deletes
		e.changed, e.certain = x.moved, x.moved
	} else if deletes {
		x.moved, e.certain = true, true
	}
}

// enterMap enters what the write of a key does to the whole map. A point that is not known was not
// read yet.
func (s *state) enterMap(w *World, l *lock, x *touch, key *entry) bool {
	by := key.by
	if l.find(x.place.P(), length, 0) != nil {
		e := s.enter(w, l, x, length, adds)
		if e == nil {
			return false
		}
		e.by = by
	}
	if l.find(x.place.P(), all, 0) != nil {
		e := s.enter(w, l, x, all, adds)
		if e == nil {
			return false
		}
		e.by = by
		e.changed, e.certain = e.changed || key.changed, e.certain || key.certain
	}
	return true
}

// enter enters what a touch does to a point, and returns the point's entry.
func (s *state) enter(w *World, l *lock, x *touch, c class, did uint8) *entry {
	key := x.key
	if c != element {
		key = 0
	}
	p := l.make(w, x.place.P(), c, key)
	if p == nil {
		return nil
	}
	p.refresh(l)
	e := s.entryOf(p)
	if did&(reads|updates) != 0 {
		switch {
		case e.did&changes == 0:
			e.did |= did & (reads | updates)
			if did&reads != 0 {
				p.see(l, x.value)
				e.before, e.version, e.value = p.value, p.version, p.value
			}
		case e.did&(updates|adds) != 0:
			if did&reads != 0 {
				e.did |= reads
				e.mixed = mix(e.mixed, x.value)
			}
		}
	}
	if did&changes != 0 {
		e.did |= did & changes
		if did&sets != 0 {
			x.moved = c == inner || c == backing || x.value == Unknown ||
				e.value != Unknown && e.value != x.value
		}
		e.write(c, x)
	}
	return e
}

// entryOf is the entry of a point.
func (s *state) entryOf(p *point) *entry {
	o := &s.section
	for i := range o.nEntries {
		if e := &o.entries[i]; e.point.P() == p {
			return e
		}
	}
	e := &o.entries[o.nEntries]
	o.nEntries++
	*e = entry{point: offheap.To(p), at: -1, by: -1, before: p.value,
		version: p.version, value: p.value}
	return e
}

// write notes the value that a touch writes.
func (e *entry) write(c class, x *touch) {
	switch c {
	case all:
		e.value = Unknown // the caller knows if it has changed
		return
	case inner:
		e.value, e.changed, e.certain = Unknown, true, true
		return
	case backing: // elements that are read may be others
		e.value, e.changed, e.certain = Unknown, true, false
		return
	case length:
		e.value = x.n
	default:
		e.value = x.value
	}
	e.changed = !equal(e.value, e.before)
	e.certain = e.changed && e.value != Unknown && e.before != Unknown
}

// refresh brings a point up to date with opaque sections, which may have changed it.
func (p *point) refresh(l *lock) {
	if p.wide != l.wide {
		l.counter++
		p.wide, p.version, p.value = l.wide, l.counter, Unknown
		p.by, p.changed = 0, 0
		p.written.addSet(&l.base)
	}
}

// see notes that a section has read a value. If it is another one than it should be, something has
// changed it that was not recorded.
func (p *point) see(l *lock, value uint64) {
	if value == Unknown {
		return
	}
	if p.value != Unknown && value != p.value {
		l.counter++
		l.changes.Add(1)
		p.version, p.by, p.changed = l.counter, 0, 0
	}
	p.value = value
}
