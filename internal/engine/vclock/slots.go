// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package vclock

import (
	"sync/atomic"
	"unsafe"

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
)

const (
	slotChunk  = 1 << 12 // slots in a piece of the table
	reuseTries = 3       // free slots that a fork looks at, at each end of the queue
	maxWaiting = 1 << 11 // free slots that may wait for such a fork, and two for each live thread
)

// A slotTable says which thread has a slot, and which slots are free.
//
// A thread can have the slot of an ended one at once if its parent knows the last epoch of that
// thread. Its times go on where the ended thread's stopped. All of the ended thread happens before
// all of the new one, so that one component of a vector is enough for both.
//
// If too many free slots wait for such a parent, the next thread has the oldest of them, and is
// made to know its end. That is an order that the program did not make. A race may be missed with
// a goroutine that ended some thousand unjoined goroutines ago; none is invented.
type slotTable struct {
	lock   offheap.Lock
	chunks [maxSlots / slotChunk]offheap.Ref[chunk]
	used   atomic.Uint32 // slots 0 to used-1 were in use at some time
	limit  uint32        // the number of slots that there may be, if not 0: tests have fewer
	live   threadList
	free   ring

	collector collector
}

type chunk [slotChunk]offheap.AtomicRef[Thread]

// take returns a slot for a child of parent: a free one, or one that was never in use.
func (s *slotTable) take(parent *Thread) freeSlot {
	e, ok := s.reuse(parent)
	if !ok {
		e.last.epoch = makeEpoch(s.newSlot(), 0)
	}
	return e
}

// reuse finds a free slot for a child of parent. Where parent knows the end of the slot's thread,
// the result has no vector: the child need not join it.
func (s *slotTable) reuse(parent *Thread) (freeSlot, bool) {
	if e, ok := s.takeKnown(parent); ok {
		e.last = Snapshot{epoch: dropRoot(e.last)}
		return e, true
	}
	if s.free.size > maxWaiting+2*s.live.n.Load() {
		e := s.free.pop()
		if parent != nil && parent.Knows(e.last.epoch) {
			e.last = Snapshot{epoch: dropRoot(e.last)}
		}
		return e, true
	}
	return freeSlot{}, false
}

// takeKnown takes out a free slot whose end parent knows. It looks at the last few first, which are
// of children that were just waited for. Then it looks at the first few, and puts them back last,
// so that each free slot has its turn.
func (s *slotTable) takeKnown(parent *Thread) (freeSlot, bool) {
	if parent == nil {
		return freeSlot{}, false
	}
	r := &s.free
	for i := uint32(1); i <= min(reuseTries, r.size); i++ {
		if e := *r.at(r.size - i); parent.Knows(e.last.epoch) {
			*r.at(r.size - i) = *r.at(r.size - 1)
			r.size--
			return e, true
		}
	}
	for range min(reuseTries, r.size) {
		e := r.pop()
		if parent.Knows(e.last.epoch) {
			return e, true
		}
		r.push(e)
	}
	return freeSlot{}, false
}

// dropRoot drops s and returns its epoch.
func dropRoot(s Snapshot) Epoch {
	e := s.epoch
	s.Drop()
	return e
}

// newSlot returns a slot that was never in use.
func (s *slotTable) newSlot() uint32 {
	n := s.used.Load()
	if n == maxSlots || s.limit != 0 && n >= s.limit {
		exitNoSlots()
	}
	if s.chunks[n/slotChunk].Nil() {
		s.chunks[n/slotChunk] = offheap.To((*chunk)(host.Alloc(unsafe.Sizeof(chunk{}))))
	}
	s.used.Store(n + 1)
	return n
}

// exitNoSlots ends the program: too many goroutines are alive at once, or ended and not waited for.
func exitNoSlots() {
	const text = "commute: there are too many goroutines at once to tell them apart: " +
		"16 million are alive or ended a moment ago " +
		"(have fewer at a time, or leave this test out)\n"
	host.Write(2, unsafe.Slice(unsafe.StringData(text), len(text)))
	host.Exit(2)
}

// thread is the entry of a slot in the table: the live thread that has it, or nil.
func (s *slotTable) thread(slot uint32) *offheap.AtomicRef[Thread] {
	return &s.chunks[slot/slotChunk].P()[slot%slotChunk]
}

// endThread frees the slot of t, which has ended.
func (s *slotTable) endThread(t *Thread) {
	s.lock.Lock()
	t.lock.Lock()
	t.alive = false
	e := freeSlot{Snapshot{t.root, t.extra, t.Now()}}
	t.root, t.extra = tree{}, 0
	if !t.marked && !t.pinned && !t.snapshotTaken && !t.releasedInCall &&
		t.published.Load() == 0 && e.last.epoch.Time() > 0 {
		// No event has the present time and no thread knows it. So a parent need only know the time
		// before it, and the next thread begins with this one.
		e.last.epoch--
	}
	t.lock.Unlock()
	s.thread(t.slot).Store(nil)
	s.live.remove(t)
	s.free.push(e)
	s.collector.note(e.last.epoch)
	s.lock.Unlock()
}
