// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package predict

import "github.com/commutego/commute/internal/engine/vclock"

// A Thread is one goroutine, whose events the calls report. The zero Thread is ready for use, but
// Fork is called first.
type Thread struct {
	dependsOn CandidateSet // what it does next depends on these

	// What it does next in its transaction, which is value-independent, has other values in the
	// witnesses of these candidates, and is the same otherwise.
	valuesDependOn CandidateSet

	held       [maxHeld]heldLock // locks, the innermost last
	nHeld      uint8
	unrecorded uint32 // the number of locks that there was no room for

	code             uintptr // the atomicity.AtomicCode of its transaction, 0 for none
	valueIndependent bool    // the transaction makes the same accesses whatever it reads
	unlocked         bool    // the transaction has been without a lock
	eligible         bool    // in its section it has only acquired locks and accessed memory
	section          uint8   // the index in registry.section, plus 1; 0 for none
	begin            vclock.Epoch
	since            vclock.Epoch // the section's begin
	unknownEvents    uint32       // registry.unknownEvents at the section's begin
	unarmed          CandidateSet // pairs of reads in this section: armed when it ends
}

// A heldLock is a lock that a thread holds. The lowest bit of lock is 1 if it is held for reading.
type heldLock struct {
	lock      uintptr
	dependsOn CandidateSet // what its acquire depends on
}

const maxHeld = 4

// Unlocked reports whether t is in a transaction and has been without a lock since its begin. Then
// each first access to a word at an epoch has to be reported.
func (t *Thread) Unlocked() bool { return t.unlocked }

func (t *Thread) holdsNoLock() bool { return t.nHeld == 0 && t.unrecorded == 0 }

// Begin reports that a transaction begins at an epoch that no earlier event has. It is
// value-independent if it makes the same accesses whatever it reads.
func (t *Thread) Begin(code uintptr, valueIndependent bool, begin vclock.Epoch) {
	t.code, t.valueIndependent, t.begin, t.unlocked = code, valueIndependent, begin, false
}

// End reports that the transaction is over.
func (p *Predictor) End(t *Thread) {
	t.code, t.valueIndependent, t.unlocked = 0, false, false
	if t.section == 0 && t.unarmed|t.valuesDependOn == 0 {
		return
	}
	r := p.ensureRegistry()
	r.lockAndDropFreed()
	t.endSection(r)
	r.addTo(&t.dependsOn, r.present(t.valuesDependOn)) // what t does after it may depend on values
	t.valuesDependOn = 0
	r.lock.Unlock()
}

// endSection ends the section that t is in, if any. A pair of reads in it is a candidate from now
// on, for no write has followed them.
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

// Fork reports that t has started child, whose first epoch is first. T is nil if the creator is not
// watched.
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
				d.until = first.Time() // the slot's earlier thread has ended
			}
		}
	}
	if t != nil {
		child.taint(r, r.present(t.dependsOn)|r.present(t.valuesDependOn), first)
	}
	r.lock.Unlock()
}

// ChangeClock reports that from now on t has epochs of another slot.
func (p *Predictor) ChangeClock(t *Thread, now vclock.Epoch) {
	if r := p.registry.Load(); r != nil && r.live.Load() != 0 {
		r.lockAndDropFreed()
		set := r.present(t.dependsOn)
		t.dependsOn = 0
		t.taint(r, set, now)
		r.lock.Unlock()
	}
}

// taint makes what t does from now on depend on candidates: a witness of them leaves that out.
func (t *Thread) taint(r *registry, set uint32, now vclock.Epoch) {
	had := r.present(t.dependsOn)
	if set &^= had; set == 0 {
		return
	}
	t.noteDependent(r, set, now)
	r.addTo(&t.dependsOn, set&r.live.Load())
}

// noteDependent notes, for threads that read what t writes from now on, that this depends on
// candidates.
func (t *Thread) noteDependent(r *registry, set uint32, now vclock.Epoch) {
	if now == 0 {
		return // a timer context: it accesses no memory
	}
	for ; set != 0; set &= set - 1 {
		if g := trailingZeros(set); !r.addDependent(&r.candidate[g], now) {
			r.drop(g)
		}
	}
}

// dependsOnAll reports whether t depends on all candidates, so that no event of t is of interest.
// The serials are equal if no candidate was created since the set was made.
func (t *Thread) dependsOnAll(r *registry) bool {
	live := r.live.Load()
	return live == 0 || uint32(t.dependsOn>>32) == r.serial.Load() && live&^uint32(t.dependsOn) == 0
}

// OtherEvent reports any event for which there is no other method. Like all events, the witness has
// it or leaves it out, but A must not make it between the cut and Second.
func (t *Thread) OtherEvent() { t.eligible = false }
