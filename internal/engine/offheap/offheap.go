// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package offheap hands out memory that Go's garbage collector neither sees nor pays for: slabs of
// records of one type, arrays whose lengths are powers of two, and a spin lock to guard them.
//
// Input: requests for records and arrays, by any number of threads at once, and the records that
// they give back. Output: pointers and references ([Ref]) to memory of the system.
//
// The engine lives in the watched program, often inside its memory allocator's callers, so it must
// not allocate there. What the engine keeps must not keep the program's objects alive. Memory that
// was given back is used again for the same type only (it is type-stable). So a reader without a
// lock that follows a stale pointer still finds a record of the type it expects.
//
// # Terms
//
//	record    a value of one type, handed out by a slab
//	store     the free records of one processor
//	magazine  a batch of free records that a store has given up for others to take
//	chunk     memory from the system that is divided into records
//	shard     the number of a processor, as package host has it
package offheap

import (
	"sync/atomic"
	"unsafe"

	"github.com/commutego/commute/internal/engine/host"
)

// A Lock is a spin lock. Its holders are never preempted in the watched program, and hold it for
// a bounded, short time. Callers have preemption disabled, as hooks have. What a goroutine calls
// that can be preempted, such as the one that makes the texts of reports, has a [Guard].
type Lock struct{ state atomic.Uint32 }

// Lock takes the lock, waiting for its holder.
func (l *Lock) Lock() {
	if !l.state.CompareAndSwap(0, 1) {
		l.wait()
	}
}

// TryLock takes the lock if it is free.
func (l *Lock) TryLock() bool { return l.state.CompareAndSwap(0, 1) }

// wait is the slow path of Lock. It loads before it tries to swap, as a swap that fails takes the
// cache line from the holder all the same.
func (l *Lock) wait() {
	for try := 0; ; try++ {
		if l.state.Load() == 0 && l.state.CompareAndSwap(0, 1) {
			return
		}
		host.Pause(try)
	}
}

// Unlock releases the lock. Whoever takes it next sees what its holder has written.
func (l *Lock) Unlock() { host.Publish32(&l.state, 0) }

// A Guard is a Lock that may be taken by callers that can be preempted. Its holder can't be.
type Guard struct{ lock Lock }

// Lock takes the lock, waiting for its holder, and disables preemption until Unlock.
func (g *Guard) Lock() {
	host.Pin()
	g.lock.Lock()
}

// Unlock releases the lock.
func (g *Guard) Unlock() {
	g.lock.Unlock()
	host.Unpin()
}

const (
	batch     = 32 // records that move between a thread's store and the common one at a time
	chunkSize = 32 << 10

	// A slab that has had so many chunks gets larger ones, for each of which the system gives
	// memory at once: a page fault for each page takes longer, and there are two where a page is
	// read first.
	manyChunks = 8
	largeChunk = 128 << 10
)

// A Slab hands out records of type T. The zero Slab is ready for use.
//
// It is all of one type but for its two methods: the engine has some forty slabs, and the compiler
// would compile a copy of everything for each.
type Slab[T any] struct{ records }

// Get returns a record. Its contents are zero or what they were when it was put back.
func (s *Slab[T]) Get() *T {
	// There is no variable of type T here: a large one would be on the heap.
	return (*T)(s.get((unsafe.Sizeof(*(*T)(nil)) + 7) &^ 7))
}

// Put gives a record back. Its contents stay as they are.
func (s *Slab[T]) Put(p *T) { s.put(unsafe.Pointer(p)) }

// records are those of a slab.
//
// Each of host.Shards processors has a store of its own, which needs no lock where the caller is
// bound to its processor (host.Bound). A store that has run empty, or over, exchanges a batch with
// the common one. Otherwise a program where one thread makes what another gives back would grow for
// ever. A free record is not written to: no processor has it in its cache, and readers without a
// lock may still look at it. So the stores have references to the records, and there is no list
// through them.
type records struct {
	store [host.Shards]store
	lock  Lock
	full  Ref[magazine]
	empty Ref[magazine]
	rest  uintptr // records left in the chunk at next
	next  Ref[byte]

	chunks uint32 // that the slab has had, up to manyChunks
}

// A store is n free records.
type store struct {
	lock   Lock // only where callers may meet
	n      uint32
	locked bool
	free   [2 * batch]Ref[byte]
	_      [40]byte // stores are on cache lines of their own
}

// A magazine is a batch of free records in the common store, or room for one.
type magazine struct {
	free [batch]Ref[byte]
	next Ref[magazine]
}

// mine returns the store of the current processor, locked if need be. The last store is for callers
// that have no processor, so it is locked always.
func (s *records) mine() *store {
	i := host.Shard()
	st := &s.store[i]
	if !host.Bound || i == host.Shards-1 {
		st.lock.Lock()
		st.locked = true
	}
	return st
}

// done releases a store that mine returned.
func (st *store) done() {
	if st.locked {
		st.locked = false
		st.lock.Unlock()
	}
}

// get returns a record of size bytes, which are the same for all of the slab. Most records that
// were given back by the thousand are in no cache any more, so the next one is fetched meanwhile.
func (s *records) get(size uintptr) unsafe.Pointer {
	if i := host.Shard(); host.Bound && i != host.Shards-1 {
		if st := &s.store[i]; st.n > 0 { // most often
			st.n--
			return unsafe.Pointer(st.free[st.n].P())
		}
	}
	st := s.mine()
	if st.n == 0 {
		s.fill(st, size)
	}
	st.n--
	p := st.free[st.n].P()
	if st.n > 0 {
		host.Prefetch(st.free[st.n-1].addr)
	}
	st.done()
	return unsafe.Pointer(p)
}

// fill puts records into st, which is empty, from the common store or the system. It takes a
// magazine if there is one, and leaves the empty magazine for a later spill.
func (s *records) fill(st *store, size uintptr) {
	s.lock.Lock()
	if m := s.full.P(); m != nil {
		// The builtin copy would be shorter, but the compiler of Go 1.26 fails on such pointers.
		for _, r := range m.free {
			st.free[st.n] = r
			st.n++
		}
		s.full, m.next = m.next, s.empty
		s.empty = To(m)
		s.lock.Unlock()
		return
	}
	var large Ref[byte]
	if s.rest == 0 {
		large = s.grow(size)
	}
	for st.n < batch && s.rest > 0 {
		st.free[st.n] = s.next
		st.n++
		s.rest--
		s.next.addr += size // no pointer: there is nothing behind the last
	}
	s.lock.Unlock()
	if !large.Nil() {
		host.Back(unsafe.Pointer(large.P()), largeChunk/size*size)
	}
}

// grow gets a chunk from the system, and returns it if it is a large one. The lock is held.
func (s *records) grow(size uintptr) (large Ref[byte]) {
	chunk := uintptr(chunkSize)
	if s.chunks == manyChunks && size <= largeChunk {
		chunk = largeChunk
	} else {
		s.chunks = min(s.chunks+1, manyChunks)
	}
	s.rest = max(chunk/size, 1)
	s.next = To((*byte)(host.Alloc(s.rest * size)))
	if chunk == largeChunk {
		large = s.next
	}
	return large
}

// put gives a record back.
func (s *records) put(p unsafe.Pointer) {
	if i := host.Shard(); host.Bound && i != host.Shards-1 {
		if st := &s.store[i]; st.n < 2*batch {
			st.free[st.n] = To((*byte)(p))
			st.n++
			return
		}
	}
	st := s.mine()
	if st.n == 2*batch {
		s.spill(st)
	}
	st.free[st.n] = To((*byte)(p))
	st.n++
	st.done()
}

// spill moves a batch to the common store. It takes the records that were put back first, which are
// the least likely to be in this processor's cache.
func (s *records) spill(st *store) {
	s.lock.Lock()
	m := s.empty.P()
	if m == nil {
		m = (*magazine)(host.Alloc(unsafe.Sizeof(magazine{})))
	} else {
		s.empty = m.next
	}
	for i := range m.free {
		m.free[i], st.free[i] = st.free[i], st.free[i+batch]
	}
	st.n -= batch
	m.next = s.full
	s.full = To(m)
	s.lock.Unlock()
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
