// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package datarace

import (
	"sync/atomic"
	"unsafe"

	"github.com/commutego/commute/check/vclock"
	"github.com/commutego/commute/internal/host"
	"github.com/commutego/commute/internal/offheap"
)

// A Life is what is kept of a goroutine as long as accesses of it are: package runtime's, but for the
// first field.
type Life struct {
	refs    atomic.Uint32 // moments, and one for the goroutine itself
	Ended   atomic.Uint32 // 1 when the goroutine has
	Goid    uint64
	Creator uint64
	Origin  uintptr
	Test    uintptr
}

var lives offheap.Slab[Life]

func (l *Life) release() {
	if l.refs.Add(^uint32(0)) == 0 {
		lives.Put(l)
	}
}

// A moment is an epoch of a goroutine at which it accessed memory.
type moment struct {
	epoch atomic.Uint64 // of a free one: the number of the next that is free
	life  offheap.AtomicRef[Life]
	state atomic.Uint32 // the last cycle of the collector that met it, and one of these:
}

const (
	stateFree    = iota
	stateCurrent // some goroutine's present
	stateUsed
	stateMask = 3
)

const momentChunk = 1 << 14

type moments [momentChunk]moment

// pool is all moments. Their numbers begin at 1.
var pool struct {
	lock   offheap.Lock
	chunk  [1 << momentBits / momentChunk]offheap.AtomicRef[moments]
	free   uint32 // the first of the free ones
	fresh  uint32 // those from here on never were in use
	used   uint32
	dulled atomic.Uint32 // times that there was none left
}

func momentAt(n uint32) *moment { return &pool.chunk[n/momentChunk].Load()[n%momentChunk] }

func (w Word) at() *moment { return momentAt(w.moment()) }

// newMoment returns the number of a moment, 0 if there are too many.
func newMoment(e vclock.Epoch, l *Life) uint32 {
	p := &pool
	p.lock.Lock()
	if p.fresh == 0 {
		p.fresh = 1
	}
	work()
	n := p.free
	switch {
	case n != 0:
		p.free = uint32(momentAt(n).epoch.Load())
	case p.fresh < 1<<momentBits:
		n = p.fresh
		p.fresh++
		if c := &p.chunk[n/momentChunk]; c.Load() == nil {
			c.Store((*moments)(host.Alloc(unsafe.Sizeof(moments{}))))
		}
	default:
		p.dulled.Add(1)
		p.lock.Unlock()
		return 0
	}
	p.used++
	m := momentAt(n)
	m.epoch.Store(uint64(e))
	m.life.Store(l)
	m.state.Store(collector.cycle<<2 | stateCurrent)
	p.lock.Unlock()
	l.refs.Add(1)
	return n
}

// retire tells that a moment is its goroutine's present no more. Words have it still, and some of
// those the collector may have passed before they did.
func (m *moment) retire() {
	for {
		old := m.state.Load()
		cycle := old >> 2
		if c := collector.active.Load(); c != 0 {
			cycle = c
		}
		if m.state.CompareAndSwap(old, cycle<<2|stateUsed) {
			return
		}
	}
}
