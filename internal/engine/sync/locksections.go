// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package sync

import (
	"sync/atomic"

	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/vclock"
)

// The critical sections that order clocks learn of, see orderclock.go.

// sections are critical sections of a lock in which something was released. Those that were
// forgotten, and those whose begin is not known, are in the clock of the variable.
type sections struct {
	added atomic.Uint32 // moves with each section, and when the record becomes another lock's
	n     int
	at    [4]struct {
		begin vclock.Epoch
		end   vclock.Snapshot
	}
}

var sectionLists offheap.Slab[sections]

// addSection notes that a thread ends a section of a lock; begin is 0 if that is not known.
func addSection(t *vclock.Thread, lock uintptr, begin vclock.Epoch) {
	v := makePageAt(lock).sideVar(lock, ofOrder, true)
	t.AccessEpoch()
	l := v.ended.P()
	if l == nil {
		l = sectionLists.Get()
		l.n = 0
		v.ended = offheap.To(l)
	}
	if begin == 0 {
		v.sync.ReleaseMerge(t)
	} else {
		l.add(v, t, begin)
	}
	l.added.Add(1)
	v.lock.Unlock()
}

// add adds a section that t ends. Where there is no room, the clock of the variable learns the
// oldest one.
func (l *sections) add(v *syncVar, t *vclock.Thread, begin vclock.Epoch) {
	if l.n == len(l.at) {
		v.sync.ReleaseMergeSnapshot(&l.at[0].end)
		l.at[0].end.Drop()
		l.n--
		for i := range l.n {
			l.at[i] = l.at[i+1]
		}
	}
	l.at[l.n].begin, l.at[l.n].end = begin, t.Snapshot()
	l.n++
}

// takeOrdered has g learn of the sections of a lock that come before what it does, and remember
// that.
func takeOrdered(g *Thread, lock uintptr) {
	if !mayHaveSections(g, lock) || knowsSections(g, lock) {
		return
	}
	for {
		before := learnedOrder(g)
		l, added := learnSections(g, lock)
		if learnedOrder(g) == before {
			if g.locks.wantsList() {
				g.locks.list().note(g, lock, l, added)
			}
			return
		}
		learnHeld(g)
	}
}

// learnedOrder changes whenever the order clock of g learns something.
func learnedOrder(g *Thread) uint64 {
	if c := g.order.P(); c != nil {
		return vclock.Learned(&c.Thread) + 1
	}
	return 0
}

// learnSections has g learn of the sections of a lock that come before what it does. It returns
// them, and what added was, or nil if there are none.
func learnSections(g *Thread, lock uintptr) (l *sections, added uint32) {
	p := g.Pages.Find(lock)
	if p == nil || p.block(lock).more.Load() == nil {
		return nil, 0
	}
	v, c := p.findClock(lock | uintptr(ofOrder))
	if v == nil && c == nil {
		return nil, 0
	}
	if v = p.lockFound(v, lock|uintptr(ofOrder), false); v == nil {
		return nil, 0
	}
	if !v.sync.Empty() {
		v.sync.Acquire(&orderClock(g).Thread)
	}
	if l = v.ended.P(); l != nil {
		if added = l.added.Load(); !g.order.Nil() {
			t := &g.order.P().Thread
			for i := range l.n {
				if s := &l.at[i]; t.Knows(s.begin) && !t.Knows(s.end.Epoch()) {
					t.Join(&s.end)
				}
			}
		}
	}
	v.lock.Unlock()
	return l, added
}

// learnHeld has g learn of the sections of the locks that it holds, where it may know more of their
// begins than before: they have ended, as g has the locks.
func learnHeld(g *Thread) {
	for before := uint64(0); before != learnedOrder(g); {
		before = learnedOrder(g)
		for i := 0; ; i++ {
			lock, ok := g.holds.Held(i)
			if !ok {
				break
			}
			learnSections(g, lock)
		}
	}
}

// free gives the sections of a lock back.
func (l *sections) free() {
	if l == nil {
		return
	}
	for i := range l.n {
		l.at[i].end.Drop()
	}
	l.n = 0
	l.added.Add(1)
	sectionLists.Put(l)
}

// A knownSections is what a goroutine has learned of the sections of a lock.
type knownSections struct {
	lastAcquired        // that there are none, or what sections.added was
	any          bool   // there are some
	learned      uint64 // learnedOrder
}

// mayHaveSections reports whether sections of a lock may be known to anybody.
func mayHaveSections(g *Thread, lock uintptr) bool {
	p := g.Pages.Find(lock)
	return p != nil && p.block(lock).tags.Load()&tagOrder != 0
}

// knowsSections reports that takeOrdered would change nothing, where there may be sections. A false
// answer may be wrong.
func knowsSections(g *Thread, lock uintptr) bool {
	m := g.locks.more.P()
	if m == nil {
		return false
	}
	for i := range m.sections {
		if s := &m.sections[i]; s.not == ^lock {
			return s.holds(lock) && (!s.any || s.learned == learnedOrder(g))
		}
	}
	return false
}

// note notes what g has learned of a lock: all of l when added was that, or that l is nil.
func (m *lockList) note(g *Thread, lock uintptr, l *sections, added uint32) {
	s := &m.sections[m.next]
	for i := range m.sections {
		if m.sections[i].not == ^lock {
			s = &m.sections[i]
		}
	}
	if s == &m.sections[m.next] {
		m.next = (m.next + 1) % len(m.sections)
	}
	if s.any = l != nil; !s.any {
		if p := g.Pages.Find(lock); p != nil {
			s.rememberClock(nil, p, lock, lock|uintptr(ofOrder), &g.none)
		}
		return
	}
	s.not, s.learned = ^lock, learnedOrder(g)
	s.was, s.epoch = 0, offheap.To(&g.none)
	s.word, s.had = offheap.To(&l.added), added
}
