// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package atomicity

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/offheap"
)

// A frontier says, by slot, from which time on the goroutines that have had the slot are reached: a hash table.
type frontier struct {
	table offheap.Ref[reachable] // 1<<log of them
	log   uint
	n     uint32
}

// A reach is the part of one slot.
type reachable struct {
	slot  uint32 // and 1, 0 for none
	from  uint64 // the first time that is reached
	until uint64 // the first that isn't any more, for it is another goroutine's; 0 for none
	_     uint64
}

const reachableLog = 2 // a reach is 1<<reachLog words

var tables offheap.Arrays

func (f *frontier) at(i uint32) *reachable {
	return (*reachable)(unsafe.Add(unsafe.Pointer(f.table.P()), uintptr(i)*unsafe.Sizeof(reachable{})))
}

// find returns the part of a slot, or an empty place for it; nil if there are no places.
func (f *frontier) find(slot uint32) *reachable {
	if f.table.Nil() {
		return nil
	}
	mask := uint32(1)<<f.log - 1
	for i := slot * 0x9E3779B1 >> 8; ; i++ {
		if r := f.at(i & mask); r.slot == slot+1 || r.slot == 0 {
			return r
		}
	}
}

// get returns the part of a slot, nil if nothing of it is reached.
func (f *frontier) get(slot uint32) *reachable {
	if r := f.find(slot); r != nil && r.slot != 0 {
		return r
	}
	return nil
}

// add reaches a slot from a time on. There is room for one goroutine of a slot: what is known of an earlier one is lost.
func (f *frontier) add(slot uint32, from uint64) {
	if f.table.Nil() || f.n*4 >= 3<<f.log {
		f.grow()
	}
	r := f.find(slot)
	switch {
	case r.slot == 0:
		f.n++
		*r = reachable{slot: slot + 1, from: from}
	case r.until != 0 && from >= r.until:
		r.from, r.until = from, 0
	default:
		r.from = min(r.from, from)
	}
}

func (f *frontier) grow() {
	old := *f
	f.log = max(2, old.log+1)
	f.table = offheap.To((*reachable)(tables.Get(f.log + reachableLog)))
	if old.table.Nil() {
		return
	}
	for i := range uint32(1) << old.log {
		if r := old.at(i); r.slot != 0 {
			*f.find(r.slot - 1) = *r
		}
	}
	tables.Put(unsafe.Pointer(old.table.P()), old.log+reachableLog)
}

// each calls do with all slots of which something is reached.
func (f *frontier) each(do func(slot uint32, r *reachable)) {
	if f.table.Nil() {
		return
	}
	for i := range uint32(1) << f.log {
		if r := f.at(i); r.slot != 0 {
			do(r.slot-1, r)
		}
	}
}

func (f *frontier) drop() {
	if !f.table.Nil() {
		tables.Put(unsafe.Pointer(f.table.P()), f.log+reachableLog)
	}
	*f = frontier{}
}
