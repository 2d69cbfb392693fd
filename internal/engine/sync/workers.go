// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package sync

import (
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/vclock"
)

// What the workers of a call have released has a clock of its own, which few goroutines ever need.

var workerClocks offheap.Slab[vclock.LockClock]

// releaseToCaller has g, a worker of a call that o makes, release to o.
func releaseToCaller(g, o *Thread) {
	o.workerLock.Lock()
	if o.workerClock.Nil() {
		o.workerClock = offheap.To(workerClocks.Get())
	}
	o.workerClock.P().ReleaseInCall(&g.Clock)
	o.WorkersReleased.Store(1)
	o.workerLock.Unlock()
}

// AcquireWorkers has g acquire what its workers have released, and forget it.
func AcquireWorkers(g *Thread) {
	g.workerLock.Lock()
	if c := g.workerClock.P(); c != nil {
		c.Acquire(&g.Clock)
	}
	dropWorkerClock(g)
	g.workerLock.Unlock()
}

// dropWorkerClock forgets what the workers of g have released. The lock is held.
func dropWorkerClock(g *Thread) {
	if c := g.workerClock.P(); c != nil {
		c.Clear()
		workerClocks.Put(c)
		g.workerClock = offheap.Ref[vclock.LockClock]{}
	}
	g.WorkersReleased.Store(0)
}
