// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package vclock

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/offheap"
)

// A slotList is a list of slots, in no order. The table has the place of each in it.
type slotList struct {
	buf offheap.Ref[uint32]
	log uint // its capacity is 1<<log words of 8 bytes, 0 where buf is nil
	n   uint32
}

func (l *slotList) at(i uint32) *uint32 {
	return (*uint32)(unsafe.Add(unsafe.Pointer(l.buf.P()), uintptr(i)*unsafe.Sizeof(i)))
}

func (l *slotList) push(slot uint32) {
	if l.buf.Nil() || l.n == 2<<l.log {
		old := unsafe.Slice(l.buf.P(), l.n)
		l.log = max(l.log+1, 6)
		l.buf = offheap.To((*uint32)(arrays.Get(l.log)))
		copy(unsafe.Slice(l.buf.P(), l.n), old)
		if l.n > 0 {
			arrays.Put(unsafe.Pointer(unsafe.SliceData(old)), l.log-1)
		}
	}
	*l.at(l.n) = slot
	l.n++
}

// A freeSlot is a slot that no thread has: the last clock of the thread that had it.
type freeSlot struct {
	last Snapshot
}

// A ring is a queue of free slots.
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
	// A free slot has at most 4 words, 1<<2.
	bigger.buf = offheap.To((*freeSlot)(arrays.Get(bigger.log + 2)))
	for i := uint32(0); i < r.size; i++ {
		*bigger.at(i) = *r.at(i)
	}
	if !r.buf.Nil() {
		arrays.Put(unsafe.Pointer(r.buf.P()), r.log+2)
	}
	*r = bigger
}
