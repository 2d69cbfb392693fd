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
	has := c.region.page(c.addr).Load()
	return has&(pageRead|pageOwned) == pageRead|pageOwned &&
		t.quickRead(c.region, c.addr, now|Word(site)<<siteShift|1<<(c.addr&7), has, caller)
}

// QuickWrite is QuickRead for a write.
//
//go:nosplit
func (t *Thread) QuickWrite(c Cell, site, caller uint32) bool {
	now := Word(t.clock.P().Current())
	if c.region == nil || now == 0 {
		return false
	}
	has := c.region.page(c.addr).Load()
	return has&(pageWritten|pageOwned) == pageWritten|pageOwned &&
		t.quickWrite(c.region, c.addr, now|Word(site)<<siteShift|1<<(c.addr&7), has, caller)
}

// QuickRange is QuickRead or QuickWrite for n bytes from addr on. It returns how many of them, from the first on, have
// been dealt with.
//
//go:nosplit
func (t *Thread) QuickRange(addr, n uintptr, kind int, site, caller uint32) (done uintptr) {
	now := Word(t.clock.P().Current())
	if now == 0 || kind&Atomic != 0 {
		return 0
	}
	what := uint32(pageRead | pageOwned)
	if kind == Write {
		what = pageWritten | pageOwned
	}
	w := now | Word(site)<<siteShift
	for n > 0 {
		r := findRegion(addr)
		if r == nil {
			break
		}
		has := r.page(addr).Load()
		if has&what != what {
			break
		}
		here := min(n, pageSize-addr&(pageSize-1))
		for end := addr + here; addr < end; {
			bytes := min(8-addr&7, end-addr)
			v := w | bytesOf(addr, bytes)
			if kind == Write && !t.quickWrite(r, addr, v, has, caller) || kind == Read && !t.quickRead(r, addr, v, has, caller) {
				return done
			}
			addr += bytes
			done += bytes
			n -= bytes
		}
	}
	return done
}

//go:nosplit
func (t *Thread) quickRead(r *region, addr uintptr, w Word, has, caller uint32) bool {
	if has&pageWritten != 0 {
		switch old := Word(r.write(addr).Load()); {
		case old == 0:
		case (old^w)>>atomicShift == 0 && w.within(old):
			return true
		case old.isBlock() || !t.surelyKnows(old):
			return false
		}
	}
	at := r.read(addr)
	old := Word(at.Load())
	now := t.merged(old, w, caller)
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

//go:nosplit
func (t *Thread) quickWrite(r *region, addr uintptr, w Word, has, caller uint32) bool {
	at := r.write(addr)
	now := t.merged(Word(at.Load()), w, caller)
	if now == 0 {
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
	if (old&blockBit | old&^w&allBytes) == 0 { // as gives, which is not called lest it take more stack
		m := old.moment()
		if old == 0 || m>>runBits == t.moment>>runBits {
			return w
		}
		if last := *t.cached(m); last>>runBits == m>>runBits && last >= m && t.cycle == collector.freed.Load() {
			return w
		}
	}
	if (old^w)>>atomicShift == 0 && (old.same(w) || caller > CutOff && siteAt(old.Site()).parent == caller) {
		return w | old&allBytes
	}
	return 0
}

// gives reports whether w, a plain access, may take the place of old. A false answer may be wrong.
//
//go:nosplit
func (t *Thread) gives(old, w Word) bool {
	return old == 0 || (old&blockBit|old&^w&allBytes) == 0 && t.surelyKnows(old)
}
