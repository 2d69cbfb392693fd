// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package predict

import "github.com/commutego/commute/internal/engine/vclock"

// Access reports that t accesses bytes of the 8 at addr. It makes the access the Other of each
// candidate that it conflicts with on both sides. Access comes before ReadsFrom, which could make t
// depend on the candidate.
func (p *Predictor) Access(t *Thread, addr uintptr, bytes uint8, a Access) {
	r := p.registry.Load()
	if r == nil || t.dependsOnAll(r) {
		return
	}
	r.lockAndDropFreed()
	for rest := r.live.Load() &^ r.present(t.dependsOn); rest != 0; rest &= rest - 1 {
		g := trailingZeros(rest)
		x := &r.candidate[g]
		if !x.armed || x.waiting || x.Addr&^7 != addr || x.bytes&bytes == 0 ||
			!a.Writes && !x.Second.Writes {
			continue
		}
		switch a.Code = t.code; {
		case x.open && !x.entryOf(&a):
			x.note(t, &a)
			continue
		case x.open:
		case !a.Writes && !x.First.Writes:
			continue
		default:
			x.Entry, x.FirstAddr = a, x.Addr
		}
		x.Other, x.waiting, x.ValuesDiffer = a, true, r.present(t.valuesDependOn)>>g&1 != 0
		x.OtherReads = !a.Writes
		if x.OtherReads && r.confirmRead(p, x, t) {
			r.markFound(x)
		} else {
			r.confirm(p, x)
		}
	}
	t.dependsOn = r.setOf(r.present(t.dependsOn)) // with the present serial, for dependsOnAll
	r.lock.Unlock()
}

// ReadsFrom reports that t, at its epoch now, reads a value that another thread wrote at the epoch
// wrote.
//
// If the write depends on a candidate, the witness does not have it, and t would read another
// value. A value-independent transaction makes the same accesses with that value. So its reads are
// only noted in valuesDependOn, until its end.
func (p *Predictor) ReadsFrom(t *Thread, wrote, now vclock.Epoch) {
	r := p.registry.Load()
	if r == nil || !r.mayDepend(wrote) {
		return
	}
	r.lockAndDropFreed()
	// A read of what a running section wrote depends on a candidate that doesn't exist yet. So the
	// section can't make one any more.
	for i := range r.section {
		if s := &r.section[i]; s.slot == wrote.Slot()+1 && wrote.Time() >= s.since {
			s.readByOther = true
		}
	}
	set := uint32(0)
	rest := r.live.Load() &^ r.present(t.dependsOn) &^ r.present(t.valuesDependOn)
	for ; rest != 0; rest &= rest - 1 {
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

// Overwrites reports that t is about to write to the 8 bytes at addr. If A has read them between
// the cut and Second, a write that the witness keeps would change what A reads: the candidate is
// dropped. A dependent write is left out of the witness.
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
				r.drop(g) // the witness has the write
			case p.Last(addr) == s.last:
				s.dependentWrite = true // the first write after A's read
			}
		}
	}
	r.lock.Unlock()
}

// Tracked reports whether a candidate may concern the 8 bytes at addr. It takes no lock.
func (p *Predictor) Tracked(addr uintptr) bool {
	r := p.registry.Load()
	return r != nil && r.live.Load() != 0 && r.filter[filterOf(addr)].Load() != 0
}

// Eligible reports whether an access of t can be the second of a pair. The first of the pair has an
// epoch of begin or later, and before since; accesses after the cut have since or later.
func (t *Thread) Eligible() (begin, since vclock.Epoch, ok bool) {
	return t.begin, t.since, t.eligible
}

// Pair reports that t makes an access, second, to bytes of the 8 at addr: its first access to them
// in this section. Before the section, the transaction has made the access first, to the same
// bytes. First's epoch is 0 if it has not accessed them: then an earlier access to other bytes may
// be the First.
func (p *Predictor) Pair(t *Thread, addr uintptr, bytes uint8, first, second Access) {
	r := p.registry.Load()
	if r == nil || !t.eligible || t.unrecorded != 0 || t.nHeld == 0 || t.section == 0 {
		return
	}
	first.Code, second.Code = t.code, t.code
	s := &r.section[t.section-1]
	switch {
	case first.Epoch != 0:
		s.looksAgain = s.looksAgain || !first.Writes && !second.Writes
	case s.nOpen == maxOpenTries:
		return
	default:
		s.nOpen++
	}
	r.lockAndDropFreed()
	if s.readByOther || r.unknownEvents.Load() != t.unknownEvents {
		t.eligible = false // an event since the cut depends on it and is not known as a dependent
	} else if x := r.create(&Prediction{
		First: first, Second: second, Addr: addr,
	}, bytes, t.begin, t.since); x != nil {
		r.track(p, t, x)
	}
	r.lock.Unlock()
}

// track completes a new candidate of t: what the section has read so far, and the locks that it
// holds. The witness needs those locks free before it goes on with Second.
func (r *registry) track(p *Predictor, t *Thread, x *candidate) {
	g := r.indexOf(x)
	x.armed = x.First.Writes && !x.open || x.Second.Writes
	if !x.armed {
		r.addTo(&t.unarmed, 1<<g)
	}
	in := &r.section[t.section-1]
	x.reads, x.nReads = in.reads, in.nReads
	for i := range x.reads[:x.nReads] {
		s := &x.reads[i]
		r.filter[filterOf(s.addr)].Store(1)
		// If Second overwrites what was read, it is the next write there.
		s.dependentWrite = s.addr == x.Addr && x.Second.Writes && p.Last(s.addr) == s.last
	}
	for i := range t.held[:t.nHeld] {
		h := &t.held[i]
		x.needs[i] = h.lock
		x.nNeeds++
		r.addTo(&h.dependsOn, 1<<g)
		// From now on the state of the lock is kept for this candidate.
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
	t.taint(r, 1<<g, t.since) // all that t has done since the cut depends on it
}

// ReadInSection reports a read by t of the 8 bytes at addr, between the cut and the second access
// of a pair; last stands for their last write. It comes after Pair for the same access.
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
		t.eligible = false // no room: Second could not be known to be as before
		return
	}
	in.reads[in.nReads] = sectionRead{addr: addr, last: last}
	in.nReads++
}

// WroteInSection reports that t writes in a section; it comes after Pair. The candidates of this
// section that are pairs of reads are dropped: the second read guards this write. So are the open
// candidates whose Second is then a read: by this read A may begin anew.
func (p *Predictor) WroteInSection(t *Thread) {
	if t.unarmed == 0 {
		return
	}
	r := p.registry.Load()
	r.lockAndDropFreed()
	for rest := r.present(t.unarmed); rest != 0; rest &= rest - 1 {
		g := trailingZeros(rest)
		if !r.candidate[g].open || t.section != 0 && r.section[t.section-1].looksAgain {
			r.drop(g)
		}
	}
	t.unarmed = r.setOf(r.present(t.unarmed))
	r.lock.Unlock()
}
