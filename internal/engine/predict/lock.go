// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package predict

import "github.com/commutego/commute/internal/engine/vclock"

// Lock tells that t has taken a lock, whose address is even, for reading or for writing; now is its present. It reports
// whether a segment begins that may be cut off: then Segment is to follow, before all that t does there.
func (p *Predictor) Lock(t *Thread, addr uintptr, read bool, now vclock.Epoch) bool {
	h := heldLock{lock: addr}
	if read {
		h.lock |= 1
	}
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

// take is Lock for what is known of a lock, which may be nil.
func (t *Thread) acquireLock(r *registry, l *lockState, read bool, now vclock.Epoch) {
	if l == nil {
		return
	}
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

// Segment tells that a segment begins at an epoch that nothing before it has.
func (p *Predictor) BeginSection(t *Thread, since vclock.Epoch) {
	r := p.ensureRegistry()
	t.since, t.eligible, t.unarmed = since, false, 0
	r.lockAndDropFreed()
	for i := range r.section {
		if s := &r.section[i]; s.slot == 0 {
			s.slot, s.since, s.readByOther, s.nReads = since.Slot()+1, since.Time(), false, 0
			t.section, t.eligible, t.unknownEvents = uint8(i+1), true, r.unknownEvents.Load()
			r.busy.Add(1)
			r.lowerEarliest(since.Slot(), since.Time())
			break
		}
	}
	r.lock.Unlock()
}

// Dependent reports whether it matters to Unlock who releases a lock.
func (p *Predictor) HasDependences(t *Thread) bool {
	r := p.registry.Load()
	return r != nil && t.dependsOn != 0 && r.live.Load() != 0
}

// Unlock tells that t releases a lock. Free is whether the lock orders nothing by itself, as one does whose use is all seen.
func (p *Predictor) Unlock(t *Thread, addr uintptr, read, unordered bool, now vclock.Epoch) {
	t.eligible = false
	key, found := addr, false
	if read {
		key |= 1
	}
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
	takenByOther := !found && t.unrecorded == 0
	if !found && t.unrecorded > 0 {
		t.unrecorded--
	}
	r := p.registry.Load()
	if r != nil && r.live.Load() != 0 {
		r.lockAndDropFreed()
		if takenByOther {
			t.taint(r, r.live.Load(), now) // who took it is not known
		}
		left := r.present(t.dependsOn)
		if found && unordered {
			left &^= r.present(h.dependsOn)
		}
		p.releaseLock(t, r, addr, read, left)
		r.lock.Unlock()
	}
	if t.code != 0 && t.holdsNoLock() && !takenByOther {
		p.noteUnlocked(t)
	}
}

// leave is Unlock for what is known of a lock; stop are the ghosts that leave t inside.
func (p *Predictor) releaseLock(t *Thread, r *registry, addr uintptr, read bool, left uint32) {
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
	for rest := r.present(l.neededBy); rest != 0; rest &= rest - 1 {
		if x := &r.candidate[trailingZeros(rest)]; x.waiting && !x.found {
			p.confirm(r, x)
		}
	}
}

// part tells that t, in a transaction, has no lock any more.
func (p *Predictor) noteUnlocked(t *Thread) {
	t.unlocked, t.eligible = true, false
	if t.section != 0 || t.unarmed != 0 {
		r := p.ensureRegistry()
		r.lockAndDropFreed()
		t.endSection(r)
		r.lock.Unlock()
	}
}

// worthwhile reports whether a segment of a transaction at a place is to be looked at: of those of which nothing came, and
// there have been many, not each is.
func (r *registry) worthTracking(code uintptr) bool {
	n := r.fruitless[code>>4%uintptr(len(r.fruitless))].Add(1)
	return n < maxFruitless || n%64 == 0
}

const maxFruitless = 1 << 12

// intrudes reports whether a read by t, the Other of x, can be followed by Second, as soon as t lets its locks go. T's read
// may be of another value than it was, so that nothing else is known of what t does then; but there is nothing that
// it could change, other than what Second accesses.
func (r *registry) confirmRead(x *candidate, t *Thread) bool {
	g := r.indexOf(x)
	for _, need := range x.needs[:x.nNeeds] {
		l := r.locks.find(need &^ 1)
		if l == nil || r.present(l.writerLeft)>>g&1 != 0 || need&1 == 0 && r.present(l.readerLeft)>>g&1 != 0 {
			return false
		}
		held, read := false, uint32(0)
		for _, h := range t.held[:t.nHeld] {
			held = held || h.lock == need&^1
			if h.lock == need|1 {
				read = 1
			}
		}
		if l.writeHeld && !held && r.present(l.writerDependsOn)>>g&1 == 0 || need&1 == 0 && l.readers > read {
			return false
		}
	}
	return x.nReads == 0
}

// confirm finds out whether the thread of a ghost, of which Other is known, can go on to Second now.
func (p *Predictor) confirm(r *registry, x *candidate) {
	g := r.indexOf(x)
	for _, need := range x.needs[:x.nNeeds] {
		l := r.locks.find(need &^ 1)
		if l == nil || r.present(l.writerLeft)>>g&1 != 0 || need&1 == 0 && r.present(l.readerLeft)>>g&1 != 0 {
			r.drop(g)
			return
		}
		if l.writeHeld && r.present(l.writerDependsOn)>>g&1 == 0 || need&1 == 0 && l.readers > 0 {
			return // later, it may be
		}
	}
	for _, s := range x.reads[:x.nReads] {
		if !s.dependentWrite && p.Last(s.addr) != s.last {
			r.drop(g)
			return
		}
	}
	r.predicted(x)
}

func (r *registry) predicted(x *candidate) {
	x.found = true
	r.found.Add(1)
}
