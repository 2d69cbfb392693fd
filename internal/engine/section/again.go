// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"unsafe"

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

// An earlier is the section that a thread has ended last, if it may stand for the next one.
type earlier struct {
	lock    offheap.Ref[lock]
	addr    uintptr
	changes uint64       // of the lock
	touches uint64       // a hash of them
	kept    vclock.Epoch // of the section that was kept; 0 if there is none
	ended   vclock.Epoch // of the last one that it stands for
	next    bool         // nothing has come between that and the present section
}

// readsAlike is a hash of the touches of a section of a lock that only reads what sections of that
// lock have touched last, 0 of any other.
func (o *open) readsAlike(l *lock) (hash uint64) {
	if o.nEvents > 0 {
		return 0
	}
	for i := range o.n {
		x := &o.touches[i]
		at := x.place.P()
		if writes(x.of.P().Op) || at.under.Load() != l {
			return 0
		}
		for _, v := range [...]uint64{uint64(uintptr(unsafe.Pointer(x.of.P()))),
			uint64(uintptr(unsafe.Pointer(at))),
			uint64(at.generation.Load()), x.key, x.value, x.n} {
			hash = mix(hash, v)
		}
	}
	return hash | 1
}

// again reports whether the section that ends, of lock l, repeats the last one. Then it has nothing
// to do.
func again(s *state, l *lock, h *held, clock *vclock.Thread) bool {
	e := &s.earlier
	if !e.next || !s.run.Nil() || e.lock.P() != l || e.addr != h.addr ||
		e.changes != l.changes.Load() || l.addr.Load() != h.addr ||
		!clock.UnchangedSince(e.kept) || s.section.readsAlike(l) != e.touches {
		return false
	}
	e.ended = clock.Now()
	return true
}

// keepRead notes that a section was recorded, of lock l as it is while it is locked.
func keepRead(s *state, l *lock, h *held, clock *vclock.Thread) {
	e := &s.earlier
	e.kept, e.next = 0, false
	if !s.run.Nil() {
		return
	}
	if e.touches = s.section.readsAlike(l); e.touches != 0 {
		e.lock, e.addr, e.changes = offheap.To(l), h.addr, l.changes.Load()
		e.kept, e.ended = clock.Now(), clock.Now()
	}
}
