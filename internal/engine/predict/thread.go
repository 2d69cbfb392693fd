// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package predict

import "github.com/commutego/commute/internal/engine/vclock"

// A Thread makes the events of one goroutine. The zero Thread is ready for use, but for Fork.
type Thread struct {
	mask Mark // what it does next depends on these ghosts
	soft Mark // of these, what it does next in its transaction has other values, and is the same otherwise

	held  [maxHeld]hold // locks, the innermost last
	nHeld uint8
	lost  uint32 // locks that there was no room for

	place    uintptr // of the transaction that it is in, 0 if it's in none
	straight bool    // the transaction does the same, whatever it reads
	parted   bool    // the transaction has been without a lock
	clean    bool    // it's in a segment, and did nothing there but acquire locks and access memory
	segment  uint8   // and 1; 0 for none
	begin    vclock.Epoch
	since    vclock.Epoch // of the segment
	unknown  uint32       // realm.unknown at its begin
	unarmed  Mark         // ghosts of this segment that its end arms
}

// A hold is a lock, and what the thread depended on when it took it. The lowest bit of the lock says that it was for
// reading.
type hold struct {
	lock uintptr
	mask Mark
}

const maxHeld = 4

// Parted reports whether t is in a transaction that has been without a lock: then each first access to a word at a moment
// is to be told.
func (t *Thread) Parted() bool { return t.parted }

// Outside reports whether t has no lock.
func (t *Thread) outside() bool { return t.nHeld == 0 && t.lost == 0 }

// Begin tells that a transaction begins at an epoch that nothing before it has. It's straight if it does the same, whatever
// it reads.
func (t *Thread) Begin(place uintptr, straight bool, begin vclock.Epoch) {
	t.place, t.straight, t.begin, t.parted = place, straight, begin, false
}

// End tells that it is over.
func (p *Predictor) End(t *Thread) {
	t.place, t.straight, t.parted = 0, false, false
	if t.segment == 0 && t.unarmed|t.soft == 0 {
		return
	}
	r := p.theRealm()
	r.enter()
	t.endSegment(r)
	r.join(&t.mask, r.bits(t.soft)) // what comes now may depend on values
	t.soft = 0
	r.lock.Unlock()
}

// endSegment ends the segment that t is in, if it's in one.
func (t *Thread) endSegment(r *realm) {
	for rest := r.bits(t.unarmed); rest != 0; rest &= rest - 1 {
		r.ghost[trailing(rest)].armed = true
	}
	t.unarmed, t.clean = 0, false
	if t.segment != 0 {
		r.segment[t.segment-1].slot = 0
		r.busy.Add(^uint32(0))
		t.segment = 0
	}
}

// Fork tells that t has started child, whose first epoch is first; t may be nil, for one that nobody watches.
func (p *Predictor) Fork(t *Thread, child *Thread, first vclock.Epoch) {
	*child = Thread{}
	if t != nil {
		t.clean = false
	}
	r := p.realm.Load()
	if r == nil || r.live.Load() == 0 {
		return
	}
	r.enter()
	for rest := r.live.Load(); rest != 0; rest &= rest - 1 {
		x := &r.ghost[trailing(rest)]
		for i := range x.deps[:x.nDeps] {
			if d := &x.deps[i]; d.slot == first.Slot() && d.until == 0 {
				d.until = first.Time()
			}
		}
	}
	if t != nil {
		child.taint(r, r.bits(t.mask)|r.bits(t.soft), first)
	}
	r.lock.Unlock()
}

// Turn tells that t has epochs of another slot from here on.
func (p *Predictor) Turn(t *Thread, now vclock.Epoch) {
	if r := p.realm.Load(); r != nil && r.live.Load() != 0 {
		r.enter()
		set := r.bits(t.mask)
		t.mask = 0
		t.taint(r, set, now)
		r.lock.Unlock()
	}
}

// taint makes what t does from now on depend on ghosts.
func (t *Thread) taint(r *realm, set uint32, now vclock.Epoch) {
	had := r.bits(t.mask)
	if set &^= had; set == 0 {
		return
	}
	t.note(r, set, now)
	r.join(&t.mask, set&r.live.Load())
}

// note has what t does from now on noted as dependent.
func (t *Thread) note(r *realm, set uint32, now vclock.Epoch) {
	if now == 0 {
		return // a carrier
	}
	for ; set != 0; set &= set - 1 {
		if g := trailing(set); !r.depends(&r.ghost[g], now) {
			r.kill(g)
		}
	}
}

// covered reports whether no ghost is left that t doesn't depend on.
func (t *Thread) covered(r *realm) bool {
	live := r.live.Load()
	return live == 0 || uint32(t.mask>>32) == r.serial.Load() && live&^uint32(t.mask) == 0
}

// Event tells of anything that is not told by another method: t's segment ends to be one that could be put off.
func (t *Thread) Event() { t.clean = false }

// Give tells of a release other than that of a lock.
func (p *Predictor) Give(t *Thread, addr uintptr) {
	t.clean = false
	r := p.realm.Load()
	if r == nil || t.mask|t.soft == 0 || r.live.Load() == 0 {
		return
	}
	r.enter()
	if set := r.bits(t.mask) | r.bits(t.soft); set != 0 {
		if o := r.object(addr); o != nil {
			r.join(&o.given, set)
		} else {
			r.killAll()
		}
	}
	r.lock.Unlock()
}

// Take tells of an acquire other than that of a lock. Now is 0 for what only carries from a release to an acquire.
func (p *Predictor) Take(t *Thread, addr uintptr, now vclock.Epoch) {
	t.clean = false
	r := p.realm.Load()
	if r == nil || r.live.Load() == 0 || now != 0 && t.covered(r) {
		return
	}
	r.enter()
	r.tick()
	o := r.objects.find(addr)
	if now == 0 {
		t.mask = 0
	}
	if o != nil {
		t.taint(r, r.bits(o.given), now)
	}
	t.mask = r.mark(r.bits(t.mask))
	r.lock.Unlock()
}

// Meet tells that t and u, which stands still, order each other.
func (p *Predictor) Meet(t *Thread, u *Thread, now, uNow vclock.Epoch) {
	t.clean, u.clean = false, false
	r := p.realm.Load()
	if r == nil || r.live.Load() == 0 {
		return
	}
	r.enter()
	mine, its := r.bits(t.mask)|r.bits(t.soft), r.bits(u.mask)|r.bits(u.soft)
	t.taint(r, its, now)
	u.taint(r, mine, uNow)
	r.lock.Unlock()
}

// Unknown tells of an event of which it's not known what it depends on: it may be anything.
func (p *Predictor) Unknown(t *Thread, now vclock.Epoch) {
	t.clean = false
	r := p.realm.Load()
	if r == nil {
		return
	}
	r.unknown.Add(1)
	if r.live.Load() == 0 {
		return
	}
	r.enter()
	t.taint(r, r.live.Load(), now)
	r.lock.Unlock()
}
