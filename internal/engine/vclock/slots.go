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
	endChunk   = 1 << 6  // those in a piece of their endings
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
	// The slots of live threads, and those that were freed and are not in the queue yet.
	live slotList
	free ring

	// The slot that was freed last and is not in the queue yet, plus one; each leads to the one
	// before. So a thread ends without the lock.
	ended atomic.Uint32
	// The thread that the last free slots were looked at for in vain, and how much it had learned.
	asked   offheap.Ref[Thread]
	learned uint64

	collector collector
}

type (
	chunk struct {
		threads [slotChunk]offheap.AtomicRef[Thread]
		ends    [slotChunk / endChunk]offheap.Ref[[endChunk]ending]
	}
	// An ending is the end of the thread that a slot had last, until the slot is in the queue.
	ending struct {
		last Snapshot
		live uint32 // the place of the slot in the list of live ones
		next uint32 // as slotTable.ended
		// No event has the last time, and no thread knows it. So a parent need only know the time
		// before it, and the next thread begins with this one.
		unused bool
	}
)

// take returns a slot for a child of parent: a free one, or one that was never in use. It is in the
// list of live ones by then.
func (s *slotTable) take(parent *Thread) freeSlot {
	if e, ok := s.takeEnded(parent); ok {
		return e
	}
	s.collectFreed(false)
	e, ok := s.reuse(parent)
	if !ok {
		e.last.epoch = makeEpoch(s.newSlot(), 0)
	}
	s.addLive(e.last.epoch.Slot())
	return e
}

// takeEnded takes out the slot that was freed last, if that is not in the queue and parent knows
// its end, as of a child that it has just waited for. Only who has the lock takes from that list,
// so what comes after its first one stays the same as long as that is the first.
func (s *slotTable) takeEnded(parent *Thread) (freeSlot, bool) {
	at := s.ended.Load()
	if parent == nil || at == 0 {
		return freeSlot{}, false
	}
	end := s.ending(at - 1)
	last := end.epoch()
	if !parent.Knows(last) || !s.ended.CompareAndSwap(at, end.next) {
		return freeSlot{}, false
	}
	end.last.Drop()
	s.collector.note(last)
	return freeSlot{Snapshot{epoch: last}}, true
}

// epoch is the last epoch that an event of the thread may have.
func (e *ending) epoch() Epoch {
	if e.unused {
		return e.last.epoch - 1
	}
	return e.last.epoch
}

// reuse finds a free slot for a child of parent. Where parent knows the end of the slot's thread,
// the result has no vector: the child need not join it.
func (s *slotTable) reuse(parent *Thread) (freeSlot, bool) {
	if e, ok := s.takeKnown(parent); ok {
		e.last = Snapshot{epoch: dropRoot(e.last)}
		return e, true
	}
	if s.free.size > maxWaiting+2*s.live.n {
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
// so that each free slot has its turn. The last ones need no look where the same parent has looked
// in vain, and has learned nothing since: it may start many threads before it waits for one.
func (s *slotTable) takeKnown(parent *Thread) (freeSlot, bool) {
	if parent == nil {
		return freeSlot{}, false
	}
	r := &s.free
	last := min(reuseTries, r.size)
	if s.asked.P() == parent && s.learned == parent.learned {
		last = 0
	}
	for i := uint32(1); i <= last; i++ {
		if e := *r.at(r.size - i); parent.Knows(e.last.epoch) {
			*r.at(r.size - i) = *r.at(r.size - 1)
			r.size--
			return e, true
		}
	}
	s.asked, s.learned = offheap.To(parent), parent.learned
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
	if ends := &s.chunks[n/slotChunk].P().ends[n%slotChunk/endChunk]; ends.Nil() {
		*ends = offheap.To((*[endChunk]ending)(host.Alloc(unsafe.Sizeof([endChunk]ending{}))))
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
	return &s.chunks[slot/slotChunk].P().threads[slot%slotChunk]
}

func (s *slotTable) ending(slot uint32) *ending {
	ends := s.chunks[slot/slotChunk].P().ends[slot%slotChunk/endChunk]
	return &ends.P()[slot%endChunk]
}

// addLive notes that a thread lives.
func (s *slotTable) addLive(slot uint32) {
	s.ending(slot).live = s.live.n
	s.live.push(slot)
}

// removeLive takes a slot out of the list of live ones; the last one takes its place.
func (s *slotTable) removeLive(slot uint32) {
	at := s.ending(slot).live
	s.live.n--
	last := *s.live.at(s.live.n)
	*s.live.at(at) = last
	s.ending(last).live = at
}

// lockLive returns the thread of a slot in the list of live ones, locked, or nil if it has ended.
func (s *slotTable) lockLive(slot uint32) *Thread {
	t := s.thread(slot).Load()
	if t == nil {
		return nil
	}
	t.lock.Lock()
	if s.thread(slot).Load() == nil {
		t.lock.Unlock()
		return nil
	}
	return t
}

// endThread frees the slot of t, which has ended. Only the lock of t is needed. Who has that one
// sees t in the table, or its slot among those that were freed.
func (s *slotTable) endThread(t *Thread) {
	slot := t.slot
	e := s.ending(slot)
	t.lock.Lock()
	e.last = Snapshot{t.root, t.extra, t.Now()}
	t.root, t.extra = tree{}, 0
	e.unused = !t.marked && !t.pinned && !t.snapshotTaken && !t.releasedInCall &&
		t.published.Load() == 0 && e.last.epoch.Time() > 0
	s.thread(slot).Store(nil)
	for {
		e.next = s.ended.Load()
		if s.ended.CompareAndSwap(e.next, slot+1) {
			break
		}
	}
	t.lock.Unlock()
}

// collectFreed puts the slots that were freed meanwhile into the queue, those that were freed last
// at its end. With join set the collector joins what their threads knew.
func (s *slotTable) collectFreed(join bool) {
	if s.ended.Load() == 0 {
		return
	}
	first := uint32(0) // turns the list round
	for at := s.ended.Swap(0); at != 0; {
		e := s.ending(at - 1)
		e.next, first, at = first, at, e.next
	}
	for first != 0 {
		e := s.ending(first - 1)
		s.removeLive(first - 1)
		first = e.next
		last := e.last
		if join { // the last time is no longer unknown
			s.collector.thread.P().Join(&last)
		} else {
			last.epoch = e.epoch()
			s.collector.note(last.epoch)
		}
		e.last = Snapshot{}
		s.free.push(freeSlot{last})
	}
}
