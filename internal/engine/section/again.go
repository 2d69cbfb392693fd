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
//   - The thread has learned nothing since, and no other one has joined its clock.
//   - The thread has had no other section in between.
//
// By the last two, a thread that knows the section that is kept knows all that came before the next
// one, as far as it matters here: that is sections, and there were none.

// An earlier is the section that a thread has ended last, if it may stand for the next one. Its
// touches are those that the thread's open section has, until new ones take their places.
type earlier struct {
	lock    offheap.Ref[lock]
	addr    uintptr
	changes uint64       // of the lock
	n       int          // how many touches there are
	kept    vclock.Epoch // of the section that was kept; 0 if there is none
	ended   vclock.Epoch // of the last one that it stands for
	next    bool         // the section that is open repeats it so far, and nothing has come between
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
func again(s *state, l *lock, h *held, clock *vclock.Thread) bool {
	e := &s.earlier
	if !e.next || s.section.n != e.n || !s.run.Nil() || e.lock.P() != l || e.addr != h.addr ||
		e.changes != l.changes.Load() || l.addr.Load() != h.addr ||
		!clock.UnchangedSince(e.kept) || !s.section.onlyReads(l) {
		return false
	}
	e.ended = clock.Now()
	return true
}

// keepRead notes that a section was recorded, of lock l as it is while it is locked.
func keepRead(s *state, l *lock, h *held, clock *vclock.Thread) {
	e := &s.earlier
	e.kept, e.next = 0, false
	if s.run.Nil() && s.section.onlyReads(l) {
		e.lock, e.addr, e.changes, e.n = offheap.To(l), h.addr, l.changes.Load(), s.section.n
		e.kept, e.ended = clock.Now(), clock.Now()
	}
}
