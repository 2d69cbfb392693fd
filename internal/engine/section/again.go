// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/vclock"
)

// A loop that reads under a lock has one section after the other that does what the last one did.
// If nothing has changed meanwhile, the last one stands for the next, and nothing is written that
// other threads share. All of this must hold:
//
//   - The section only reads, in no activation, and its touches are those of the last section.
//   - No section of the lock has changed anything since, and no opaque one may have. No section of
//     another lock has touched any of that: a write outside of sections is taken for one under the
//     lock of the last touch.
//   - The thread is at the epoch of the last section still. So it has learned nothing since, and
//     has had no other section in between: it would have left an epoch that marks something.
//
// So what comes before either section comes before both, as far as it matters here: that is
// sections, and there were none between the two. What comes after the first need not come after
// the second, as the thread may have released meanwhile. That matters not: a section that only
// reads, in no activation, is in no finding, and whoever is in conflict with it learns what its
// thread knew by then. Of that, the second has nothing but its own epoch.
//
// A section that may repeat the last one waits for an epoch of its own. The thread gets one before
// anything is marked with it: at the first touch that differs, before it releases something, or at
// the end. Until then others can learn of the section by JoinAll only, when they come after it.

// An earlier is the section that a thread has ended last, if it may stand for the next one. Its
// touches are those that the thread's open section has, until new ones take their places.
type earlier struct {
	lock    offheap.Ref[lock]
	addr    uintptr
	changes uint64       // of the lock
	n       int          // how many touches there are
	kept    vclock.Epoch // of the section that was kept; 0 if there is none
	next    bool         // the section that is open repeats it so far, and nothing has come between
	joins   uint32       // those of the world when the section that is open has begun
}

// mayRepeat reports whether a section of lock l, which has begun, may repeat the last one.
func mayRepeat(t *Thread, s *state, l *lock, addr uintptr) bool {
	e := &s.earlier
	e.next = e.kept != 0 && t.clock.P().Now() == e.kept && e.lock.P() == l && e.addr == addr &&
		s.run.Nil()
	if e.next {
		e.joins = t.world.P().joins.Load()
	}
	return e.next
}

// repeat puts the next touch of the section in its place, and finds out whether the touch there,
// of the last section, was the same.
func (o *open) repeat(e *earlier, y touch) *touch {
	x := &o.touches[o.n]
	e.next = e.next && o.n < e.n && x.of == y.of && x.place == y.place &&
		x.generation == y.generation && x.key == y.key && x.value == y.value && x.n == y.n
	o.n++
	*x = y
	return x
}

// settle gives the open section its epoch, if it waits for one: it is to be recorded.
//
// A thread that has joined all others since the section has begun comes after it, but knows of the
// epoch before alone. Then that is the section's.
func settle(t *Thread, s *state) {
	o, e := &s.section, &s.earlier
	if !o.waits {
		return
	}
	o.waits = false
	o.begin = t.clock.P().Tick()
	// It is added to, so that a thread that counts later than this sees the new epoch.
	if t.world.P().joins.Add(0) != e.joins {
		o.begin = e.kept
	}
}

// Joins says that the goroutine is about to join the weak clocks of all others.
func Joins(t *Thread) {
	if w := t.world.P(); w != nil {
		w.joins.Add(1)
	}
}

// onlyReads reports whether a section of a lock only reads, and what sections of that lock have
// touched last.
func (o *open) onlyReads(l *lock) bool {
	if o.nEvents > 0 {
		return false
	}
	for i := range o.n {
		if x := &o.touches[i]; writes(x.of.P().Op) || x.place.P().under.Load() != l {
			return false
		}
	}
	return true
}

// again reports whether the section that ends, of lock l, repeats the last one. Then it has nothing
// to do.
func again(s *state, l *lock, clock *vclock.Thread) bool {
	o, e := &s.section, &s.earlier
	if !o.waits || o.n != e.n || !s.run.Nil() || e.changes != l.changes.Load() ||
		l.addr.Load() != e.addr || clock.Now() != e.kept || !o.onlyReads(l) {
		return false
	}
	o.waits = false
	return true
}

// keepRead notes that a section was recorded, of lock l as it is while it is locked.
func keepRead(s *state, l *lock, h *held, clock *vclock.Thread) {
	e := &s.earlier
	e.kept, e.next = 0, false
	if s.run.Nil() && s.section.onlyReads(l) {
		e.lock, e.addr, e.changes, e.n = offheap.To(l), h.addr, l.changes.Load(), s.section.n
		e.kept = clock.Now()
	}
}
