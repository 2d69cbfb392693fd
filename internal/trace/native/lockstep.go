// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package native

import (
	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace"
	"github.com/commutego/commute/internal/trace/spec"
)

// lockOf is a value in which an address is written as its distance from the last lock's, with the
// address in the place of that. Shift is where it begins.
func (r *Reader) lockOf(value uint64, shift uint) uint64 {
	d := value >> shift
	address := r.last[spec.Lock] + (d>>1 ^ -(d & 1))
	return address<<shift | value&(1<<shift-1)
}

// tellLock takes a step that says something of synchronization: t, of which more is to be filled
// in.
func (r *Reader) tellLock(t *trace.CallStep, what, value uint64) (err error) {
	c := &r.told
	c.locks = true
	switch t.What = what; what {
	case spec.Takes, spec.Frees:
		address := value >> spec.LockShift
		t.Object, t.Flags = c.object(address), uint8(value&(1<<spec.LockShift-1))
		for uint64(len(c.lockOf)) <= uint64(t.Thread) {
			c.lockOf = append(c.lockOf, 0)
		}
		c.lockOf[t.Thread] = address
	case spec.Meets:
		t.Object, err = r.threadNumber(value)
	}
	c.steps = append(c.steps, *t)
	return err
}

// tellSync tells of synchronization at the lock that was told of last. A Mutex announces its
// synchronization at its own word, which it writes; a RWMutex announces it elsewhere.
func (r *Reader) tellSync(thread uint32, address uint64) {
	if c := &r.told; uint64(thread) < uint64(len(c.lockOf)) && c.lockOf[thread] == address {
		r.tellAtomic(event.AtomicRMW, thread, address)
	}
}

// tellAtomic tells of an atomic operation on what is a variable of plain accesses, too. Other
// atomic operations order threads, and that is all that they do for a prediction.
func (r *Reader) tellAtomic(k event.Kind, thread uint32, address uint64) {
	if !r.told.locks || !r.sparse {
		return
	}
	p := r.bytes.page(address >> pageBits)
	if p == nil {
		return
	}
	if v := r.bytes.at(p, address%pageSize); v != 0 {
		r.told.steps = append(r.told.steps, trace.CallStep{
			Event: r.told.index, Kind: k, Thread: thread, Object: v - 1,
			Offset: uint16(address % pageSize),
		})
	}
}

// tellSplit tells where the part of a variable begins that is about to be split off. What is atomic
// or a lock may lie in it.
func (r *Reader) tellSplit(part uint32, address uint64) {
	if r.told.locks {
		r.told.steps = append(r.told.steps, trace.CallStep{
			Event: r.told.index, Kind: event.Split, Object: part,
			Offset: uint16(address % pageSize),
		})
	}
}
