// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package vclock

import (
	"sync/atomic"

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
)

// Goroutines that one has started, and that do little, all release the same vector to the clock
// that it waits for: the one that they began with. What differs is an epoch of each. So the clock
// keeps these as a list, and puts them into a tree many at a time. A thread that acquires a short
// list takes it as it is.
//
// Readers of a lock release to one clock again and again, and nobody asks for it until a writer
// comes. So what a thread releases once more is kept as it is, in the place of what it has released
// before: by (R) it knows all that. It is merged when someone asks.

const (
	lateSize = 25
	places   = 4
)

// A mergers is what was merged into a clock since that was set last. The clock's epoch is 0 then.
type mergers struct {
	last  tree  // the last vector: a repeat is skipped
	extra Epoch // the last epoch that a thread knew beside its vector
	// Epochs whose vectors were merged: a thread's is in the place of its slot, until another one's
	// takes that.
	at [places]atomic.Uint64
	// What those threads have released since, which is not in the clock yet; nKept of them are not
	// zero.
	kept  [places]Snapshot
	nKept uint32

	n    uint32
	late [lateSize]Epoch // the first n were released, and may be later than in the clock's vector
}

var mergersSlab offheap.Slab[mergers]

func (m *mergers) epoch(t *Thread) *atomic.Uint64 { return &m.at[t.slot%places] }

// late is the epochs that are beside the clock's vector.
func (s *LockClock) late() []Epoch {
	if m := s.merges.Load(); m != nil {
		return m.late[:m.n]
	}
	return nil
}

// latest is the last epoch of a slot in a list, 0 if there is none.
func latest(list []Epoch, slot uint32) (last Epoch) {
	for _, e := range list {
		if e.Slot() == slot {
			last = max(last, e)
		}
	}
	return last
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
		m.last = offheap.To(ref(s.root.P()))
		s.merges.Store(m)
		s.add(m, s.extra)
		s.add(m, Epoch(s.epoch.Load()))
		m.extra, s.extra = s.extra, 0
		host.Publish64(&s.epoch, 0)
	}
	if !m.keep(t) {
		s.mergeKept(m, t.slot%places)
		s.mergeOne(m, Snapshot{t.root, t.extra, t.Now()})
	}
	host.Publish64(m.epoch(t), uint64(t.Now()))
}

// keep notes what t releases, for later. It returns false where its place is another thread's.
func (m *mergers) keep(t *Thread) bool {
	if e := Epoch(m.epoch(t).Load()); e == 0 || e.Slot() != t.slot {
		return false
	}
	k := &m.kept[t.slot%places]
	if k.epoch == 0 {
		m.nKept++
	}
	if k.root != t.root {
		old := k.root
		k.root = t.root
		ref(t.root.P())
		unref(old.P())
	}
	k.extra, k.epoch = t.extra, t.Now()
	return true
}

// mergeKept merges what is kept in a place.
func (s *LockClock) mergeKept(m *mergers, place uint32) {
	if k := &m.kept[place]; k.epoch != 0 {
		s.mergeOne(m, *k)
		k.Drop()
		m.nKept--
	}
}

// mergeAll merges all that is kept.
func (s *LockClock) mergeAll() {
	if m := s.merges.Load(); m != nil && m.nKept > 0 {
		for i := range uint32(places) {
			s.mergeKept(m, i)
		}
	}
}

// mergeOne merges what one thread has released.
func (s *LockClock) mergeOne(m *mergers, of Snapshot) {
	if of.root != m.last {
		j := join{a: knowledge{root: s.root.P()}, b: of.knowledge()}
		s.root = offheap.To(j.vectors(m.last.P()))
		unref(m.last.P())
		m.last = of.root
		ref(m.last.P())
	}
	if of.extra != m.extra {
		s.add(m, of.extra)
		m.extra = of.extra
	}
	s.add(m, of.epoch)
}

// add adds an epoch to those beside the vector.
func (s *LockClock) add(m *mergers, e Epoch) {
	if e == 0 {
		return
	}
	if m.n == lateSize {
		s.settleLate()
	}
	m.late[m.n] = e
	m.n++
}

// settle puts all that is beside the vector into it.
func (s *LockClock) settle() {
	s.mergeAll()
	s.settleLate()
}

// settleLate puts the epochs that are beside the vector into it.
func (s *LockClock) settleLate() {
	if late := s.late(); len(late) > 0 {
		s.root = offheap.To(setAll(s.root.P(), late, 0, maxSlots))
		s.merges.Load().n = 0
	}
}

// ownsTree reports whether the clock's vector is a tree that nothing else refers to, so that to
// settle copies no node but shared ones further down.
func (s *LockClock) ownsTree() bool {
	n := s.root.P()
	return n != nil && n.level != deltaLevel && n.refs.Load() == 1
}

// setAll is set for a list, without the slot except. The result is a tree if the list is long.
func setAll(n *node, list []Epoch, maker Epoch, except uint32) *node {
	long := len(list) > shortSize
	if long && n != nil && n.level == deltaLevel {
		n = n.delta().fold(maker)
	}
	for _, e := range list {
		switch {
		case e.Slot() == except:
		case !long:
			n = set(n, e, maker)
		case get(n, e.Slot()) < e.Time():
			n = setInTree(n, e, maker)
		}
	}
	return n
}

// forgetMerged comes before the clock is set. What it forgets may be another clock's at once, while
// HasMerged looks at it for a thread. That doesn't find its own epoch there, as it merges nothing
// meanwhile.
func (s *LockClock) forgetMerged() {
	m := s.merges.Load()
	if m == nil {
		return
	}
	s.merges.Store(nil)
	for i := range m.at {
		host.Publish64(&m.at[i], 0)
	}
	for i := 0; m.nKept > 0; i++ {
		if k := &m.kept[i]; k.epoch != 0 {
			k.Drop()
			m.nKept--
		}
	}
	unref(m.last.P())
	m.last, m.extra, m.n = tree{}, 0, 0
	mergersSlab.Put(m)
}
