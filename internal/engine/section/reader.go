// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"sync/atomic"

	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/vclock"
)

// Many goroutines load one atomic variable again and again, such as a pointer to a table, and
// nearly nobody stores to it. Each load is a section, but all that it leaves is its thread's clock:
// a change of the variable comes after it. So a thread keeps the clock of its last load itself, in
// a reader of the variable, and writes nothing that other threads use. A thread that changes the
// variable, or comes after all of its sections, fetches these clocks.
//
// A reader is active while it is in the list of the variable's lock. A load by an active reader
// holds the reader's own lock in place of the variable's order. An announced operation that may
// change the variable first takes all readers out of the list. So none is made between such a load
// and what is noted of it, but for loads. Other changes are seen by the lock's number of them, or
// by the value.
//
// A load that may be a check, or is made in an activation, is not made in this way, nor one of a
// variable that has changed since its thread has loaded it last: that one learns something.

// A reader is a thread's last load of a variable. Only its thread makes it active.
type reader struct {
	spin    offheap.Lock // guards what follows; it is taken after the spin of the lock
	active  atomic.Uint32
	addr    uintptr
	lock    offheap.Ref[lock]
	point   offheap.Ref[point]
	created uint64 // of the point
	value   uint64
	changes uint64 // of the lock
	clock   vclock.Snapshot
	next    offheap.Ref[reader] // in the lock's list; the lock's spin guards it

	// The variable that its thread has loaded last, with no active reader there, and its changes
	// then. If it loads that again it may become active.
	last        offheap.Ref[lock]
	lastChanges uint64
}

// A thread has so many readers. Which one is a variable's depends on its address.
const (
	logReaders = 3
	nReaders   = 1 << logReaders
)

// reader is where the thread's reader of a variable is, if there is one.
func (s *state) reader(addr uintptr) *reader {
	return &s.readers[uint64(addr)*0x9E3779B97F4A7C15>>(64-logReaders)]
}

// beginAgain begins a load of an announced variable by an active reader, and returns that, with its
// lock held. It returns nil if there is none.
func beginAgain(t *Thread, s *state, a *announced) *reader {
	r := s.reader(a.base)
	if r.active.Load() == 0 || r.addr != a.base || !s.run.Nil() || a.event.Goid != 0 ||
		s.nHeld == maxHeld {
		return nil
	}
	// As any section in another one, it makes that opaque. This takes the other's lock, so it comes
	// before the reader's is taken.
	if s.section.on {
		t.makeOpaque(s, &s.held[s.nHeld-1])
	}
	r.spin.Lock()
	if l := r.lock.P(); r.active.Load() == 0 || l.changes.Load() != r.changes ||
		r.point.P().place.P().under.Load() != l {
		r.spin.Unlock()
		return nil
	}
	return r
}

// endAgain ends a load that beginAgain has begun, which has found a value. It reports whether the
// reader has noted that. If not, the value is another one: something has changed it unseen.
func endAgain(t *Thread, s *state, r *reader, value uint64) bool {
	same := value == r.value
	if same {
		s.sections++
		if clock := t.clock.P(); clock.Now() != r.clock.Epoch() {
			clock.Tick()
			r.clock.Renew(clock)
		}
	}
	r.spin.Unlock()
	return same
}

// keepReader notes that a load was recorded, of the variable that l is the lock of, while other
// announced operations of it wait. From the second one on that finds nothing changed, the reader
// may be active. Changes are those of the lock when the load was recorded.
func keepReader(s *state, l *lock, addr uintptr, changes uint64, clock *vclock.Thread) {
	o := &s.section
	if o.n != 1 || o.nEvents > 0 || writes(o.touches[0].of.P().Op) || !s.run.Nil() {
		return
	}
	r := s.reader(addr)
	if r.last.P() != l || r.lastChanges != changes {
		r.last, r.lastChanges = offheap.To(l), changes
		return
	}
	r.retire()
	l.spin.Lock()
	if l.addr.Load() == addr {
		e := &o.entries[o.touches[0].main]
		r.spin.Lock()
		r.addr, r.lock, r.changes = addr, offheap.To(l), changes
		r.point, r.created, r.value = e.point, e.point.P().created, o.touches[0].value
		r.clock.Renew(clock)
		r.next = offheap.To(l.readers.Load())
		r.active.Store(1)
		r.spin.Unlock()
		l.readers.Store(r)
	}
	l.spin.Unlock()
}

// retire makes a reader inactive, for the use of its thread.
func (r *reader) retire() {
	if r.active.Load() == 0 {
		return // nobody else makes it active
	}
	l := r.lock.P()
	l.spin.Lock()
	if r.active.Load() != 0 { // else it is in no list any more
		if l.readers.Load() == r {
			l.readers.Store(r.next.P())
		} else {
			at := &l.readers.Load().next
			for at.P() != r {
				at = &at.P().next
			}
			*at = r.next
		}
		r.dismiss(l)
	}
	l.spin.Unlock()
}

// dismiss makes a reader inactive, which is in no list any more, and keeps its clock with the
// variable. The lock is locked.
func (r *reader) dismiss(l *lock) {
	r.spin.Lock()
	r.active.Store(0)
	if p := r.point.P(); p.created == r.created {
		p.read.addSnapshot(r.clock.Copy())
	}
	l.ended.addSnapshot(r.clock)
	r.clock = vclock.Snapshot{}
	r.spin.Unlock()
}

// dismissAll makes all readers of a lock's variable inactive. The lock is locked.
func (l *lock) dismissAll() {
	for r := l.readers.Load(); r != nil; {
		next := r.next.P()
		r.dismiss(l)
		r = next
	}
	l.readers.Store(nil)
}

// changing comes before an announced operation that may change the variable, while no other one of
// it is made but by readers.
func (l *lock) changing() {
	if l.readers.Load() != nil {
		l.spin.Lock()
		l.dismissAll()
		l.spin.Unlock()
	}
}

// joinReaders makes a clock know the loads of the readers. The lock is locked.
func (l *lock) joinReaders(clock *vclock.Thread) {
	for r := l.readers.Load(); r != nil; r = r.next.P() {
		r.spin.Lock()
		clock.Join(&r.clock)
		r.spin.Unlock()
	}
}

// retireAll retires the readers of a thread that ends.
func retireAll(s *state) {
	for i := range s.readers {
		r := &s.readers[i]
		r.retire()
		r.last = offheap.Ref[lock]{}
	}
}
