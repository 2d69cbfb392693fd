// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package record

import (
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/recorder"
)

// Loads of the words that a sync.Map is made of are in a trace for the order alone. One that
// repeats another by the same goroutine orders nothing anew while nothing was released to the word.
// A goroutine remembers what it has loaded last, and such loads are not recorded.

const maxLoads = 64

// loads are loads of a goroutine, by address. An entry has the count of the releases when the load
// was recorded; see [recorder.Released].
type loads [maxLoads]struct {
	addr  uintptr
	count uint64
}

var loadsSlab offheap.Slab[loads]

// repeatsLoad reports whether g need not record that it loads the word at addr. If it must, the
// load is remembered, and is to be recorded next.
func repeatsLoad(g *Recorded, addr uintptr) bool {
	if g.TimerContext {
		return false // it knows only what it has acquired last
	}
	if g.loads.Nil() {
		l := loadsSlab.Get()
		clear(l[:])
		g.loads = offheap.To(l)
	}
	// The count is taken before the load gets its number: what was released by then comes before.
	count := recorder.Released(uint64(addr))
	e := &g.loads.P()[addr>>3%maxLoads]
	if e.addr == addr && e.count == count {
		return true
	}
	e.addr, e.count = addr, count
	return false
}

// dropLoads forgets the loads of g.
func dropLoads(g *Recorded) {
	if l := g.loads.P(); l != nil {
		loadsSlab.Put(l)
		g.loads = offheap.Ref[loads]{}
	}
}

// recordLoad records such a load, as part of a call.
func recordLoad(g *Recorded, addr uintptr) {
	if repeatsLoad(g, addr) {
		return
	}
	g.recordHidden()
	recorder.AcquireLoaded(&g.InTrace, insidePosition(), uint64(addr))
}
