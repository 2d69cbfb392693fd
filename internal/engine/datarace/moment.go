// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package datarace

import (
	"sync/atomic"
	"unsafe"

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/vclock"
)

// A Life is what is kept of a goroutine as long as accesses of it are: package runtime's, but for the
// first field.
type Life struct {
	refs    atomic.Uint32 // runs, and one for the goroutine itself
	Ended   atomic.Uint32 // 1 when the goroutine has
	Goid    uint64
	Creator uint64
	Origin  uintptr
}

var lives offheap.Slab[Life]

// hold keeps l, if it isn't given back already.
func (l *Life) hold() bool {
	for {
		n := l.refs.Load()
		if n == 0 || l.refs.CompareAndSwap(n, n+1) {
			return n != 0
		}
	}
}

func (l *Life) release() {
	if l.refs.Add(^uint32(0)) == 0 {
		lives.Put(l)
	}
}

// A run is 16 moments: a moment is an epoch of a goroutine at which it accessed memory. Each goroutine has the
// numbers of some in advance, so that it can tell its own and need not ask for each.
type run struct {
	epoch [runSize]atomic.Uint64
	life  offheap.AtomicRef[Life]
	test  uintptr       // whom the accesses are charged to
	state atomic.Uint32 // the last cycle of the collector that met it, and one of these:
	next  uint32        // of a free one: the next that is free
}

const (
	stateFree    = iota
	stateCurrent // some goroutine's
	stateUsed
	stateMask = 3
)

const (
	runBits  = 4
	runSize  = 1 << runBits
	maxRuns  = 1 << (momentBits - runBits)
	runChunk = 1 << 10
)

type runs [runChunk]run

// pool is all runs. Their numbers begin at 1.
var pool struct {
	lock   offheap.Lock
	chunk  [maxRuns / runChunk]offheap.AtomicRef[runs]
	free   uint32 // the first of the free ones
	fresh  uint32 // those from here on never were in use
	used   uint32
	dulled atomic.Uint32 // times that there was none left
}

func runAt(n uint32) *run { return &pool.chunk[n/runChunk].Load()[n%runChunk] }

// run is the run of w's moment.
func (w Word) run() *run { return runAt(w.moment() >> runBits) }

func epochOf(moment uint32) vclock.Epoch {
	return vclock.Epoch(runAt(moment >> runBits).epoch[moment%runSize].Load())
}

// newMoment moves t to a moment of that epoch; its number is 0 if there are too many.
func (t *Thread) newMoment(e vclock.Epoch) {
	if t.moment%runSize != runSize-1 && t.moment != 0 {
		t.moment++
	} else {
		if t.moment != 0 {
			runAt(t.moment >> runBits).retire()
		}
		t.moment = newRun(t.life.P(), t.test) << runBits
		if t.moment == 0 {
			return
		}
	}
	host.Publish64(&runAt(t.moment >> runBits).epoch[t.moment%runSize], uint64(e))
}

func newRun(l *Life, test uintptr) uint32 {
	p := &pool
	p.lock.Lock()
	if p.fresh == 0 {
		p.fresh = 1
	}
	work()
	n := p.free
	switch {
	case n != 0:
		p.free = runAt(n).next
	case p.fresh < maxRuns:
		n = p.fresh
		p.fresh++
		if c := &p.chunk[n/runChunk]; c.Load() == nil {
			c.Store((*runs)(host.Alloc(unsafe.Sizeof(runs{}))))
		}
	default:
		p.dulled.Add(1)
		p.lock.Unlock()
		return 0
	}
	p.used++
	r := runAt(n)
	r.test = test
	r.life.Store(l)
	r.state.Store(collector.cycle.Load()<<2 | stateCurrent)
	p.lock.Unlock()
	l.refs.Add(1)
	return n
}

// retire tells that a run is its goroutine's no more. Words have its moments still, and some of those the
// collector may have passed before they did.
func (r *run) retire() {
	for {
		old := r.state.Load()
		cycle := old >> 2
		if c := collector.active.Load(); c != 0 {
			cycle = c
		}
		if r.state.CompareAndSwap(old, cycle<<2|stateUsed) {
			return
		}
	}
}
