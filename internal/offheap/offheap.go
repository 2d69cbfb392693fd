// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package offheap hands out memory that Go's garbage collector neither sees nor pays for: slabs of
// records of one type, arrays whose lengths are powers of two, and a spin lock to guard them.
//
// The engine lives in the watched program, often inside its memory allocator's callers, so it must
// not allocate there; and what it keeps must not keep the program's objects alive. Memory that was
// given back is used again for the same type only (it is type-stable), so that a reader without a
// lock that follows a stale pointer still finds a record of the type it expects.
package offheap

import (
	"sync/atomic"
	"unsafe"

	"github.com/commutego/commute/internal/host"
)

// A Lock is a spin lock. Its holders are never preempted in the watched program, and hold it for
// a bounded, short time.
type Lock struct{ state atomic.Uint32 }

// Lock takes the lock, waiting for its holder.
func (l *Lock) Lock() {
	if l.state.CompareAndSwap(0, 1) {
		return
	}
	for try := 0; ; try++ {
		if l.state.Load() == 0 && l.state.CompareAndSwap(0, 1) {
			return
		}
		host.Pause(try)
	}
}

// Unlock lets the lock go.
func (l *Lock) Unlock() { host.Publish32(&l.state, 0) }

const (
	batch     = 32 // records that move between a thread's store and the common one at a time
	chunkSize = 32 << 10
)

// A Slab hands out records of type T. The zero Slab is ready for use.
//
// Each of host.Shards processors has a store of its own, which needs no lock where the caller is
// bound to its processor (host.Bound). A store that has run empty, or over, exchanges a batch with
// the common one: else a program where one thread makes what another gives back would grow for ever.
type Slab[T any] struct {
	store  [host.Shards]store[T]
	lock   Lock
	common store[T]
	rest   uintptr // records left in the chunk at next
	next   Ref[slot[T]]
}

// A store is a list of n free records.
type store[T any] struct {
	lock   Lock // only where callers may meet
	n      uint32
	locked bool
	free   Ref[slot[T]]
	_      [40]byte // stores are on cache lines of their own
}

// A slot is a record, and while it is free the link to the next free one. The link has a word of
// its own: readers without a lock may still look at the record.
type slot[T any] struct {
	value T
	link  Ref[slot[T]]
}

func (st *store[T]) push(r *slot[T]) {
	r.link = st.free
	st.free = To(r)
	st.n++
}

func (st *store[T]) pop() *slot[T] {
	r := st.free.P()
	st.free = r.link
	st.n--
	return r
}

// mine returns the store of the current processor, locked if need be.
func (s *Slab[T]) mine() *store[T] {
	i := host.Shard()
	st := &s.store[i]
	if !host.Bound || i == host.Shards-1 {
		st.lock.Lock()
		st.locked = true
	}
	return st
}

func (st *store[T]) done() {
	if st.locked {
		st.locked = false
		st.lock.Unlock()
	}
}

// Get returns a record. Its contents are zero or what they were when it was put back.
func (s *Slab[T]) Get() *T {
	st := s.mine()
	if st.n == 0 {
		s.fill(st)
	}
	r := st.pop()
	st.done()
	return &r.value
}

// fill moves a batch into st, from the common store or the system.
func (s *Slab[T]) fill(st *store[T]) {
	s.lock.Lock()
	for st.n < batch && s.common.n > 0 {
		st.push(s.common.pop())
	}
	size := unsafe.Sizeof(slot[T]{})
	if st.n == 0 && s.rest == 0 {
		s.rest = max(chunkSize/size, 1)
		s.next = To((*slot[T])(host.Alloc(s.rest * size)))
	}
	for st.n == 0 || st.n < batch && s.rest > 0 {
		r := s.next.P()
		s.rest--
		s.next.addr += size // no pointer: there is nothing behind the last
		st.push(r)
	}
	s.lock.Unlock()
}

// Put gives a record back.
func (s *Slab[T]) Put(p *T) {
	st := s.mine()
	st.push((*slot[T])(unsafe.Pointer(p)))
	if st.n >= 4*batch {
		s.lock.Lock()
		for range 2 * batch {
			s.common.push(st.pop())
		}
		s.lock.Unlock()
	}
	st.done()
}

// Arrays hands out blocks of 2^k words of 8 bytes.
type Arrays struct {
	lock Lock
	free [48]Ref[uintptr] // by k; the first word of a free block links to the next
}

// Get returns 8<<k zeroed bytes.
func (a *Arrays) Get(k uint) unsafe.Pointer {
	a.lock.Lock()
	p := unsafe.Pointer(a.free[k].P())
	if p != nil {
		a.free[k] = *(*Ref[uintptr])(p)
	}
	a.lock.Unlock()
	if p == nil {
		return host.Alloc(8 << k)
	}
	clear(unsafe.Slice((*uint64)(p), 1<<k))
	return p
}

// Put gives back a block that Get(k) returned.
func (a *Arrays) Put(p unsafe.Pointer, k uint) {
	a.lock.Lock()
	*(*Ref[uintptr])(p) = a.free[k]
	a.free[k] = To((*uintptr)(p))
	a.lock.Unlock()
}
