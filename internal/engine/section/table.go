// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
)

const (
	blockBits = 8
	firstLog  = 13
	mostLog   = 21
	perList   = 2 // places, on average, with which the table grows
)

// A table is 1<<(firstLog+more) lists of places, by a hash of the 256 bytes that they are in. The
// lists are behind it in memory.
//
// A place has two links. A larger table uses the link that the table before does not use. So a
// lookup that still goes through the lists of the table before finds them as they were. It may miss
// a place that was added since, and begins anew then: tracked.removed counts changes of the table,
// too. A table is never freed.
type table struct {
	more, link uint32
}

// at is the list with index i.
func (t *table) at(i uintptr) *offheap.AtomicRef[place] {
	return (*offheap.AtomicRef[place])(unsafe.Add(unsafe.Pointer(t),
		unsafe.Sizeof(table{})+i*unsafe.Sizeof(offheap.AtomicRef[place]{})))
}

// list is the list that a place at addr is in.
func (t *table) list(addr uintptr) *offheap.AtomicRef[place] {
	return t.at(uintptr(uint32(addr>>blockBits)*0x9E3779B1>>8) & (t.size() - 1))
}

func (t *table) size() uintptr { return 1 << ((firstLog + t.more) & 31) }

// push puts a place first in its list.
func (t *table) push(p *place) {
	l := t.list(p.addr.Load())
	p.next[t.link&1].Store(l.Load())
	l.Store(p)
}

// grow makes room for one more place. The lock is held. O(1) for each place that was ever added.
func (w *tracked) grow() {
	old := w.table()
	if uintptr(w.n) < perList*old.size() || firstLog+old.more >= mostLog {
		return
	}
	more := old.more + 2
	t := (*table)(host.Alloc(unsafe.Sizeof(table{}) +
		unsafe.Sizeof(offheap.AtomicRef[place]{})<<(firstLog+more)))
	t.more, t.link = more, 1-old.link
	for i := range old.size() {
		for p := old.at(i).Load(); p != nil; p = p.next[old.link&1].Load() {
			t.push(p)
		}
	}
	w.larger.Store(t)
	w.removed.Add(1)
}
