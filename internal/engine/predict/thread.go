// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package predict

import "github.com/commutego/commute/internal/engine/vclock"

// A Thread makes the events of one goroutine. The zero Thread is ready for use, but for Fork.
type Thread struct {
	dependsOn      CandidateSet // what it does next depends on these ghosts
	valuesDependOn CandidateSet // of these, what it does next in its transaction has other values, and is the same otherwise

	held       [maxHeld]heldLock // locks, the innermost last
	nHeld      uint8
	unrecorded uint32 // locks that there was no room for

	code             uintptr // of the transaction that it is in, 0 if it's in none
	valueIndependent bool    // the transaction does the same, whatever it reads
	unlocked         bool    // the transaction has been without a lock
	eligible         bool    // it's in a segment, and did nothing there but acquire locks and access memory
	section          uint8   // and 1; 0 for none
	begin            vclock.Epoch
	since            vclock.Epoch // of the segment
	unknownEvents    uint32       // realm.unknown at its begin
	unarmed          CandidateSet // ghosts of this segment that its end arms
}

// A hold is a lock, and what the thread depended on when it took it. The lowest bit of the lock says that it was for
// reading.
type heldLock struct {
	lock      uintptr
	dependsOn CandidateSet
}

const maxHeld = 4

// Parted reports whether t is in a transaction that has been without a lock: then each first access to a word at a moment
// is to be told.
func (t *Thread) Unlocked() bool { return t.unlocked }

// Outside reports whether t has no lock.
func (t *Thread) holdsNoLock() bool { return t.nHeld == 0 && t.unrecorded == 0 }

// Begin tells that a transaction begins at an epoch that nothing before it has. It's straight if it does the same, whatever
// it reads.
func (t *Thread) Begin(code uintptr, valueIndependent bool, begin vclock.Epoch) {
	t.code, t.valueIndependent, t.begin, t.unlocked = code, valueIndependent, begin, false
}

// End tells that it is over.
func (p *Predictor) End(t *Thread) {
	t.code, t.valueIndependent, t.unlocked = 0, false, false
	if t.section == 0 && t.unarmed|t.valuesDependOn == 0 {
		return
	}
	r := p.ensureRegistry()
	r.lockAndDropFreed()
	t.endSection(r)
	r.addTo(&t.dependsOn, r.present(t.valuesDependOn)) // what comes now may depend on values
	t.valuesDependOn = 0
	r.lock.Unlock()
}

// endSegment ends the segment that t is in, if it's in one.
func (t *Thread) endSection(r *registry) {
	for rest := r.present(t.unarmed); rest != 0; rest &= rest - 1 {
		r.candidate[trailingZeros(rest)].armed = true
	}
	t.unarmed, t.eligible = 0, false
	if t.section != 0 {
		r.section[t.section-1].slot = 0
		r.busy.Add(^uint32(0))
		t.section = 0
	}
}

// Fork tells that t has started child, whose first epoch is first; t may be nil, for one that nobody watches.
func (p *Predictor) Fork(t *Thread, child *Thread, first vclock.Epoch) {
	*child = Thread{}
	if t != nil {
		t.eligible = false
	}
	r := p.registry.Load()
	if r == nil || r.live.Load() == 0 {
		return
	}
	r.lockAndDropFreed()
	for rest := r.live.Load(); rest != 0; rest &= rest - 1 {
		x := &r.candidate[trailingZeros(rest)]
		for i := range x.dependents[:x.nDependents] {
			if d := &x.dependents[i]; d.slot == first.Slot() && d.until == 0 {
				d.until = first.Time()
			}
		}
	}
	if t != nil {
		child.taint(r, r.present(t.dependsOn)|r.present(t.valuesDependOn), first)
	}
	r.lock.Unlock()
}

// Turn tells that t has epochs of another slot from here on.
func (p *Predictor) ChangeClock(t *Thread, now vclock.Epoch) {
	if r := p.registry.Load(); r != nil && r.live.Load() != 0 {
		r.lockAndDropFreed()
		set := r.present(t.dependsOn)
		t.dependsOn = 0
		t.taint(r, set, now)
		r.lock.Unlock()
	}
}

// taint makes what t does from now on depend on ghosts.
func (t *Thread) taint(r *registry, set uint32, now vclock.Epoch) {
	had := r.present(t.dependsOn)
	if set &^= had; set == 0 {
		return
	}
	t.noteDependent(r, set, now)
	r.addTo(&t.dependsOn, set&r.live.Load())
}

// note has what t does from now on noted as dependent.
func (t *Thread) noteDependent(r *registry, set uint32, now vclock.Epoch) {
	if now == 0 {
		return // a carrier
	}
	for ; set != 0; set &= set - 1 {
		if g := trailingZeros(set); !r.addDependent(&r.candidate[g], now) {
			r.drop(g)
		}
	}
}

// covered reports whether no ghost is left that t doesn't depend on.
func (t *Thread) dependsOnAll(r *registry) bool {
	live := r.live.Load()
	return live == 0 || uint32(t.dependsOn>>32) == r.serial.Load() && live&^uint32(t.dependsOn) == 0
}

// Event tells of anything that is not told by another method: t's segment ends to be one that could be put off.
func (t *Thread) OtherEvent() { t.eligible = false }

// Give tells of a release other than that of a lock.
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
			r.dropAll()
		}
	}
	r.lock.Unlock()
}

// Take tells of an acquire other than that of a lock. Now is 0 for what only carries from a release to an acquire.
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

// Meet tells that t and u, which stands still, order each other.
func (p *Predictor) Rendezvous(t *Thread, u *Thread, now, uNow vclock.Epoch) {
	t.eligible, u.eligible = false, false
	r := p.registry.Load()
	if r == nil || r.live.Load() == 0 {
		return
	}
	r.lockAndDropFreed()
	mine, others := r.present(t.dependsOn)|r.present(t.valuesDependOn), r.present(u.dependsOn)|r.present(u.valuesDependOn)
	t.taint(r, others, now)
	u.taint(r, mine, uNow)
	r.lock.Unlock()
}

// Unknown tells of an event of which it's not known what it depends on: it may be anything.
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
