// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package predict

import "github.com/commutego/commute/internal/engine/vclock"

// Lock tells that t has taken a lock, whose address is even, for reading or for writing; now is its present. It reports
// whether a segment begins that may be cut off: then Segment is to follow, before all that t does there.
func (p *Predictor) Lock(t *Thread, addr uintptr, read bool, now vclock.Epoch) bool {
	h := hold{lock: addr}
	if read {
		h.lock |= 1
	}
	if !t.parted && t.nHeld < maxHeld && !p.Live() {
		t.held[t.nHeld] = h
		t.nHeld++
		return false
	}
	begins := t.parted && t.outside() && p.theRealm().worthwhile(t.place)
	if r := p.realm.Load(); r != nil && r.live.Load() != 0 {
		r.enter()
		r.tick()
		t.take(r, r.locks.find(addr), read, now)
		h.mask = r.mark(r.bits(t.mask))
		r.lock.Unlock()
	}
	if t.nHeld == maxHeld {
		t.lost++
		t.clean = false
	} else {
		t.held[t.nHeld] = h
		t.nHeld++
	}
	return begins
}

// take is Lock for what is known of a lock, which may be nil.
func (t *Thread) take(r *realm, l *lockState, read bool, now vclock.Epoch) {
	if l == nil {
		return
	}
	stop := r.bits(l.stopped)
	if !read {
		stop |= r.bits(l.stoppedReader)
	}
	t.taint(r, stop, now)
	if read {
		l.readers++
	} else {
		l.written, l.by = true, r.mark(r.bits(t.mask))
	}
}

// Segment tells that a segment begins at an epoch that nothing before it has.
func (p *Predictor) Segment(t *Thread, since vclock.Epoch) {
	r := p.theRealm()
	t.since, t.clean, t.unarmed = since, false, 0
	r.enter()
	for i := range r.segment {
		if s := &r.segment[i]; s.slot == 0 {
			s.slot, s.since, s.exposed, s.nSeen = since.Slot()+1, since.Time(), false, 0
			t.segment, t.clean, t.unknown = uint8(i+1), true, r.unknown.Load()
			r.busy.Add(1)
			r.lower(since.Slot(), since.Time())
			break
		}
	}
	r.lock.Unlock()
}

// Dependent reports whether it matters to Unlock who releases a lock.
func (p *Predictor) Dependent(t *Thread) bool {
	r := p.realm.Load()
	return r != nil && t.mask != 0 && r.live.Load() != 0
}

// Unlock tells that t releases a lock. Free is whether the lock orders nothing by itself, as one does whose use is all seen.
func (p *Predictor) Unlock(t *Thread, addr uintptr, read, free bool, now vclock.Epoch) {
	t.clean = false
	key, found := addr, false
	if read {
		key |= 1
	}
	if t.nHeld > 0 && t.held[t.nHeld-1].lock == key && t.segment == 0 && !p.Live() {
		t.nHeld--
		t.parted = t.place != 0 && (t.parted || t.outside())
		return
	}
	var h hold
	for i := int(t.nHeld) - 1; i >= 0 && !found; i-- {
		if t.held[i].lock == key {
			h, found = t.held[i], true
			copy(t.held[i:], t.held[i+1:t.nHeld])
			t.nHeld--
		}
	}
	foreign := !found && t.lost == 0
	if !found && t.lost > 0 {
		t.lost--
	}
	r := p.realm.Load()
	if r != nil && r.live.Load() != 0 {
		r.enter()
		if foreign {
			t.taint(r, r.live.Load(), now) // who took it is not known
		}
		stop := r.bits(t.mask)
		if found && free {
			stop &^= r.bits(h.mask)
		}
		p.leave(t, r, addr, read, stop)
		r.lock.Unlock()
	}
	if t.place != 0 && t.outside() && !foreign {
		p.part(t)
	}
}

// leave is Unlock for what is known of a lock; stop are the ghosts that leave t inside.
func (p *Predictor) leave(t *Thread, r *realm, addr uintptr, read bool, stop uint32) {
	l := r.locks.find(addr)
	if l == nil && stop != 0 {
		if l = r.lockAt(addr); l == nil {
			r.killAll()
		}
	}
	if l == nil {
		return
	}
	if read {
		r.join(&l.stoppedReader, stop)
		l.readers -= min(1, l.readers)
	} else {
		r.join(&l.stopped, stop)
		l.written = false
	}
	for rest := r.bits(l.pinned); rest != 0; rest &= rest - 1 {
		if x := &r.ghost[trailing(rest)]; x.waiting && !x.found {
			p.confirm(r, x)
		}
	}
}

// part tells that t, in a transaction, has no lock any more.
func (p *Predictor) part(t *Thread) {
	t.parted, t.clean = true, false
	if t.segment != 0 || t.unarmed != 0 {
		r := p.theRealm()
		r.enter()
		t.endSegment(r)
		r.lock.Unlock()
	}
}

// worthwhile reports whether a segment of a transaction at a place is to be looked at: of those of which nothing came, and
// there have been many, not each is.
func (r *realm) worthwhile(place uintptr) bool {
	n := r.vain[place>>4%uintptr(len(r.vain))].Add(1)
	return n < maxVain || n%64 == 0
}

const maxVain = 1 << 12

// intrudes reports whether a read by t, the Other of x, can be followed by Second, as soon as t lets its locks go. T's read
// may be of another value than it was, so that nothing else is known of what t does then; but there is nothing that
// it could change, other than what Second accesses.
func (r *realm) intrudes(x *ghost, t *Thread) bool {
	g := r.number(x)
	for _, need := range x.needs[:x.nNeeds] {
		l := r.locks.find(need &^ 1)
		if l == nil || r.bits(l.stopped)>>g&1 != 0 || need&1 == 0 && r.bits(l.stoppedReader)>>g&1 != 0 {
			return false
		}
		mine, read := false, uint32(0)
		for _, h := range t.held[:t.nHeld] {
			mine = mine || h.lock == need&^1
			if h.lock == need|1 {
				read = 1
			}
		}
		if l.written && !mine && r.bits(l.by)>>g&1 == 0 || need&1 == 0 && l.readers > read {
			return false
		}
	}
	return x.nSeen == 0
}

// confirm finds out whether the thread of a ghost, of which Other is known, can go on to Second now.
func (p *Predictor) confirm(r *realm, x *ghost) {
	g := r.number(x)
	for _, need := range x.needs[:x.nNeeds] {
		l := r.locks.find(need &^ 1)
		if l == nil || r.bits(l.stopped)>>g&1 != 0 || need&1 == 0 && r.bits(l.stoppedReader)>>g&1 != 0 {
			r.kill(g)
			return
		}
		if l.written && r.bits(l.by)>>g&1 == 0 || need&1 == 0 && l.readers > 0 {
			return // later, it may be
		}
	}
	for _, s := range x.seen[:x.nSeen] {
		if !s.own && p.Last(s.addr) != s.last {
			r.kill(g)
			return
		}
	}
	r.find(x)
}

func (r *realm) find(x *ghost) {
	x.found = true
	r.found.Add(1)
}
