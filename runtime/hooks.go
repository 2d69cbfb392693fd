// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package runtime

// Acquire orders the releases of addr before what g does next (raceacquire).
func (g *Goroutine) Acquire(addr uintptr) {
	v := findSync(addr)
	if v == nil || !g.carrier && v.sync.Known(&g.clock) {
		return
	}
	if v = lockSync(addr, false); v == nil {
		return
	}
	if g.carrier {
		g.carried.Drop()
		g.carried = v.sync.Take()
		g.test = v.test
	} else {
		v.sync.Acquire(&g.clock)
	}
	v.lock.Unlock()
}

// Release orders what g did before acquires of addr, and forgets earlier releases (racerelease).
func (g *Goroutine) Release(addr uintptr) {
	if v := findSync(addr); v != nil && !g.carrier && v.sync.Idle(&g.clock) {
		return
	}
	v := lockSync(addr, true)
	if g.carrier {
		v.sync.Put(&g.carried)
	} else {
		v.sync.Release(&g.clock)
		v.test = g.test
	}
	v.lock.Unlock()
}

// ReleaseMerge is Release, but earlier releases stay (racereleasemerge).
func (g *Goroutine) ReleaseMerge(addr uintptr) {
	if v := findSync(addr); v != nil && !g.carrier && v.sync.Idle(&g.clock) {
		return
	}
	v := lockSync(addr, true)
	if g.carrier {
		v.sync.Merge(&g.carried)
	} else {
		v.sync.ReleaseMerge(&g.clock)
	}
	v.lock.Unlock()
}

// ReleaseAcquire exchanges g's clock with that of addr: g learns what was released, and what g did
// before, without that, is what the next acquirer learns (racereleaseacquire). It is for slots of
// buffered channels, where a send orders the receive, and the receive the next send.
func (g *Goroutine) ReleaseAcquire(addr uintptr) {
	v := lockSync(addr, true)
	if g.carrier {
		v.sync.Put(&g.carried) // a timer's channel; who reads the carrier's clock next sets it first
	} else {
		v.sync.Transfer(&g.clock)
	}
	v.lock.Unlock()
}

// AtomicRMW is the part of an atomic read-modify-write that comes before it: whoever sees the
// value that it writes comes after g. Acquire follows when it is done.
func (g *Goroutine) AtomicRMW(addr uintptr) {
	if v := findSync(addr); v != nil && !g.carrier && v.sync.Idle(&g.clock) {
		return
	}
	v := lockSync(addr, true)
	if g.carrier {
		v.sync.Merge(&g.carried)
	} else {
		// By the acquire g knows all that v does, so that releasing alone is the merge of both.
		v.sync.Acquire(&g.clock)
		v.sync.Release(&g.clock)
	}
	v.lock.Unlock()
}
