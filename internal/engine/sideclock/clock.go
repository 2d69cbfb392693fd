// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package sideclock

import (
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/vclock"
)

// A Clock is a clock of a goroutine beside its call clock. It follows synchronization in calls of
// specified methods as well: calls hide nothing from it.
type Clock struct {
	Thread  vclock.Thread
	Started bool
	relayed vclock.Snapshot // of a timer context, in place of Thread
}

var clocks offheap.Slab[Clock]

// New returns a clock that has not started, or that of a timer context. Free gives it back.
func New() *Clock {
	c := clocks.Get()
	c.Started, c.relayed = false, vclock.Snapshot{}
	return c
}

// Free ends a clock, of a timer context if timer is set, and gives it back. Nil is none, as most
// goroutines have when they end, so that is inlined.
func (c *Clock) Free(timer bool) {
	if c != nil {
		c.free(timer)
	}
}

func (c *Clock) free(timer bool) {
	c.End(timer)
	clocks.Put(c)
}

// Start starts the clock of a goroutine that has begun; from is that of the goroutine or, if timer
// is set, of the timer context that has started it, or nil.
func (c *Clock) Start(w *vclock.World, from *Clock, timer bool) {
	c.Started = true
	switch {
	case from == nil:
		w.Start(&c.Thread)
	case timer:
		w.StartAfter(&c.Thread, &from.relayed)
	default:
		from.Thread.Fork(&c.Thread)
	}
}

// End ends the clock of a goroutine or of a timer context.
func (c *Clock) End(timer bool) {
	switch {
	case !c.Started:
	case timer:
		c.relayed.Drop()
	default:
		c.Thread.End()
	}
	c.Started = false
}

// Relay has a timer context relay s, and drop what it relayed before.
func (c *Clock) Relay(s vclock.Snapshot) {
	c.relayed.Drop()
	c.relayed = s
}

// Acquire learns what was released to of, the clock of an address. Timer is set for a timer
// context.
func (c *Clock) Acquire(of *vclock.LockClock, timer bool) {
	if timer {
		c.Relay(of.Snapshot())
	} else {
		of.Acquire(&c.Thread)
	}
}

// Release releases to of, and keeps what was released before if merge is set.
func (c *Clock) Release(of *vclock.LockClock, timer, merge bool) {
	switch {
	case timer && merge:
		of.ReleaseMergeSnapshot(&c.relayed)
	case timer:
		of.ReleaseSnapshot(&c.relayed)
	case merge:
		of.ReleaseMerge(&c.Thread)
	default:
		of.Release(&c.Thread)
	}
}

// Order acquires what was released to of, and releases to it all that is known then. Both come in
// one step: else others would release between, and the join of what was released would be a vector
// of its own each time.
func (c *Clock) Order(of *vclock.LockClock, timer bool) {
	if timer {
		c.Relay(of.Snapshot())
		of.ReleaseMergeSnapshot(&c.relayed)
		return
	}
	of.Acquire(&c.Thread)
	of.Release(&c.Thread)
}

// Exchange acquires what was released to of, and releases what was known before.
func (c *Clock) Exchange(of *vclock.LockClock, timer bool) {
	if timer {
		of.ReleaseSnapshot(&c.relayed)
	} else {
		of.ReleaseAcquire(&c.Thread)
	}
}
