// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package atomicity

import (
	"sync/atomic"
	"unsafe"

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/vclock"
)

// A slotTimes has a time for each slot of a chunk; 0 for none.
type slotTimes [slotChunk]atomic.Uint64

// mayReach reports whether a running transaction may reach an event. It takes no lock.
func (g *Graph) mayReach(e vclock.Epoch) bool {
	c := g.earliest[e.Slot()/slotChunk].Load()
	if c == nil {
		return false
	}
	from := c[e.Slot()%slotChunk].Load()
	return from != 0 && e.Time() >= from
}

// lowerEarliest notes that a running transaction reaches a slot from a time on.
func (g *Graph) lowerEarliest(slot uint32, from uint64) {
	at := &g.earliest[slot/slotChunk]
	if at.Load() == nil {
		at.Store((*slotTimes)(host.Alloc(unsafe.Sizeof(slotTimes{}))))
	}
	if p := &at.Load()[slot%slotChunk]; p.Load() == 0 || from < p.Load() {
		p.Store(max(1, from))
	}
}

// recomputeEarliest computes anew the earliest time of a slot that a running transaction reaches.
func (g *Graph) recomputeEarliest(slot uint32) {
	least := uint64(0)
	for i := range g.nRunning.Load() {
		x := g.runningAt(i)
		from := uint64(0)
		if x.slot == slot {
			from = x.begin.Time()
		} else if r := x.frontier.get(slot); r != nil {
			from = r.from
		}
		if from != 0 && (least == 0 || from < least) {
			least = from
		}
	}
	g.earliest[slot/slotChunk].Load()[slot%slotChunk].Store(least)
}

// noteBirth notes that a goroutine begins.
func (g *Graph) noteBirth(first vclock.Epoch) {
	at := &g.births[first.Slot()/slotChunk]
	if at.Load() == nil {
		at.Store((*slotTimes)(host.Alloc(unsafe.Sizeof(slotTimes{}))))
	}
	at.Load()[first.Slot()%slotChunk].Store(first.Time())
}

// isForkOf reports whether an edge is that of the go statement that has started the goroutine of an
// event.
func (g *Graph) isForkOf(e *Edge, of vclock.Epoch) bool {
	at := g.births[of.Slot()/slotChunk].Load()
	return e.Kind == Go && e.To.Slot() == of.Slot() &&
		at != nil && at[of.Slot()%slotChunk].Load() == e.To.Time()
}
