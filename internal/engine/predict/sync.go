// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package predict

import "github.com/commutego/commute/internal/engine/vclock"

// Release reports a release of anything but a lock: a later acquire of addr depends on what t
// depends on.
func (p *Predictor) Release(t *Thread, addr uintptr) {
	t.eligible = false
	r := p.registry.Load()
	if r == nil || t.dependsOn|t.valuesDependOn == 0 || r.live.Load() == 0 {
		return
	}
	r.lockAndDropFreed()
	if set := r.present(t.dependsOn) | r.present(t.valuesDependOn); set != 0 {
		if o := r.object(addr); o != nil {
			r.addTo(&o.dependsOn, set)
		} else {
			r.dropAll() // the table is full: later acquires could not be known to depend on them
		}
	}
	r.lock.Unlock()
}

// Acquire reports an acquire of anything but a lock. Now is 0 for a timer context, which acquires
// the timer that it runs: until the next timer, it has only the dependences of this one.
func (p *Predictor) Acquire(t *Thread, addr uintptr, now vclock.Epoch) {
	t.eligible = false
	r := p.registry.Load()
	if r == nil || r.live.Load() == 0 || now != 0 && t.dependsOnAll(r) {
		return
	}
	r.lockAndDropFreed()
	r.countAcquire()
	o := r.objects.find(addr)
	if now == 0 {
		t.dependsOn = 0
	}
	if o != nil {
		t.taint(r, r.present(o.dependsOn), now)
	}
	t.dependsOn = r.setOf(r.present(t.dependsOn))
	r.lock.Unlock()
}

// Rendezvous reports that t and u order each other, as at an unbuffered channel. The goroutine of u
// stands still.
func (p *Predictor) Rendezvous(t *Thread, u *Thread, now, uNow vclock.Epoch) {
	t.eligible, u.eligible = false, false
	r := p.registry.Load()
	if r == nil || r.live.Load() == 0 {
		return
	}
	r.lockAndDropFreed()
	mine, others := r.present(t.dependsOn)|r.present(t.valuesDependOn),
		r.present(u.dependsOn)|r.present(u.valuesDependOn)
	t.taint(r, others, now)
	u.taint(r, mine, uNow)
	r.lock.Unlock()
}

// UnknownEvent reports an event that may depend on anything, such as a failed TryLock. No witness
// can have it.
func (p *Predictor) UnknownEvent(t *Thread, now vclock.Epoch) {
	t.eligible = false
	r := p.registry.Load()
	if r == nil {
		return
	}
	r.unknownEvents.Add(1)
	if r.live.Load() == 0 {
		return
	}
	r.lockAndDropFreed()
	t.taint(r, r.live.Load(), now)
	r.lock.Unlock()
}
