// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package record

import (
	"github.com/commutego/commute/internal/engine/recorder"
	"github.com/commutego/commute/internal/event"
)

// What a prediction has to know of synchronization comes right before the steps that it is about.
// It is recorded from the start: what comes before the first transaction may be put after it, and
// deadlocks are looked for in programs without any.

// recordsLocks reports whether what is known of locks is recorded of g.
func recordsLocks(g *Recorded) bool { return g.InTrace.Number != 0 }

// RecordLocked records that g has taken a lock. Waits says that two acquires are part of that, and
// not one.
func (g *Recorded) RecordLocked(addr uintptr, read, waits bool) {
	if recordsLocks(g) {
		recordLock(g, recorder.Takes, addr, read, waits, recorder.Waits)
	}
}

// RecordUnlocking records that g is about to release a lock. Direct says that a watched package
// calls the lock's method itself.
func (g *Recorded) RecordUnlocking(addr uintptr, read, direct bool) {
	if recordsLocks(g) {
		recordLock(g, recorder.Frees, addr, read, direct, recorder.Direct)
	}
}

// recordLock records what happens to a lock, with a flag that is set or not.
func recordLock(g *Recorded, what uint32, addr uintptr, read, set bool, flag uint64) {
	flags := uint64(0)
	if read {
		flags |= recorder.Reader
	}
	if set {
		flags |= flag
	}
	recorder.Lock(&g.InTrace, what, uint64(addr), flags)
}

// RecordFailed records that g has found a lock taken, or could not send or receive.
func (g *Recorded) RecordFailed() {
	if recordsLocks(g) || recordsSections(g) {
		recorder.Progress(&g.InTrace, recorder.Fails, 0)
	}
}

// RecordPassing records that g's next step is its part of a meeting, and orders nothing beside it.
func (g *Recorded) RecordPassing() {
	if recordsLocks(g) {
		recorder.Progress(&g.InTrace, recorder.Passes, 0)
	}
}

// RecordMeeting records that g and h meet, of whom neither goes on before the other has come.
func (g *Recorded) RecordMeeting(h *Recorded, addr uintptr) {
	if g.InTrace.Number == 0 || h.InTrace.Number == 0 {
		return
	}
	if recordsLocks(g) {
		recorder.Progress(&g.InTrace, recorder.Meets, uint64(h.InTrace.Number))
	}
	a := uint64(addr) ^ 1 // the address's own is for the message
	recorder.Sync(event.Release, &h.InTrace, 0, a)
	recorder.Sync(event.ReleaseMerge, &g.InTrace, 0, a)
	recorder.Sync(event.Acquire, &g.InTrace, 0, a)
	recorder.Sync(event.Acquire, &h.InTrace, 0, a)
}
