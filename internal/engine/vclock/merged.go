// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package vclock

import (
	"sync/atomic"
	"unsafe"

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
)

// Many goroutines merge into the clock of a WaitGroup, each with a vector of its own, and one
// acquires it. Most of what they merge is known to those that merge later. So a clock keeps what
// was merged as it is, and makes the join when it is asked for, or when there is no more room. It
// begins with the last one: whose epoch is in the join by then adds nothing, by (R).

// A mergers is what was merged into a clock since that was set last.
type mergers struct {
	// Epochs that were merged: a thread's is in the place of its slot, until another one's takes
	// that.
	at      [4]atomic.Uint64
	last    tree                 // the last vector that was merged; the same one is left out
	waiting offheap.Ref[waiting] // what is not in the clock's own vector yet; nil if nothing is
}

// A waiting is a list of snapshots that follow it. Each is of another slot and has its epoch. It
// has no vector where that was merged before it.
type waiting struct {
	n, size uint32
	slots   uint64 // the slots, by their last bits
}

// bit is what stands for a slot in slots.
func bit(slot uint32) uint64 { return 1 << (slot & 63) }

type (
	shortWaiting struct {
		waiting
		_ [fewWaiting]Snapshot
	}
	longWaiting struct {
		waiting
		_ [manyWaiting]Snapshot
	}
)

const (
	fewWaiting  = 5
	manyWaiting = 21
)

var (
	mergersSlab   offheap.Slab[mergers]
	shortWaitings offheap.Slab[shortWaiting]
	longWaitings  offheap.Slab[longWaiting]
)

func (m *mergers) epoch(t *Thread) *atomic.Uint64 { return &m.at[t.slot%uint32(len(m.at))] }

// list is the snapshots of w, which may be nil.
func (w *waiting) list() []Snapshot {
	if w == nil {
		return nil
	}
	return unsafe.Slice((*Snapshot)(unsafe.Add(unsafe.Pointer(w), unsafe.Sizeof(*w))), w.n)
}

// free gives back the memory of a list, which may be nil, and not the snapshots.
func (w *waiting) free() {
	switch {
	case w == nil:
	case w.size == fewWaiting:
		shortWaitings.Put((*shortWaiting)(unsafe.Pointer(w)))
	default:
		longWaitings.Put((*longWaiting)(unsafe.Pointer(w)))
	}
}

// add adds a snapshot of a slot that w has none of. It returns false, and does nothing, where there
// is no room.
func (m *mergers) add(st Snapshot) bool {
	w := m.waiting.P()
	switch {
	case w == nil:
		w = &shortWaitings.Get().waiting
		w.n, w.size, w.slots = 0, fewWaiting, 0
		m.waiting = offheap.To(w)
	case w.n == manyWaiting:
		return false
	case w.n == w.size:
		longer := &longWaitings.Get().waiting
		longer.n, longer.size, longer.slots = w.n, manyWaiting, w.slots
		copy(longer.list(), w.list())
		w.free()
		w = longer
		m.waiting = offheap.To(w)
	}
	w.n++
	w.slots |= bit(st.epoch.Slot())
	w.list()[w.n-1] = st
	return true
}

// again makes an earlier snapshot of t's slot its present one, which knows that by (R). It returns
// false if there is none.
func (m *mergers) again(t *Thread) bool {
	w := m.waiting.P()
	if w == nil || w.slots&bit(t.slot) == 0 {
		return false
	}
	list := w.list()
	for i := range list {
		if list[i].epoch.Slot() == t.slot {
			old := list[i].root
			last := len(list) - 1
			list[i] = list[last] // the latest is the last
			list[last] = t.snapshot()
			unref(old.P())
			return true
		}
	}
	return false
}

// note notes the last vector that is merged. It reports whether that is another one.
func (m *mergers) note(root tree) bool {
	if root == m.last {
		return false
	}
	old := m.last
	m.last = root
	ref(root.P())
	unref(old.P())
	return true
}

// merge sets L(l) := L(l) join T(t), where the present epoch of t is published already.
func (s *LockClock) merge(t *Thread) {
	if s.replaces(t) {
		s.replace(t.snapshot())
		return
	}
	m := s.merges.Load()
	if m == nil {
		m = mergersSlab.Get()
		s.merges.Store(m)
	}
	s.wait(m)
	// Goroutines that end one after another often have one vector, that of the go statements.
	if another := m.note(t.root); !m.again(t) {
		st := Snapshot{extra: t.extra, epoch: t.Now()}
		if another {
			st = t.snapshot()
		}
		if !m.add(st) {
			s.joinWaiting(m)
			s.wait(m)
			m.add(st)
		}
	}
	host.Publish64(m.epoch(t), uint64(t.Now()))
}

// wait has the clock wait with what is merged next if it has one epoch, so that the join may begin
// with a later one. Nothing waits yet if so.
func (s *LockClock) wait(m *mergers) {
	released := Epoch(s.epoch.Load())
	if released == 0 {
		return
	}
	m.note(s.root)
	m.add(Snapshot{s.root, s.extra, released})
	s.root, s.extra = tree{}, 0
	host.Publish64(&s.epoch, 0)
}

// join makes L(l) the join of what waits.
func (s *LockClock) join() {
	if m := s.merges.Load(); m != nil && !m.waiting.Nil() {
		s.joinWaiting(m)
	}
}

// joinWaiting is join where something waits: m is the clock's. Its epoch is 0, as is extra.
func (s *LockClock) joinWaiting(m *mergers) {
	w := m.waiting.P()
	m.waiting = offheap.Ref[waiting]{}
	var beside [2 * manyWaiting]Epoch // the joined ones' extras, and from epochs on their epochs
	const epochs = manyWaiting
	extras, joined := 0, 0
	none := s.root.Nil()
	root, base := s.root.P(), tree{}
	list := w.list()
	var last Snapshot // that was joined, without a reference
	for i := len(list) - 1; i >= 0; i-- {
		st := list[i]
		// What is beside the vectors doesn't count here, as it may be of a snapshot whose vector is
		// still to come.
		if get(root, st.epoch.Slot()) >= st.epoch.Time() {
			continue
		}
		if !st.root.Nil() {
			j := join{a: knowledge{root: root}, b: st.knowledge()}
			root = j.vectors(base.P())
			base = st.root
		}
		last = st
		beside[epochs+joined] = st.epoch
		joined++
		if st.extra != 0 && !has(beside[:extras], st.extra) {
			beside[extras] = st.extra
			extras++
		}
	}
	if none && joined == 1 {
		s.extra = last.extra
		host.Publish64(&s.epoch, uint64(last.epoch))
	} else {
		copy(beside[extras:], beside[epochs:epochs+joined])
		root = setAll(root, beside[:extras+joined])
	}
	s.root = offheap.To(root)
	for i := range list {
		unref(list[i].root.P())
	}
	w.free()
}

// has reports whether one of a list is an epoch, or a later one of its slot.
func has(list []Epoch, e Epoch) bool {
	for _, x := range list {
		if x.Slot() == e.Slot() && x >= e {
			return true
		}
	}
	return false
}

// setAll is set for a list of epochs, where no thread makes the result.
func setAll(n *node, list []Epoch) *node {
	if len(list) <= releasedSize {
		for _, e := range list {
			n = set(n, e, 0)
		}
		return n
	}
	if n != nil && n.level == deltaLevel {
		n = n.delta().fold(0)
	}
	var at *leaf // that of slots from first on: n is its only way, and was made writable
	first := uint32(0)
	for _, e := range list {
		switch slot := e.Slot(); {
		case at != nil && slot&^(fan-1) == first:
			at.time[slot&(fan-1)] = max(at.time[slot&(fan-1)], e.Time())
		case get(n, slot) < e.Time():
			n = setInTree(n, e, 0)
			at, first = leafOf(n, slot), slot&^(fan-1)
		}
	}
	return n
}

// leafOf is the leaf of a slot that n has.
func leafOf(n *node, slot uint32) *leaf {
	for n.level > 0 {
		n = n.inner().kid[index(slot, n.level)].P()
	}
	return n.leaf()
}
