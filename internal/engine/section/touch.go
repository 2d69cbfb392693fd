// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/engine/offheap"
)

// A touch is a touch of the section that the thread is in.
type touch struct {
	of         offheap.Ref[compiled.SectionTouch]
	place      offheap.Ref[place]
	generation uint32 // of the place
	key        uint64
	value      uint64
	n          uint64 // of an operation of a map: its length after it
	event      int8   // the index of its event, -1 if none was captured
	moved      bool   // it writes another value than was there right before it
	grew       bool   // it changes the length of the map
	main       int8   // the index of its entry: for a write of a key, that of the key
}

// writes reports whether an operation writes, reads whether code may depend on what it reads. What
// x++ reads decides nothing but x.
func writes(op compiled.TouchOp) bool {
	return readOps>>op&1 == 0
}

const readOps = 1<<compiled.ReadVar | 1<<compiled.Lookup | 1<<compiled.Len | 1<<compiled.ReadAll |
	1<<compiled.ReadInner | 1<<compiled.ReadBacking

// Noted reports whether the thread's present section has already made the operation of p, on
// elements of a block of memory. Then another such touch adds nothing: no report shows it.
func Noted(t *Thread, p *compiled.SectionTouch, block uintptr) bool {
	s := t.state.P()
	if s == nil || !s.section.on || s.section.alone {
		return false
	}
	o := &s.section
	for i := range o.n {
		if x := &o.touches[i]; x.of.P().Op == p.Op && x.place.P().addr.Load() == block {
			return true
		}
	}
	return false
}

// Wants reports whether the caller must call Touch for a touch. If not, only its place is of
// interest, and Wants notes the place. The caller makes sure that p is hot.
func (t *Thread) Wants(p *compiled.SectionTouch, addr uintptr) bool {
	full, _ := t.Note(p, addr)
	return full
}

// Note is Wants. It also reports whether the place of a touch mattered, if Touch is not to be
// called for it.
func (t *Thread) Note(p *compiled.SectionTouch, addr uintptr) (full, mattered bool) {
	s := t.state.P()
	switch {
	case s == nil:
		if writes(p.Op) && !t.world.Nil() {
			t.moved(addr)
			return false, true
		}
	case !s.section.on:
		mattered = writes(p.Op) || p.Hot.Load() == paired || hides(s)
		t.untracked(s, p, addr)
		return false, mattered
	case s.section.alone:
		mattered = s.section.n == 0 || writes(p.Op) && !s.section.wrote
		s.section.wrote = s.section.wrote || writes(p.Op)
		s.section.n = 1
		return false, mattered
	default:
		return true, false
	}
	return false, false
}

// Touch says that the goroutine has made a touch of p: of a variable or container at addr, or of a
// map whose header is there. Key is the hash of the key of an operation with one. Value is what was
// read or written, or Unknown; that of a key is 0 if it's absent, and not 0 otherwise. N is the
// length of the map after an Insert, Update or Delete. The caller makes sure that p is hot.
func (t *Thread) Touch(sink Sink, p *compiled.SectionTouch, addr uintptr, key, value, n uint64) {
	if !t.Wants(p, addr) {
		return
	}
	s := t.state.P()
	if s.nFound > 0 {
		s.deliver(sink)
	}
	o := &s.section
	if p.Op == compiled.WriteAll || o.n == maxTouches && !s.repeats(p, addr, key, value, n) {
		t.makeOpaque(s, &s.held[s.nHeld-1])
		s.unlook(p)
		return
	}
	if o.n > 0 && s.repeats(p, addr, key, value, n) {
		return
	}
	at := o.touches[o.n].place.P() // where the last section was then
	if at == nil || at.addr.Load() != addr {
		at = s.placeAt(t.world.P(), addr)
		at.name(p)
	}
	x := o.repeat(&s.earlier, touch{of: offheap.To(p), place: offheap.To(at),
		generation: at.generation.Load(), key: key, value: value, n: n, event: -1})
	wants := s.wantsEvent(p, x.place.P()) && o.nEvents < maxEvents
	if wants || !s.earlier.next {
		settle(t, s)
	}
	if wants {
		e := &o.events[o.nEvents]
		*e = Event{Touch: offheap.To(p), Value: value, Was: Unknown, Epoch: o.begin}
		sink.Capture(e)
		x.event = int8(o.nEvents)
		o.nEvents++
	}
}

// placeAt is the place at an address, which often is that of the section's last touch.
func (s *state) placeAt(w *World, addr uintptr) *place {
	if o := s.last.P(); o != nil && o.addr.Load() == addr {
		return o
	}
	o := w.place(addr)
	s.last = offheap.To(o)
	return o
}

// wantsEvent reports whether a touch of what is at o may be shown in a report.
func (s *state) wantsEvent(p *compiled.SectionTouch, o *place) bool {
	if p.Hot.Load() == paired && !s.run.Nil() {
		return true
	}
	return writes(p.Op) && o.looked.Load() != 0
}

// repeats reports whether a touch of the section says all that this one does. A write that is
// repeated has its latest value.
func (s *state) repeats(p *compiled.SectionTouch, addr uintptr, key, value, n uint64) bool {
	o := &s.section
	for i := o.n - 1; i >= 0; i-- {
		x := &o.touches[i]
		if x.key != key || x.place.P().addr.Load() != addr {
			continue
		}
		if x.of.P() != p {
			return false
		}
		if writes(p.Op) {
			x.value, x.n = value, n
			if x.event >= 0 {
				o.events[x.event].Value = value
			}
			return true
		}
		return x.value == value
	}
	return false
}

// untracked is a touch outside of complete sections. If it writes, all points of the lock that
// mostly guards the variable may have changed. A look that is repeated here is the one that counts,
// and it can't be followed.
func (t *Thread) untracked(s *state, p *compiled.SectionTouch, addr uintptr) {
	if p.Hot.Load() == paired {
		s.unlook(p)
	}
	switch {
	case writes(p.Op):
		t.moved(addr)
	case hides(s):
		hide(s)
	}
}

// unrecord takes the touches of the section that the thread is in for ones of an opaque section.
// Of an activation that was entered in it, it is not known which of them came before.
func unrecord(s *state) {
	o, read := &s.section, false
	if !o.alone {
		for i := range o.n {
			p := o.touches[i].of.P()
			s.unlook(p)
			read = read || !writes(p.Op)
		}
	}
	for r := s.run.P(); r != nil; r = r.outer.P() {
		r.hidden = r.hidden || read || o.n > 0 && r.in == o.number
	}
	if o.alone {
		o.n = 0
	}
}

// moved notes that what is at addr may have changed.
func (t *Thread) moved(addr uintptr) {
	if o := t.world.P().tracked.find(addr); o != nil {
		if l := o.under.Load(); l != nil {
			l.moveAll(l.addr.Load())
		}
	}
}
