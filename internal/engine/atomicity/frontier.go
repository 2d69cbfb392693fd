// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package atomicity

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/offheap"
)

// A frontier says, by slot, from which time on the goroutines that have had the slot are reached.
// It is a hash table.
type frontier struct {
	table offheap.Ref[reachable] // 1<<log entries
	log   uint
	n     uint32
}

// A reachable is a frontier's entry for one slot.
type reachable struct {
	slot  uint32 // plus 1; 0 for an empty entry
	from  uint64 // the first time that is reached
	until uint64 // the first time of the slot's next goroutine, which isn't reached; 0 for none
	_     uint64
}

const reachableLog = 2 // a reachable is 1<<reachableLog words

var tables offheap.Arrays

func (f *frontier) at(i uint32) *reachable {
	return (*reachable)(unsafe.Add(unsafe.Pointer(f.table.P()),
		uintptr(i)*unsafe.Sizeof(reachable{})))
}

// find returns the entry of a slot, or an empty one for it; nil if there is no table yet.
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

// get returns the entry of a slot, nil if nothing of it is reached.
func (f *frontier) get(slot uint32) *reachable {
	if r := f.find(slot); r != nil && r.slot != 0 {
		return r
	}
	return nil
}

// add makes a slot reached from a time on. An entry has room for one goroutine of the slot: what
// was reached of an earlier one is forgotten.
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

// each calls do for all slots of which something is reached.
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
