// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/vclock"
)

// A Thread is one goroutine, whose events the calls report. The zero Thread is that of a goroutine
// that is not followed.
type Thread struct {
	world offheap.Ref[World]
	clock offheap.Ref[vclock.Thread] // the weak clock
	state offheap.Ref[state]         // nil while there is nothing to know
	acts  uint64                     // how many there were when Behind was asked last
	// passing has a bit for each kind of touch that Quiet is true of: see passes.go.
	passing uint64
}

// A state is what is known of a thread that has been in code with touches.
type state struct {
	id       uint64 // the thread's number
	armed    uintptr
	site     offheap.Ref[compiled.LockSite] // of armed
	sections uint64                         // how many sections it had: they are numbered

	nHeld int
	held  [maxHeld]held

	section  open // the complete section that it is in
	earlier  earlier
	atomics  operations
	readers  [nReaders]reader
	run      offheap.Ref[run]   // the innermost activation
	last     offheap.Ref[place] // of the last touch
	lastLock offheap.Ref[lock]  // of the last section
	random   uint64
	begun    bool // it has been about to take a lock
	vain     int  // how often it was held up where it alone had sections of the locks
	nFound   int
	found    [maxFound]Finding
}

// A held is a lock of which the thread is in a section.
type held struct {
	lock     offheap.Ref[lock]
	addr     uintptr // of the lock, to see if the record is another lock's by now
	lo, hi   uintptr
	depth    uint32 // how often it was taken again
	complete bool
	read     bool
}

// An open is a complete section that a thread is in, its innermost.
type open struct {
	on       bool
	alone    bool   // it is not recorded: see lock.alone
	wrote    bool   // it has written something, if it is not recorded
	number   uint64 // among those of the thread
	begin    vclock.Epoch
	waits    bool                           // begin is not known yet: it repeats the last one
	site     offheap.Ref[compiled.LockSite] // where it has taken the lock
	n        int
	touches  [maxTouches]touch
	nEvents  int
	events   [maxEvents]Event
	nEntries int
	entries  [maxEntries]entry
}

const (
	maxHeld    = 8
	maxTouches = 16
	maxEvents  = 6
	maxFound   = 4
)

// Start makes t follow a goroutine that has clock.
func (t *Thread) Start(w *World, clock *vclock.Thread) {
	t.world, t.clock = offheap.To(w), offheap.To(clock)
}

// Reset makes t the thread of a goroutine that is not followed.
func (t *Thread) Reset() {
	if !t.state.Nil() {
		t.End()
	}
	*t = Thread{}
}

// End notes that the goroutine has ended.
func (t *Thread) End() {
	s := t.state.P()
	if s == nil {
		return
	}
	t.state, t.passing = offheap.Ref[state]{}, 0
	retireAll(s)
	for r := s.run.P(); r != nil; {
		outer := r.outer.P()
		runSlab.Put(r)
		r = outer
	}
	stateSlab.Put(s)
}

// ready returns the thread's state, and makes it if it has none. It is nil if the goroutine is not
// followed.
func (t *Thread) ready() *state {
	if s := t.state.P(); s != nil || t.clock.Nil() {
		return s
	}
	s := stateSlab.Get()
	s.id = t.world.P().threads.Add(1)
	s.armed, s.sections, s.nHeld, s.nFound = 0, 0, 0, 0
	s.earlier = earlier{}
	s.section.on, s.section.waits = false, false
	for i := range s.section.touches { // those of another world
		s.section.touches[i].place = offheap.Ref[place]{}
	}
	s.atomics = operations{}
	s.run, s.last, s.lastLock = offheap.Ref[run]{}, offheap.Ref[place]{}, offheap.Ref[lock]{}
	s.random, s.begun = mix(s.id, t.world.P().seed.Load()), false
	s.vain = 0
	t.state = offheap.To(s)
	return s
}

// Locking says that the goroutine is about to take a lock: the next acquire in it begins a section.
// It returns for how many microseconds the goroutine should pause before it takes the lock, outside
// of the engine: 0 means no pause, and 1 means to let others run.
func (t *Thread) Locking(p *compiled.LockSite, lock uintptr, sink Sink) (pause uint32) {
	s := t.ready()
	if s == nil {
		return 0
	}
	s.deliver(sink)
	s.armed, s.site = lock, offheap.To(p)
	first := !s.begun
	s.begun = true
	if first {
		return t.pause()
	}
	return pauseBetween(t, s)
}

// Apart reports whether an acquire or a release at an address has nothing to do with critical
// sections. Then no lock or variable is known there, and the goroutine is in no section or
// activation and about to begin none. So neither Acquired nor Releasing would do anything.
func Apart(t *Thread, addr uintptr) bool {
	w := t.world.P()
	if w == nil || w.tracked.mayHave(addr) {
		return false
	}
	s := t.state.P()
	return s == nil || s.armed == 0 && s.nHeld == 0 && s.run.Nil() && s.atomics.idle()
}

// Acquired says that the goroutine has acquired what was released at addr, which may be a lock. The
// weak clock has this acquire already. A complete section acquires no more. An opaque one also
// comes after all complete sections so far. Alone says that the goroutine is the first one with a
// section of the lock: see Shared.
func (t *Thread) Acquired(addr uintptr) (alone bool) {
	w := t.world.P()
	if w == nil {
		return false
	}
	s := t.state.P()
	if s != nil && s.armed != 0 {
		if p := s.site.P(); addr-s.armed < uintptr(p.Size) {
			lo := s.armed
			s.armed = 0
			l := s.lastLock.P()
			if l == nil || l.addr.Load() != addr {
				l = w.lockAt(addr, lo, lo+uintptr(p.Size))
				s.lastLock = offheap.To(l)
			}
			return t.begin(s, l, addr, p)
		}
	}
	if s != nil && s.atomics.has(addr) {
		return false
	}
	if l := w.knownLock(addr); l != nil {
		if l.atomic.Load() != 0 {
			t.acquiredAtomic(s, l, addr)
		} else if s = t.ready(); s != nil {
			return t.begin(s, l, addr, nil)
		}
		return false
	}
	if s == nil || s.run.Nil() {
		return false
	}
	for i := range s.nHeld {
		if h := &s.held[i]; addr-h.lo < h.hi-h.lo {
			return false // it is of a lock with two addresses
		}
	}
	t.Learned()
	return false
}

// Learned says that the weak clock has learned something by other means than a lock whose sections
// are recorded. From then on, the goroutine weakly knows the changes that it learned of by these
// means.
func (t *Thread) Learned() {
	s := t.state.P()
	if s == nil {
		return
	}
	for r := s.run.P(); r != nil; r = r.outer.P() {
		for i := range r.nLooks {
			if k := &r.looks[i]; k.linked {
				k.knew = true
			} else if !k.told {
				k.told = k.changed(t.clock.P())
			}
		}
	}
}

// changed reports whether a clock knows that another thread has changed what was seen.
func (k *look) changed(clock *vclock.Thread) (known bool) {
	l := k.place.lock.P()
	l.spin.Lock()
	if p := k.place.point.P(); l.addr.Load() == k.place.addr && k.place.alive() &&
		p.version != k.place.version {
		known = clock.Knows(p.changed)
	}
	l.spin.Unlock()
	return known
}

// begin begins a section of a lock; p is nil if nothing announced it. The result is as of Acquired.
func (t *Thread) begin(s *state, l *lock, addr uintptr, p *compiled.LockSite) (alone bool) {
	for i := range s.nHeld {
		h := &s.held[i]
		if h.lock.P() != l || h.addr != addr {
			continue
		}
		t.makeOpaque(s, h)
		if p == nil || p.Read || h.read {
			h.depth++
			return false
		}
		s.drop(i) // another goroutine has let it go
		break
	}
	s.sections++
	// A section with another one inside is no single step, so it keeps full order.
	if s.section.on {
		t.makeOpaque(s, &s.held[s.nHeld-1])
	}
	if s.nHeld == maxHeld {
		s.drop(0)
	}
	h := &s.held[s.nHeld]
	*h = held{lock: offheap.To(l), addr: addr, lo: l.lo, hi: l.hi}
	h.read = p != nil && p.Read
	h.complete = p != nil && p.Complete
	s.nHeld++
	if owner := l.owner.Load(); owner != s.id && owner != several {
		if alone = l.owner.CompareAndSwap(0, s.id); !alone {
			l.owner.Store(several)
		}
	}
	if !h.complete {
		s.earlier, t.passing = earlier{}, 0
		l.joinEnded(addr, t.clock.P())
		return alone
	}
	o := &s.section
	t.passing = 0
	o.on, o.number, o.n, o.nEvents, o.site = true, s.sections, 0, 0, offheap.To(p)
	o.alone, o.wrote = s.run.Nil() && l.owner.Load() == s.id, false
	o.waits = !o.alone && mayRepeat(t, s, l, addr)
	if !o.alone && !o.waits {
		o.begin = t.clock.P().Tick()
	}
	return alone
}

// drop gives up the i-th section, whose end won't be seen.
func (s *state) drop(i int) {
	h := &s.held[i]
	h.lock.P().moveAll(h.addr)
	copy(s.held[i:s.nHeld], s.held[i+1:s.nHeld])
	s.nHeld--
}

// makeOpaque makes the section of a lock that is held an opaque one.
func (t *Thread) makeOpaque(s *state, h *held) {
	if !h.complete {
		return
	}
	h.complete, s.section.on, s.section.waits, t.passing = false, false, false, 0
	s.earlier = earlier{}
	unrecord(s)
	h.lock.P().joinEnded(h.addr, t.clock.P())
}

// joinEnded makes a clock know all complete sections of the lock so far.
func (l *lock) joinEnded(addr uintptr, clock *vclock.Thread) {
	l.spin.Lock()
	if l.addr.Load() == addr {
		l.ended.join(clock)
		l.joinReaders(clock)
	}
	l.spin.Unlock()
}

// moveAll notes that any point of the lock may have changed.
func (l *lock) moveAll(addr uintptr) {
	l.spin.Lock()
	if l.addr.Load() == addr {
		l.moved()
	}
	l.spin.Unlock()
}

// moved is moveAll for a lock that is locked.
func (l *lock) moved() {
	l.counter++
	l.wide = l.counter
	l.changes.Add(1)
}

// Releasing says that the goroutine is about to release at addr what it has done, and maybe a lock.
// It reports whether a complete section ends: then the weak clock must not release.
func (t *Thread) Releasing(addr uintptr) (complete bool) {
	s := t.state.P()
	if t.releasingAtomic(s, addr) {
		return true
	}
	if s == nil || s.nHeld == 0 {
		t.releaseForeign(addr)
		return false
	}
	for i := s.nHeld - 1; i >= 0; i-- {
		h := &s.held[i]
		if addr-h.lo >= h.hi-h.lo {
			settle(t, s) // it may be an outer lock that is let go
			continue
		}
		if h.depth > 0 {
			h.depth--
			return false
		}
		ended := *h
		copy(s.held[i:s.nHeld], s.held[i+1:s.nHeld])
		s.nHeld--
		if !ended.complete {
			if !ended.read {
				ended.lock.P().endsOpaque(t.world.P(), ended.addr)
			}
			return false
		}
		s.section.on, t.passing = false, 0
		return t.end(s, &ended)
	}
	t.Flush()
	t.releaseForeign(addr)
	return false
}

// releaseForeign is Releasing for a lock that another goroutine has taken, or for anything else.
func (t *Thread) releaseForeign(addr uintptr) {
	if w := t.world.P(); w != nil {
		if l := w.knownLock(addr); l != nil && l.atomic.Load() != 0 {
			t.unannounced(l, addr)
		} else if l != nil {
			l.moveAll(addr)
		}
	}
}

// Flush makes the weak clock know all that the touches of the goroutine's present section conflict
// with so far. The caller calls it before the goroutine releases anything inside of a section.
func (t *Thread) Flush() {
	s := t.state.P()
	if s == nil || !s.section.on {
		return
	}
	settle(t, s)
	if s.section.n == 0 {
		return
	}
	h := &s.held[s.nHeld-1]
	h.lock.P().joinEnded(h.addr, t.clock.P())
}
