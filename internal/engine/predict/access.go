// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package predict

import "github.com/commutego/commute/internal/engine/vclock"

// ReadsFrom tells that t, whose present is now, reads what was written at an epoch of another thread.
func (p *Predictor) ReadsFrom(t *Thread, wrote, now vclock.Epoch) {
	r := p.realm.Load()
	if r == nil || !r.concerns(wrote) {
		return
	}
	r.enter()
	for i := range r.segment {
		if s := &r.segment[i]; s.slot == wrote.Slot()+1 && wrote.Time() >= s.since {
			s.exposed = true
		}
	}
	set := uint32(0)
	for rest := r.live.Load() &^ r.bits(t.mask) &^ r.bits(t.soft); rest != 0; rest &= rest - 1 {
		if g := trailing(rest); r.ghost[g].has(wrote) {
			set |= 1 << g
		}
	}
	if set != 0 && t.straight && t.place != 0 {
		t.note(r, set, now)
		r.join(&t.soft, set&r.live.Load())
	} else {
		t.taint(r, set, now)
	}
	r.lock.Unlock()
}

// In reports whether accesses of t may be the second of a pair, and since which epoch those are that come after a cut;
// the first is at begin or later.
func (t *Thread) In() (begin, since vclock.Epoch, ok bool) { return t.begin, t.since, t.clean }

// Saw tells that t reads of the 8 bytes at addr, whose last write last stands for, between a cut and the second access of
// a pair. It comes after Pair for the same access.
func (p *Predictor) Saw(t *Thread, addr uintptr, last uint64) {
	if !t.clean {
		return
	}
	in := &p.theRealm().segment[t.segment-1]
	for _, s := range in.seen[:in.nSeen] {
		if s.addr == addr {
			return
		}
	}
	if in.nSeen == maxSeen {
		t.clean = false
		return
	}
	in.seen[in.nSeen] = sight{addr: addr, last: last}
	in.nSeen++
}

// Pair tells that t makes an access, second, the first in its segment to these bytes of the 8 at addr, and has made first,
// to them too, in its transaction before the segment.
func (p *Predictor) Pair(t *Thread, addr uintptr, bytes uint8, first, second Side) {
	r := p.realm.Load()
	if r == nil || !t.clean || t.lost != 0 || t.nHeld == 0 || t.segment == 0 {
		return
	}
	first.Place, second.Place = t.place, t.place
	r.enter()
	if s := &r.segment[t.segment-1]; s.exposed || r.unknown.Load() != t.unknown {
		t.clean = false
	} else if x := r.spawn(&Prediction{First: first, Second: second, Addr: addr}, bytes); x != nil {
		t.haunt(r, x)
	}
	r.lock.Unlock()
}

// haunt makes a new ghost one of t's.
func (t *Thread) haunt(r *realm, x *ghost) {
	g := r.number(x)
	x.armed = x.First.Writes || x.Second.Writes
	if !x.armed {
		r.join(&t.unarmed, 1<<g)
	}
	in := &r.segment[t.segment-1]
	x.seen, x.nSeen = in.seen, in.nSeen
	for _, s := range x.seen[:x.nSeen] {
		r.filter[filterOf(s.addr)].Store(1)
	}
	for i := range t.held[:t.nHeld] {
		h := &t.held[i]
		x.needs[i] = h.lock
		x.nNeeds++
		r.join(&h.mask, 1<<g)
		l := r.lockAt(h.lock &^ 1)
		if l == nil {
			r.kill(g)
			return
		}
		r.join(&l.pinned, 1<<g)
		if h.lock&1 != 0 {
			l.written = false
		} else {
			l.written, l.by, l.readers = true, h.mask, 0
		}
	}
	t.taint(r, 1<<g, t.since)
}

// Wrote tells that t writes in a segment, after Pair: what it has read there twice guards the write.
func (p *Predictor) Wrote(t *Thread) {
	if t.unarmed == 0 {
		return
	}
	r := p.realm.Load()
	r.enter()
	for rest := r.bits(t.unarmed); rest != 0; rest &= rest - 1 {
		r.kill(trailing(rest))
	}
	t.unarmed = 0
	r.lock.Unlock()
}

// Haunted reports whether a ghost has to do with the 8 bytes at addr.
func (p *Predictor) Haunted(addr uintptr) bool {
	r := p.realm.Load()
	return r != nil && r.live.Load() != 0 && r.filter[filterOf(addr)].Load() != 0
}

// Overwrites tells that t is about to write to the 8 bytes at addr.
func (p *Predictor) Overwrites(t *Thread, addr uintptr) {
	r := p.realm.Load()
	if r == nil || r.live.Load() == 0 {
		return
	}
	r.enter()
	mine := r.bits(t.mask)
	for rest := r.live.Load(); rest != 0; rest &= rest - 1 {
		g := trailing(rest)
		x := &r.ghost[g]
		for i := range x.seen[:x.nSeen] {
			switch s := &x.seen[i]; {
			case s.addr != addr:
			case mine>>g&1 == 0:
				r.kill(g)
			case p.Last(addr) == s.last:
				s.own = true
			}
		}
	}
	r.lock.Unlock()
}

// Access tells that t makes an access to bytes of the 8 at addr. It comes before ReadsFrom.
func (p *Predictor) Access(t *Thread, addr uintptr, bytes uint8, a Side) {
	r := p.realm.Load()
	if r == nil || t.covered(r) {
		return
	}
	r.enter()
	for rest := r.live.Load() &^ r.bits(t.mask); rest != 0; rest &= rest - 1 {
		g := trailing(rest)
		x := &r.ghost[g]
		if !x.armed || x.waiting || x.Addr&^7 != addr || x.bytes&bytes == 0 || !a.Writes && !(x.First.Writes && x.Second.Writes) {
			continue
		}
		a.Place = t.place
		x.Other, x.waiting, x.Renewed = a, true, r.bits(t.soft)>>g&1 != 0
		x.Intrudes = !a.Writes
		if x.Intrudes && r.intrudes(x, t) {
			r.find(x)
		} else {
			p.confirm(r, x)
		}
	}
	t.mask = r.mark(r.bits(t.mask))
	r.lock.Unlock()
}
