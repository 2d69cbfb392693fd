// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package vclock

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/offheap"
)

// A threadList is a list of threads, in no order. A thread knows its index in it.
type threadList struct {
	buf offheap.Ref[offheap.Ref[Thread]]
	log uint // its capacity is 1<<log, 0 where buf is nil
	n   uint32
}

func (l *threadList) at(i uint32) *offheap.Ref[Thread] {
	return (*offheap.Ref[Thread])(unsafe.Add(unsafe.Pointer(l.buf.P()),
		uintptr(i)*unsafe.Sizeof(offheap.Ref[Thread]{})))
}

func (l *threadList) add(t *Thread) {
	n := l.n
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
	l.n = n + 1
	t.listed = true
}

// remove takes t out; the last thread of the list takes its index.
func (l *threadList) remove(t *Thread) {
	n := l.n - 1
	last := *l.at(n)
	*l.at(t.listIndex) = last
	last.P().listIndex = t.listIndex
	l.n = n
	t.listed = false
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
