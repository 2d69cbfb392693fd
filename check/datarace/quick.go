// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package datarace

import "github.com/commutego/commute/internal/host"

// QuickRead and QuickWrite do what AccessByte does where that is easy: where no word of the cell is a block, and each
// is known to be ordered. They call next to nothing, so that they can be called where hardly any stack is left.

// QuickRead records a plain read, of c's byte, at a site whose caller's site is given. It reports whether that
// was easy; else nothing has been done.
//
//go:nosplit
func (t *Thread) QuickRead(c Cell, site, caller uint32) bool {
	now := Word(t.clock.P().Current())
	if c.region == nil || now == 0 {
		return false
	}
	r, addr := c.region, c.addr
	has := r.page(addr).Load()
	if has&(pageRead|pageOwned) != pageRead|pageOwned {
		return false
	}
	w := now | Word(site)<<siteShift | 1<<(addr&7)
	if has&pageWritten != 0 {
		if old := Word(r.write(addr).Load()); old != 0 && (old.isBlock() || !t.surelyKnows(old)) {
			return false
		}
	}
	at := r.read(addr)
	old := Word(at.Load())
	now = t.merged(old, w, caller)
	if now == 0 && has&pageOther != 0 && !old.isBlock() && !t.own(old) {
		at = r.other(addr)
		now = t.merged(Word(at.Load()), w, caller)
	}
	if now == 0 {
		return false
	}
	host.Publish64(at, uint64(now))
	return true
}

// QuickWrite is QuickRead for a write.
//
//go:nosplit
func (t *Thread) QuickWrite(c Cell, site, caller uint32) bool {
	now := Word(t.clock.P().Current())
	if c.region == nil || now == 0 {
		return false
	}
	r, addr := c.region, c.addr
	has := r.page(addr).Load()
	if has&(pageWritten|pageOwned) != pageWritten|pageOwned {
		return false
	}
	w := now | Word(site)<<siteShift | 1<<(addr&7)
	at := r.write(addr)
	if now = t.merged(Word(at.Load()), w, caller); now == 0 {
		return false
	}
	var read, other Word
	if has&pageRead != 0 {
		if read = Word(r.read(addr).Load()); !t.gives(read, w) {
			return false
		}
	}
	if has&pageOther != 0 {
		if other = Word(r.other(addr).Load()); !t.gives(other, w) {
			return false
		}
	}
	host.Publish64(at, uint64(now))
	if read != 0 {
		host.Publish64(r.read(addr), 0)
	}
	if other != 0 {
		host.Publish64(r.other(addr), 0)
	}
	return true
}

// merged is what to put in the place of old for w, a plain access whose site's caller is given; 0 if that is not easy to
// tell.
//
//go:nosplit
func (t *Thread) merged(old, w Word, caller uint32) Word {
	switch {
	case t.gives(old, w):
		return w
	case (old^w)>>atomicShift == 0 && (old.same(w) || caller > CutOff && siteAt(old.Site()).parent == caller):
		return w | old&allBytes
	}
	return 0
}

// gives reports whether w, a plain access, may take the place of old. A false answer may be wrong.
//
//go:nosplit
func (t *Thread) gives(old, w Word) bool {
	if (old&blockBit | old&^w&allBytes) != 0 {
		return false
	}
	m := old.moment()
	if old == 0 || m>>runBits == t.moment>>runBits {
		return true
	}
	last := *t.cached(m)
	return last>>runBits == m>>runBits && last >= m && t.cycle == collector.freed.Load()
}
