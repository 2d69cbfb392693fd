// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/engine/offheap"
)

// An atomic operation is a complete section of its own, with one touch: its address is the lock,
// the object and the point. Code that is instrumented announces it first, as it does a call that
// takes a lock. The hook of the operation then says that it is about to be made, and that it was
// made. Between these two no other announced operation of the address is made, so that sections are
// judged in the order in which the operations took effect.
//
// Any other atomic operation of the address is opaque: it comes after all sections so far, and
// before all later ones.

// An announced is an atomic operation that code is about to make.
type announced struct {
	touch offheap.Ref[compiled.SectionTouch] // nil if there is none
	base  uintptr
	size  uintptr
	event Event // if Goid is not zero
}

// has reports whether an address is one of the variable. An atomic.Value has two.
func (a *announced) has(addr uintptr) bool { return !a.touch.Nil() && addr-a.base < a.size }

// An operations is what a thread has announced: a read at most, and a write, as one may be the
// other's operand.
type operations struct {
	read, write announced
	lock        offheap.Ref[lock]   // of the operation that is being made, nil if none is
	reader      offheap.Ref[reader] // by which it is made, nil if it is recorded
	now         announced           // that operation
	fixed       bool                // and its order is fixed by others, too
	// What comes with it, and counts for nothing: what a goroutine learns after it has read
	// something, and the last step of the first Store of an atomic.Value.
	learns uintptr
	ends   uintptr
}

// atomicSite stands for the calls that would take the lock.
var atomicSite = compiled.LockSite{Complete: true}

// sizeOfValue is the size of an atomic.Value, the only variable of several words. A store writes
// the second word, and the first store the first one thereafter.
const sizeOfValue = 16

// Announce says that the goroutine is about to make an atomic operation, the touch p, of a variable
// of some bytes. The result is as that of Locking. The caller makes sure that p is hot.
func (t *Thread) Announce(p *compiled.SectionTouch, addr, size uintptr, sink Sink) (pause uint32) {
	s := t.ready()
	if s == nil || addr == 0 {
		return 0
	}
	s.deliver(sink)
	a := &s.atomics.read
	if writes(p.Op) {
		a = &s.atomics.write
	}
	*a = announced{touch: offheap.To(p), base: addr, size: size}
	if p.Hot.Load() == paired && !s.run.Nil() || writes(p.Op) && t.world.P().wasLookedAt(addr) {
		a.event = Event{Touch: a.touch, Was: Unknown}
		sink.Capture(&a.event)
	}
	return pauseBetween(t, s)
}

// wasLookedAt reports whether a check has looked at the variable at an address.
func (w *World) wasLookedAt(addr uintptr) bool {
	o := w.tracked.find(addr)
	return o != nil && o.looked.Load() != 0
}

// has reports whether an operation at an address, or a part of one, was announced.
func (o *operations) has(addr uintptr) bool { return o.write.has(addr) || o.read.has(addr) }

// idle reports whether nothing is announced, or comes with what was.
func (o *operations) idle() bool {
	return o.read.touch.Nil() && o.write.touch.Nil() && o.learns|o.ends == 0
}

// Making says that an atomic operation is about to be made at an address; op is ReadVar, WriteVar
// or UpdateVar. It reports whether the operation was announced. If so, no other operation of the
// variable is made before Made, and the goroutine must not be stopped until then. Made returns
// fixed.
func (t *Thread) Making(addr uintptr, op compiled.TouchOp, fixed bool) bool {
	s := t.state.P()
	if s == nil {
		return false
	}
	a := &s.atomics.read
	if op != compiled.ReadVar {
		a = &s.atomics.write
	}
	if !a.has(addr) || a.touch.P().Op != op {
		return false
	}
	o := &s.atomics
	o.now, o.fixed, a.touch = *a, fixed, offheap.Ref[compiled.SectionTouch]{}
	switch {
	case op != compiled.WriteVar:
		o.learns = o.now.base
	case o.now.size == sizeOfValue:
		o.ends = o.now.base
	}
	if o.reader = (offheap.Ref[reader]{}); op == compiled.ReadVar {
		if r := beginAgain(t, s, &o.now); r != nil {
			o.lock, o.reader = r.lock, offheap.To(r)
			return true
		}
	}
	l := t.world.P().lockAt(o.now.base, o.now.base, o.now.base+o.now.size)
	if l.atomic.Load() == 0 {
		l.atomic.Store(1)
	}
	o.lock = offheap.To(l)
	l.order.Lock()
	if op != compiled.ReadVar {
		l.changing()
	}
	return true
}

// Operation returns the atomic operation that a thread is making, and its variable. If there is
// none, making is false.
func Operation(t *Thread) (op compiled.TouchOp, addr, size uintptr, making bool) {
	s := t.state.P()
	if s == nil || s.atomics.lock.Nil() {
		return 0, 0, 0, false
	}
	a := &s.atomics.now
	return a.touch.P().Op, a.base, a.size, true
}

// Made says that the operation was made, and has left the variable with a word. It returns the
// argument fixed of Making. The caller then calls Deliver.
func (t *Thread) Made(word uint64) (fixed bool) {
	s := t.state.P()
	a, l := &s.atomics.now, s.atomics.lock.P()
	s.atomics.lock = offheap.Ref[lock]{}
	if r := s.atomics.reader.P(); r != nil {
		s.atomics.reader = offheap.Ref[reader]{}
		if endAgain(t, s, r, a.wordOf(word)) {
			return s.atomics.fixed
		}
		l.order.Lock() // it is recorded as the one that comes next
	}
	t.begin(s, l, a.base, &atomicSite)
	h := s.held[s.nHeld-1]
	s.nHeld--
	o := &s.section
	o.on, t.passing = false, 0
	if o.alone {
		o.wrote, o.n = writes(a.touch.P().Op), 1
	} else {
		at := s.placeAt(t.world.P(), a.base)
		x := o.repeat(&s.earlier, touch{of: a.touch, place: offheap.To(at),
			generation: at.generation.Load(), value: a.wordOf(word), event: -1})
		if a.event.Goid != 0 || !s.earlier.next {
			settle(t, s)
		}
		if a.event.Goid != 0 {
			o.nEvents, x.event = 1, 0
			o.events[0] = a.event
			o.events[0].Value, o.events[0].Epoch = x.value, o.begin
		}
	}
	t.end(s, &h)
	if e := &s.earlier; e.kept != 0 && e.lock.P() == l && a.size <= 8 {
		keepReader(s, l, a.base, e.changes, t.clock.P())
	}
	l.order.Unlock()
	return s.atomics.fixed
}

// wordOf is the value of an announced operation as a word that is known.
func (a *announced) wordOf(v uint64) uint64 {
	if a.size == 4 && a.touch.P().Atomic == compiled.AtomicSigned {
		v = uint64(int32(v))
	}
	if v == Unknown {
		return mix(v, 1)
	}
	return v
}

// AtomicValue is the value of an atomic operation that a word stands for.
func AtomicValue(word uint64) uint64 {
	if word == mix(Unknown, 1) {
		return Unknown
	}
	return word
}

// Ordering says that the goroutine acquires and releases at an address, by an atomic operation. It
// reports whether the operation was announced: then the weak clock must not release.
func (t *Thread) Ordering(addr uintptr) (complete bool) {
	w, s := t.world.P(), t.state.P()
	if w == nil || s != nil && s.atomics.has(addr) {
		return w != nil
	}
	if l := w.knownLock(addr); l != nil && l.atomic.Load() != 0 {
		t.unannounced(l, addr)
	}
	return false
}

// unannounced is an atomic operation that was not announced: it may write anything.
func (t *Thread) unannounced(l *lock, addr uintptr) {
	if !t.clock.Nil() {
		l.joinEnded(addr, t.clock.P())
	}
	l.moveAll(addr)
}

// acquiredAtomic is Acquired for the address of atomic operations.
func (t *Thread) acquiredAtomic(s *state, l *lock, addr uintptr) {
	if s != nil && s.atomics.learns == addr {
		s.atomics.learns = 0
		return
	}
	if l.hi-l.lo == sizeOfValue {
		t.unannounced(l, addr) // a store begins with a load
	} else if !t.clock.Nil() {
		l.joinEnded(addr, t.clock.P())
	}
	t.Learned()
}

// releasingAtomic is Releasing for the address of atomic operations. It reports whether the
// operation was announced.
func (t *Thread) releasingAtomic(s *state, addr uintptr) (complete bool) {
	if s == nil {
		return false
	}
	if s.atomics.write.has(addr) {
		return true
	}
	if s.atomics.ends == addr && s.atomics.ends != 0 {
		s.atomics.ends = 0
		return true
	}
	return false
}
