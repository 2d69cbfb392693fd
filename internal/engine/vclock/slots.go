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
	reuseTries = 3       // ended threads that a fork looks at, at each end of the queue
	maxWaiting = 1 << 11 // ended threads that may wait for that, and two for each live one
)

// A slotTable says who has a slot, and which slots are free. A slot whose thread ended at epoch e
// can be had at once by a thread whose parent knows e: its times go on where they stopped, and by
// then all of the old thread happens before all of the new one, so nothing is confused.
// Where too many wait for such a parent, the oldest is had by a thread that is made to know its
// end: an order that the program did not make, so a race may be missed with a goroutine that ended
// some thousand unjoined goroutines ago; none is invented.
type slotTable struct {
	lock   offheap.Lock
	chunks [maxSlots / slotChunk]offheap.Ref[chunk]
	used   atomic.Uint32 // slots 0 to used-1 have been had
	limit  uint32        // the number of slots that there may be, if not 0: tests have fewer
	live   threadList
	free   ring
}

type chunk [slotChunk]offheap.AtomicRef[Thread]

// A list is the live threads, in no order.
type threadList struct {
	buf offheap.Ref[offheap.Ref[Thread]]
	log uint // its capacity is 1<<log, 0 where buf is nil
	n   atomic.Uint32
}

func (l *threadList) at(i uint32) *offheap.Ref[Thread] {
	return (*offheap.Ref[Thread])(unsafe.Add(unsafe.Pointer(l.buf.P()), uintptr(i)*unsafe.Sizeof(offheap.Ref[Thread]{})))
}

func (l *threadList) add(t *Thread) {
	n := l.n.Load()
	if l.buf.Nil() || n == 1<<l.log {
		old := unsafe.Slice(l.buf.P(), n)
		l.log = max(l.log+1, 6)
		l.buf = offheap.To((*offheap.Ref[Thread])(arrays.Get(l.log)))
		for i := range n {
			*l.at(i) = old[i]
		}
		if n > 0 {
			arrays.Put(unsafe.Pointer(unsafe.SliceData(old)), l.log-1)
		}
	}
	t.listIndex = n
	*l.at(n) = offheap.To(t)
	l.n.Store(n + 1)
}

func (l *threadList) remove(t *Thread) {
	n := l.n.Load() - 1
	last := *l.at(n)
	*l.at(t.listIndex) = last
	last.P().listIndex = t.listIndex
	l.n.Store(n)
}

// An end is a slot that nobody has: the last stamp of who had it.
type freeSlot struct {
	last Snapshot
}

// A ring is a queue of ends.
type ring struct {
	buf         offheap.Ref[freeSlot]
	log         uint // its capacity is 1<<log, 0 where buf is nil
	first, size uint32
}

var arrays offheap.Arrays

func (r *ring) at(i uint32) *freeSlot {
	i = (r.first + i) & (1<<r.log - 1)
	return (*freeSlot)(unsafe.Add(unsafe.Pointer(r.buf.P()), uintptr(i)*unsafe.Sizeof(freeSlot{})))
}

func (r *ring) push(e freeSlot) {
	if r.buf.Nil() || r.size == 1<<r.log {
		r.grow()
	}
	r.size++
	*r.at(r.size - 1) = e
}

func (r *ring) pop() freeSlot {
	e := *r.at(0)
	r.first++
	r.size--
	return e
}

func (r *ring) grow() {
	bigger := ring{log: max(r.log+1, 6), size: r.size}
	bigger.buf = offheap.To((*freeSlot)(arrays.Get(bigger.log + 2))) // an end has at most 4 words
	for i := uint32(0); i < r.size; i++ {
		*bigger.at(i) = *r.at(i)
	}
	if !r.buf.Nil() {
		arrays.Put(unsafe.Pointer(r.buf.P()), r.log+2)
	}
	*r = bigger
}

// start fills in t as a thread with its parent's stamp (root, own), in a slot of its own. It uses
// up the reference to root.
func (w *World) start(t, parent *Thread, root tree, parentEpoch Epoch) {
	s := &w.slots
	s.lock.Lock()
	e, ok := s.reuse(parent)
	if !ok {
		e.last.epoch = makeEpoch(s.newSlot(), 0)
	}
	t.world, t.slot = offheap.To(w), e.last.epoch.Slot()
	time := e.last.epoch.Time() + 1
	if time > maxTime {
		time = maxTime
		w.Exhausted.Store(1)
	}
	host.Publish64(&t.time, time)
	host.Publish32(&t.published, 0)
	host.Publish64(&t.held, 0)
	t.SetEpochID(0)
	t.marked, t.pinned, t.snapshotTaken = false, false, false
	t.unchangedSince = t.time.Load()
	t.alive = true
	t.root, t.extra, t.keptSnapshot = root, parentEpoch, 0
	s.thread(t.slot).Store(t)
	s.live.add(t)
	if e.last.root.Nil() && e.last.extra == 0 {
		s.lock.Unlock()
		return
	}
	// Whoever goes through all threads knows the slot's earlier times by this one, so t must know all of those by then.
	t.lock.Lock()
	maker := t.Now()
	j := join{a: knowledge{root: t.root.P(), extra: t.extra}, b: e.last.knowledge(), maker: maker}
	n := j.vectors(nil)
	if x := e.last.extra; x != 0 {
		n = set(n, x, maker)
	}
	t.root = offheap.To(n)
	t.lock.Unlock()
	s.lock.Unlock()
	e.last.Drop()
}

// reuse finds an ended thread's slot for a child of parent. The stamp keeps its root only where
// the child has to be told of it.
func (s *slotTable) reuse(parent *Thread) (freeSlot, bool) {
	if e, ok := s.takeKnown(parent); ok {
		e.last = Snapshot{epoch: dropRoot(e.last)}
		return e, true
	}
	if s.free.size > maxWaiting+2*s.live.n.Load() {
		e := s.free.pop()
		if parent != nil && parent.Knows(e.last.epoch) {
			e.last = Snapshot{epoch: dropRoot(e.last)} // then the child need not be told
		}
		return e, true
	}
	return freeSlot{}, false
}

// seen takes out an end that parent knows: one of the last, as of children that were just waited
// for, or else one of the first, which come round.
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

func dropRoot(s Snapshot) Epoch {
	e := s.epoch
	s.Drop()
	return e
}

// fresh returns a slot that was never had.
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

// noSlot ends the program, which has too many goroutines alive, or ended and not waited for, at once.
func exitNoSlots() {
	const text = "commute: there are too many goroutines at once to tell them apart: 16 million are alive or " +
		"ended a moment ago (have fewer at a time, or leave this test out)\n"
	host.Write(2, unsafe.Slice(unsafe.StringData(text), len(text)))
	host.Exit(2)
}

func (s *slotTable) thread(slot uint32) *offheap.AtomicRef[Thread] {
	return &s.chunks[slot/slotChunk].P()[slot%slotChunk]
}

// release frees the slot of t, which has ended.
func (s *slotTable) endThread(t *Thread) {
	s.lock.Lock()
	t.lock.Lock()
	t.alive = false
	e := freeSlot{Snapshot{t.root, t.extra, t.Now()}}
	t.root, t.extra = tree{}, 0
	if !t.marked && !t.pinned && !t.snapshotTaken && t.published.Load() == 0 && e.last.epoch.Time() > 0 {
		e.last.epoch-- // nobody knows the present time, which nothing bears: it's enough to know the one before
	}
	t.lock.Unlock()
	s.thread(t.slot).Store(nil)
	s.live.remove(t)
	s.free.push(e)
	s.lock.Unlock()
}

// giveAway notes that the moment e is known to a thread that joined a stamp of it.
func (w *World) publish(e Epoch) {
	if t := w.slots.thread(e.Slot()).Load(); t != nil {
		t.published.Store(publishedToAll)
		t.clearEpochID()
	}
}

// JoinAll makes t know the present of every thread, alive and ended. O(slots).
func (t *Thread) JoinAll() {
	s := &t.World().slots
	s.lock.Lock() // so that each is either alive, or among those that ended, with all that it knew
	for slot := uint32(0); slot < s.used.Load(); slot++ {
		if other := s.thread(slot).Load(); other != nil && other != t {
			p := other.RemoteSnapshot()
			t.Join(&p)
			p.Drop()
		}
	}
	// What these knew is known of the others by now, or is what one of these has done itself.
	t.lock.Lock()
	t.ensureUnused(0)
	t.unchangedSince = t.time.Load()
	maker := t.Now()
	n := t.root.P()
	for i := uint32(0); i < s.free.size; i++ {
		n = set(n, s.free.at(i).last.epoch, maker)
	}
	t.root = offheap.To(n)
	t.lock.Unlock()
	s.lock.Unlock()
}
