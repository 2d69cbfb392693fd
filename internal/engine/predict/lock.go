// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package predict

import "github.com/commutego/commute/internal/engine/vclock"

// Lock reports that t has taken a lock, whose address is even, for reading or for writing; now is
// its epoch. The result is whether a section begins before which a cut can be. Then the caller
// calls BeginSection, before anything that t does in the section.
func (p *Predictor) Lock(t *Thread, addr uintptr, read bool, now vclock.Epoch) bool {
	h := heldLock{lock: heldKey(addr, read)}
	// The usual case: no section can begin, and there is no candidate to which it matters.
	if !t.unlocked && t.nHeld < maxHeld && !p.Live() {
		t.held[t.nHeld] = h
		t.nHeld++
		return false
	}
	begins := t.unlocked && t.holdsNoLock() && p.ensureRegistry().worthTracking(t.code)
	if r := p.registry.Load(); r != nil && r.live.Load() != 0 {
		r.lockAndDropFreed()
		r.countAcquire()
		t.acquireLock(r, r.locks.find(addr), read, now)
		h.dependsOn = r.setOf(r.present(t.dependsOn))
		r.lock.Unlock()
	}
	if t.nHeld == maxHeld {
		t.unrecorded++
		t.eligible = false
	} else {
		t.held[t.nHeld] = h
		t.nHeld++
	}
	return begins
}

// Quiet reports whether nothing is known of any candidate or section, and there never was one.
func Quiet(p *Predictor) bool { return p.registry.Load() == nil }

// NoteLock is Lock where the predictor is quiet. It returns false, and does nothing, where a
// section may begin or there is no room.
func (t *Thread) NoteLock(addr uintptr, read bool) bool {
	if t.unlocked || t.nHeld >= maxHeld {
		return false
	}
	t.held[t.nHeld] = heldLock{lock: heldKey(addr, read)}
	t.nHeld++
	return true
}

// NoteUnlock is Unlock where the predictor is quiet. It returns false, and does nothing, in a
// transaction, and where the lock is not the innermost one.
func (t *Thread) NoteUnlock(addr uintptr, read bool) bool {
	if t.code != 0 || t.nHeld == 0 || t.held[t.nHeld-1].lock != heldKey(addr, read) {
		return false
	}
	t.nHeld--
	t.unlocked = false
	return true
}

// heldKey is how a lock is known that is held.
func heldKey(addr uintptr, read bool) uintptr {
	if read {
		return addr | 1
	}
	return addr
}

// acquireLock is Lock for what is known of a lock, which may be nil. A witness that leaves a thread
// inside of the lock can't have this acquire.
func (t *Thread) acquireLock(r *registry, l *lockState, read bool, now vclock.Epoch) {
	if l == nil {
		return
	}
	// A reader inside keeps only writers out; a writer inside keeps all out.
	left := r.present(l.writerLeft)
	if !read {
		left |= r.present(l.readerLeft)
	}
	t.taint(r, left, now)
	if read {
		l.readers++
	} else {
		l.writeHeld, l.writerDependsOn = true, r.setOf(r.present(t.dependsOn))
	}
}

// BeginSection reports that a section begins at an epoch that no earlier event has.
func (p *Predictor) BeginSection(t *Thread, since vclock.Epoch) {
	r := p.ensureRegistry()
	t.since, t.eligible, t.unarmed = since, false, 0
	r.lockAndDropFreed()
	for i := range r.section {
		if s := &r.section[i]; s.slot == 0 {
			s.slot, s.since, s.readByOther, s.nReads = since.Slot()+1, since.Time(), false, 0
			s.nOpen, s.looksAgain = 0, false
			t.section, t.eligible, t.unknownEvents = uint8(i+1), true, r.unknownEvents.Load()
			r.busy.Add(1)
			r.lowerEarliest(since.Slot(), since.Time())
			break
		}
	}
	r.lock.Unlock()
}

// HasDependences reports whether Unlock needs to know which thread releases a lock.
func (p *Predictor) HasDependences(t *Thread) bool {
	r := p.registry.Load()
	return r != nil && t.dependsOn != 0 && r.live.Load() != 0
}

// Unlock reports that t releases a lock. Unordered is whether the lock orders nothing by itself:
// all that it guards is watched.
func (p *Predictor) Unlock(t *Thread, addr uintptr, read, unordered bool, now vclock.Epoch) {
	t.eligible = false
	key, found := heldKey(addr, read), false
	// The usual case: the innermost lock, and no candidate or section to which it matters.
	if t.nHeld > 0 && t.held[t.nHeld-1].lock == key && t.section == 0 && !p.Live() {
		t.nHeld--
		t.unlocked = t.code != 0 && (t.unlocked || t.holdsNoLock())
		return
	}
	var h heldLock
	for i := int(t.nHeld) - 1; i >= 0 && !found; i-- {
		if t.held[i].lock == key {
			h, found = t.held[i], true
			copy(t.held[i:], t.held[i+1:t.nHeld])
			t.nHeld--
		}
	}
	// A lock that t doesn't hold may be one that there was no room for; else another thread took
	// it.
	takenByOther := !found && t.unrecorded == 0
	if !found && t.unrecorded > 0 {
		t.unrecorded--
	}
	r := p.registry.Load()
	if r != nil && r.live.Load() != 0 {
		r.lockAndDropFreed()
		if takenByOther {
			t.taint(r, r.live.Load(), now) // it's not known what the acquire depended on
		}
		// A witness that has the acquire and not the release leaves t inside. If the acquire
		// depended on the candidate, too, the witness has neither. That frees the lock for
		// others, unless the lock orders something that is not seen.
		left := r.present(t.dependsOn)
		if found && unordered {
			left &^= r.present(h.dependsOn)
		}
		r.releaseLock(p, addr, read, left)
		r.lock.Unlock()
	}
	if t.code != 0 && t.holdsNoLock() && !takenByOther {
		t.noteUnlocked(p)
	}
}

// releaseLock is Unlock for what is known of a lock. Left is the candidates whose witness leaves
// the thread inside of it.
func (r *registry) releaseLock(p *Predictor, addr uintptr, read bool, left uint32) {
	l := r.locks.find(addr)
	if l == nil && left != 0 {
		if l = r.lockAt(addr); l == nil {
			r.dropAll()
		}
	}
	if l == nil {
		return
	}
	if read {
		r.addTo(&l.readerLeft, left)
		l.readers -= min(1, l.readers)
	} else {
		r.addTo(&l.writerLeft, left)
		l.writeHeld = false
	}
	// A candidate may have waited for this release.
	for rest := r.present(l.neededBy); rest != 0; rest &= rest - 1 {
		if x := &r.candidate[trailingZeros(rest)]; x.waiting && !x.found {
			r.confirm(p, x)
		}
	}
}

// noteUnlocked notes that t, in a transaction, holds no lock any more.
func (t *Thread) noteUnlocked(p *Predictor) {
	t.unlocked, t.eligible = true, false
	if t.section != 0 || t.unarmed != 0 {
		r := p.ensureRegistry()
		r.lockAndDropFreed()
		t.endSection(r)
		r.lock.Unlock()
	}
}

// worthTracking reports whether to look at a section of the transaction at code. After many
// sections there without a candidate, only each 64th is looked at.
func (r *registry) worthTracking(code uintptr) bool {
	n := r.fruitless[code>>4%uintptr(len(r.fruitless))].Add(1)
	return n < maxFruitless || n%64 == 0
}

const maxFruitless = 1 << 12
