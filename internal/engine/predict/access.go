// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package predict

import "github.com/commutego/commute/internal/engine/vclock"

// ReadsFrom tells that t, whose present is now, reads what was written at an epoch of another thread.
func (p *Predictor) ReadsFrom(t *Thread, wrote, now vclock.Epoch) {
	r := p.registry.Load()
	if r == nil || !r.mayDepend(wrote) {
		return
	}
	r.lockAndDropFreed()
	for i := range r.section {
		if s := &r.section[i]; s.slot == wrote.Slot()+1 && wrote.Time() >= s.since {
			s.readByOther = true
		}
	}
	set := uint32(0)
	for rest := r.live.Load() &^ r.present(t.dependsOn) &^ r.present(t.valuesDependOn); rest != 0; rest &= rest - 1 {
		if g := trailingZeros(rest); r.candidate[g].hasDependent(wrote) {
			set |= 1 << g
		}
	}
	if set != 0 && t.valueIndependent && t.code != 0 {
		t.noteDependent(r, set, now)
		r.addTo(&t.valuesDependOn, set&r.live.Load())
	} else {
		t.taint(r, set, now)
	}
	r.lock.Unlock()
}

// In reports whether accesses of t may be the second of a pair, and since which epoch those are that come after a cut;
// the first is at begin or later.
func (t *Thread) Eligible() (begin, since vclock.Epoch, ok bool) { return t.begin, t.since, t.eligible }

// Saw tells that t reads of the 8 bytes at addr, whose last write last stands for, between a cut and the second access of
// a pair. It comes after Pair for the same access.
func (p *Predictor) ReadInSection(t *Thread, addr uintptr, last uint64) {
	if !t.eligible {
		return
	}
	in := &p.ensureRegistry().section[t.section-1]
	for _, s := range in.reads[:in.nReads] {
		if s.addr == addr {
			return
		}
	}
	if in.nReads == maxReads {
		t.eligible = false
		return
	}
	in.reads[in.nReads] = sectionRead{addr: addr, last: last}
	in.nReads++
}

// Pair tells that t makes an access, second, the first in its segment to these bytes of the 8 at addr, and has made first,
// to them too, in its transaction before the segment.
func (p *Predictor) Pair(t *Thread, addr uintptr, bytes uint8, first, second Access) {
	r := p.registry.Load()
	if r == nil || !t.eligible || t.unrecorded != 0 || t.nHeld == 0 || t.section == 0 {
		return
	}
	first.Code, second.Code = t.code, t.code
	r.lockAndDropFreed()
	if s := &r.section[t.section-1]; s.readByOther || r.unknownEvents.Load() != t.unknownEvents {
		t.eligible = false
	} else if x := r.create(&Prediction{First: first, Second: second, Addr: addr}, bytes); x != nil {
		t.track(r, x)
	}
	r.lock.Unlock()
}

// haunt makes a new ghost one of t's.
func (t *Thread) track(r *registry, x *candidate) {
	g := r.indexOf(x)
	x.armed = x.First.Writes || x.Second.Writes
	if !x.armed {
		r.addTo(&t.unarmed, 1<<g)
	}
	in := &r.section[t.section-1]
	x.reads, x.nReads = in.reads, in.nReads
	for _, s := range x.reads[:x.nReads] {
		r.filter[filterOf(s.addr)].Store(1)
	}
	for i := range t.held[:t.nHeld] {
		h := &t.held[i]
		x.needs[i] = h.lock
		x.nNeeds++
		r.addTo(&h.dependsOn, 1<<g)
		l := r.lockAt(h.lock &^ 1)
		if l == nil {
			r.drop(g)
			return
		}
		r.addTo(&l.neededBy, 1<<g)
		if h.lock&1 != 0 {
			l.writeHeld = false
		} else {
			l.writeHeld, l.writerDependsOn, l.readers = true, h.dependsOn, 0
		}
	}
	t.taint(r, 1<<g, t.since)
}

// Wrote tells that t writes in a segment, after Pair: what it has read there twice guards the write.
func (p *Predictor) WroteInSection(t *Thread) {
	if t.unarmed == 0 {
		return
	}
	r := p.registry.Load()
	r.lockAndDropFreed()
	for rest := r.present(t.unarmed); rest != 0; rest &= rest - 1 {
		r.drop(trailingZeros(rest))
	}
	t.unarmed = 0
	r.lock.Unlock()
}

// Haunted reports whether a ghost has to do with the 8 bytes at addr.
func (p *Predictor) Tracked(addr uintptr) bool {
	r := p.registry.Load()
	return r != nil && r.live.Load() != 0 && r.filter[filterOf(addr)].Load() != 0
}

// Overwrites tells that t is about to write to the 8 bytes at addr.
func (p *Predictor) Overwrites(t *Thread, addr uintptr) {
	r := p.registry.Load()
	if r == nil || r.live.Load() == 0 {
		return
	}
	r.lockAndDropFreed()
	mine := r.present(t.dependsOn)
	for rest := r.live.Load(); rest != 0; rest &= rest - 1 {
		g := trailingZeros(rest)
		x := &r.candidate[g]
		for i := range x.reads[:x.nReads] {
			switch s := &x.reads[i]; {
			case s.addr != addr:
			case mine>>g&1 == 0:
				r.drop(g)
			case p.Last(addr) == s.last:
				s.dependentWrite = true
			}
		}
	}
	r.lock.Unlock()
}

// Access tells that t makes an access to bytes of the 8 at addr. It comes before ReadsFrom.
func (p *Predictor) Access(t *Thread, addr uintptr, bytes uint8, a Access) {
	r := p.registry.Load()
	if r == nil || t.dependsOnAll(r) {
		return
	}
	r.lockAndDropFreed()
	for rest := r.live.Load() &^ r.present(t.dependsOn); rest != 0; rest &= rest - 1 {
		g := trailingZeros(rest)
		x := &r.candidate[g]
		if !x.armed || x.waiting || x.Addr&^7 != addr || x.bytes&bytes == 0 || !a.Writes && !(x.First.Writes && x.Second.Writes) {
			continue
		}
		a.Code = t.code
		x.Other, x.waiting, x.ValuesDiffer = a, true, r.present(t.valuesDependOn)>>g&1 != 0
		x.OtherReads = !a.Writes
		if x.OtherReads && r.confirmRead(x, t) {
			r.predicted(x)
		} else {
			p.confirm(r, x)
		}
	}
	t.dependsOn = r.setOf(r.present(t.dependsOn))
	r.lock.Unlock()
}
