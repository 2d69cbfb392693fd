// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package coverage

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/vclock"
)

// A Thread is what a goroutine remembers of the operations that it has run, so that it knows
// repeats. It has none before the first.
type Thread struct {
	calls [1 << repeatBits]repeat
	locks [1 << repeatBits]repeat
}

const repeatBits = 4

// A repeat is an operation on one object, and what has to be as it was then.
type repeat struct {
	object  offheap.Ref[Object]
	op      offheap.Ref[operation]
	life    uint32
	version uint32                // of a lock
	epoch   vclock.Epoch          // of a call
	keys    [commrace.Keys]uint64 // likewise
	beta    uint64
}

var threads offheap.Slab[Thread]

// ThreadAt is the record that a reference has, which is made if it has none. Only the goroutine
// itself calls it.
func ThreadAt(at *offheap.Ref[Thread]) *Thread {
	if at.Nil() {
		t := threads.Get()
		*t = Thread{}
		*at = offheap.To(t)
	}
	return at.P()
}

// End forgets the record that a reference has, as the goroutine has ended.
func End(at *offheap.Ref[Thread]) {
	if !at.Nil() {
		end(at)
	}
}

func end(at *offheap.Ref[Thread]) {
	threads.Put(at.P())
	*at = offheap.Ref[Thread]{}
}

// slot is where an operation on an object with a key is remembered.
func slot(o *Object, op *operation, key uint64) uint64 {
	h := uint64(op.id)*0x9E3779B97F4A7C15 ^ uint64(uintptr(unsafe.Pointer(o)))*0xBF58476D1CE4E5B9 ^ key
	return h * 0x9E3779B97F4A7C15 >> (64 - repeatBits)
}
