// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package coverage

import (
	"sync/atomic"
	"unsafe"

	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/vclock"
)

// An Object is what is kept of one object, or of one lock: its entries.
type Object struct {
	lock offheap.Lock
	life atomic.Uint32 // moves on when the object's memory is used anew
	// version moves on when there is a new entry, or another goroutine has taken the lock at the
	// place of one.
	version atomic.Uint32
	n, next int // how many entries there are; the one that is given up next
	log     uint
	entries offheap.Ref[entry] // room for 1<<log
}

// An entry is an operation that a goroutine has run on the object. Of a lock it is one of up to two
// goroutines: whoever takes the lock next, another one than that has had it before.
type entry struct {
	op    offheap.Ref[operation]
	epoch vclock.Epoch
	goid  uint64
	keys  [commrace.Keys]uint64 // of a lock, the first one is the second goroutine
	beta  uint64
}

const (
	entryLog = 3 // of the words of an entry
	firstLog = 3 // of the room for entries, at first
	mostLog  = 6
	most     = 1 << mostLog
)

var (
	objects    offheap.Slab[Object]
	arrays     offheap.Arrays
	objectLock offheap.Lock
)

// ObjectAt is the record that a reference has, which is made if it has none.
func ObjectAt(at *offheap.AtomicRef[Object]) *Object {
	if o := at.Load(); o != nil {
		return o
	}
	objectLock.Lock()
	o := at.Load()
	if o == nil {
		o = objects.Get()
		o.n, o.next, o.entries = 0, 0, offheap.Ref[entry]{}
		at.Store(o)
	}
	objectLock.Unlock()
	return o
}

// Drop forgets the record that a reference has, as the memory of its object is free.
func Drop(at *offheap.AtomicRef[Object]) {
	o := at.Load()
	if o == nil {
		return
	}
	at.Store(nil)
	o.lock.Lock()
	o.life.Add(1)
	if p := o.entries.P(); p != nil {
		arrays.Put(unsafe.Pointer(p), o.log+entryLog)
	}
	o.n, o.entries = 0, offheap.Ref[entry]{}
	o.lock.Unlock()
	objects.Put(o)
}

// at is the i-th entry.
func (o *Object) at(i int) *entry {
	return (*entry)(unsafe.Add(unsafe.Pointer(o.entries.P()), uintptr(i)*unsafe.Sizeof(entry{})))
}

// add returns an entry for something new.
func (o *Object) add() *entry {
	o.version.Add(1)
	switch {
	case o.entries.Nil():
		o.log = firstLog
		o.entries = offheap.To((*entry)(arrays.Get(o.log + entryLog)))
	case o.n < 1<<o.log:
	case o.log < mostLog:
		bigger := (*entry)(arrays.Get(o.log + 1 + entryLog))
		for i := range o.n {
			*(*entry)(unsafe.Add(unsafe.Pointer(bigger), uintptr(i)*unsafe.Sizeof(entry{}))) = *o.at(i)
		}
		arrays.Put(unsafe.Pointer(o.entries.P()), o.log+entryLog)
		o.entries = offheap.To(bigger)
		o.log++
	default:
		e := o.at(o.next)
		o.next = (o.next + 1) % most
		return e
	}
	o.n++
	return o.at(o.n - 1)
}
