// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package coverage

import (
	"sync/atomic"
	"unsafe"

	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
)

// An operation is a method of a type at a place, or the taking of a lock there. There is one record
// of each, which is never freed.
type operation struct {
	next  offheap.Ref[operation]
	table offheap.Ref[commrace.Table] // nil for a lock
	// kind is the number of a method, or bits of a mode in which a lock is taken.
	kind uint32
	id   uint32
	site uintptr // a return address in the function that runs it
}

// Bits of the kind of a lock's operation.
const (
	read   = 1 << iota // others can hold the lock for reading as well
	shared             // it can be held for reading
)

// A pair is two operations, of which the first has the lower id, or both are the same.
type pair struct {
	next   offheap.Ref[pair]
	first  offheap.Ref[operation]
	second offheap.Ref[operation]
	state  atomic.Uint32
}

// What was seen of a pair of operations.
const (
	Alone     = 1 << iota // one goroutine has run both
	Before                // two goroutines, and the first operation happened before the second
	After                 // two goroutines, and it happened after the second
	Unordered             // two goroutines, and nothing orders the two
)

// known has all operations and pairs. The lists are changed under the lock, at their heads.
var known struct {
	lock       offheap.Lock
	types      uint32       // how many types have a number
	numbers    offheap.Memo // the numbers of types, by their tables
	operations offheap.Memo // the operations, by type, kind and site
	pairs      offheap.Memo // the pairs, by two ids
	ids        uint32       // the id that was given last
	first      offheap.AtomicRef[operation]
	firstPair  offheap.AtomicRef[pair]
}

// maxTypes is how many types are followed. A key has 10 bits for the number of one.
const maxTypes = 1<<10 - 1

// numberOf is the number of a type, from 1 on; 0 if there are too many.
func numberOf(t *commrace.Table) uint64 {
	key := uint64(uintptr(unsafe.Pointer(t)))
	if n, ok := known.numbers.Get(key); ok {
		return n
	}
	known.lock.Lock()
	n, ok := known.numbers.Get(key)
	if !ok {
		if known.types < maxTypes {
			known.types++
			n = uint64(known.types)
		}
		known.numbers.Put(key, n)
	}
	known.lock.Unlock()
	return n
}

// operationOf is the operation of a kind at a site, nil if that is not followed. The table is nil
// for a lock.
func operationOf(t *commrace.Table, kind uint32, site uintptr) *operation {
	number := uint64(0)
	if t != nil {
		if number = numberOf(t); number == 0 {
			return nil
		}
	}
	if site == 0 || uint64(site)>>48 != 0 {
		return nil
	}
	key := uint64(site)<<16 | number<<6 | uint64(kind)
	if p, ok := known.operations.Get(key); ok {
		return offheapOperation(p)
	}
	known.lock.Lock()
	if p, ok := known.operations.Get(key); ok {
		known.lock.Unlock()
		return offheapOperation(p)
	}
	op := (*operation)(host.Alloc(unsafe.Sizeof(operation{})))
	known.ids++
	op.table, op.kind, op.site, op.id = offheap.To(t), kind, site, known.ids
	op.next = offheap.To(known.first.Load())
	known.first.Store(op)
	known.operations.Put(key, uint64(uintptr(unsafe.Pointer(op))))
	known.lock.Unlock()
	return op
}

// offheapOperation and offheapPair are the records that a number stands for.
func offheapOperation(p uint64) *operation {
	u := uintptr(p)
	return *(**operation)(unsafe.Pointer(&u))
}

func offheapPair(p uint64) *pair {
	u := uintptr(p)
	return *(**pair)(unsafe.Pointer(&u))
}

// note notes what was seen of two operations, of which the earlier one came first.
func note(earlier, later *operation, seen uint32) {
	if earlier.id > later.id {
		earlier, later = later, earlier
		if seen == Before {
			seen = After
		}
	} else if earlier == later && seen == Before {
		seen = Before | After
	}
	p := pairOf(earlier, later)
	for {
		old := p.state.Load()
		if old&seen == seen || p.state.CompareAndSwap(old, old|seen) {
			return
		}
	}
}

// pairOf is the pair of two operations, the first one with the lower id.
func pairOf(first, second *operation) *pair {
	key := uint64(first.id)<<32 | uint64(second.id)
	if p, ok := known.pairs.Get(key); ok {
		return offheapPair(p)
	}
	known.lock.Lock()
	if p, ok := known.pairs.Get(key); ok {
		known.lock.Unlock()
		return offheapPair(p)
	}
	p := (*pair)(host.Alloc(unsafe.Sizeof(pair{})))
	p.first, p.second = offheap.To(first), offheap.To(second)
	p.next = offheap.To(known.firstPair.Load())
	known.firstPair.Store(p)
	known.pairs.Put(key, uint64(uintptr(unsafe.Pointer(p))))
	known.lock.Unlock()
	return p
}
