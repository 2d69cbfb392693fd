// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package datarace

import (
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/instance"
	"github.com/commutego/commute/internal/event"
)

// QuickRead and QuickWrite do what AccessByte does where that is easy. It is easy if each word of
// the cell is known to be ordered, and what becomes of a block is remembered. While transactions
// run, it is easy only where each word is the goroutine's own. They take little stack, as there may
// be hardly any left; so what they share is written out, mostly.

// QuickRead records a plain read of c's byte. The epoch now is that of t's clock (see
// [vclock.Thread.EpochID]); the site of the site's caller is given too. It reports whether that was
// easy; else nothing has been done.
//
//go:nosplit
func (t *Thread) QuickRead(c Cell, now uint64, site, caller uint32) bool {
	if c.region == nil || now == 0 || t.quickOff {
		return false
	}
	has := c.region.page(c.addr).Load()
	return has&(pageRead|pageOwned) == pageRead|pageOwned &&
		t.quickRead(c.region, c.addr, Word(now)|Word(site)<<siteShift|1<<(c.addr&7), has, caller)
}

// QuickWrite is QuickRead for a write.
//
//go:nosplit
func (t *Thread) QuickWrite(c Cell, now uint64, site, caller uint32) bool {
	if c.region == nil || now == 0 || t.quickOff {
		return false
	}
	has := c.region.page(c.addr).Load()
	return has&(pageWritten|pageOwned) == pageWritten|pageOwned &&
		t.quickWrite(c.region, c.addr, Word(now)|Word(site)<<siteShift|1<<(c.addr&7), has, caller)
}

// QuickRange is QuickRead or QuickWrite for n bytes from addr on, but no further than one page
// goes. It returns the first of them that have not been dealt with.
//
//go:nosplit
func (t *Thread) QuickRange(
	addr, n uintptr, now uint64, kind event.Access, site, caller uint32,
) uintptr {
	r := findRegion(addr)
	if r == nil || now == 0 || kind&Atomic != 0 || t.quickOff {
		return addr
	}
	has, write := r.page(addr).Load(), kind == Write
	if has&pageOwned == 0 || write && has&pageWritten == 0 || !write && has&pageRead == 0 {
		return addr
	}
	end := min(addr+n, addr&^(pageSize-1)+pageSize)
	w := Word(now) | Word(site)<<siteShift
	for addr < end {
		if addr&7 == 0 && end-addr >= 8 {
			if addr = t.easyCells(r, addr, end&^7, w|allBytes, write, has); addr == end {
				break
			}
		}
		bytes := min(8-addr&7, end-addr)
		v := w | bytesOf(addr, bytes)
		if write && !t.quickWrite(r, addr, v, has, caller) ||
			!write && !t.quickRead(r, addr, v, has, caller) {
			break
		}
		addr += bytes
	}
	return addr
}

// quickRead is QuickRead for a word. First the cell's writes must be known. Then w takes its place
// among the reads: in the word of the last reads, in that of a second goroutine's, or in a block
// that is remembered.
//
//go:nosplit
func (t *checker) quickRead(r *region, addr uintptr, w Word, has, caller uint32) bool {
	if has&pageWritten != 0 {
		switch old := Word(r.write(addr).Load()); {
		case old == 0:
		case (old^w)>>atomicShift == 0 && w.within(old):
			return true
		case orderedMatter() && (old.isBlock() || old.hasEarlier() || !t.own(old)):
			return false
		case old.isBlock() && !t.remembers(old) || !old.isBlock() && !t.surelyKnows(old):
			return false
		}
	}
	// The read becomes the cell's word of reads, or that of a second goroutine if the first one's
	// is another goroutine's.
	at := r.read(addr)
	old := Word(at.Load())
	now := t.merged(old, w, caller)
	if now == 0 && has&pageOther != 0 && !old.isBlock() {
		if t.takeTurn(r, addr, old, w) {
			return true
		}
		at = r.other(addr)
		now = t.merged(Word(at.Load()), w, caller)
	}
	if now == 0 {
		if old.isBlock() {
			at, v, one := t.quickPlace(old, w, caller)
			if one != 0 && t.quickJoinIn(old, at, v, one, w) {
				return true
			}
		}
		return t.quickRecall(r.read(addr), old, w)
	}
	host.Publish64(at, uint64(now))
	return true
}

// takeTurn puts w, a read at a new epoch, into the word of reads of a cell whose word there, read,
// is the goroutine's own. That one goes to the other word, if what is there is an earlier one of
// the goroutine that it subsumes; or goes, if the other one subsumes it. So the word of reads has
// the last epoch, at which most reads to come are made. It reports whether it was so, as far as one
// epoch block tells.
//
// The other word is stored first. The collector, and writes that look for a race, look at it last.
//
//go:nosplit
func (t *checker) takeTurn(r *region, addr uintptr, read, w Word) bool {
	if !t.own(read) || (read^w)>>atomicShift == 0 {
		return false
	}
	c := r.other(addr)
	switch other := Word(c.Load()); {
	case other == 0 || !other.isBlock() && t.own(other) && other.epochID() <= read.epochID() &&
		other.within(read) && read.subsumes(other):
		host.Publish64(c, uint64(read))
	case other.isBlock() || !t.own(other) || other.epochID() < read.epochID() ||
		!read.within(other) || !other.subsumes(read) || (other^w)>>atomicShift == 0:
		return false
	}
	host.Publish64(r.read(addr), uint64(w))
	return true
}

// quickWrite is QuickWrite for a word. Nothing is stored before it is clear that each of the cell's
// words may go.
//
//go:nosplit
func (t *checker) quickWrite(r *region, addr uintptr, w Word, has, caller uint32) bool {
	// Reads that were displaced have edges to this write.
	if instance.Transactions.Running() && displacedAt(addr).has(addr) {
		return false
	}
	at := r.write(addr)
	old := Word(at.Load())
	now := t.merged(old, w, caller)
	// All reads have to go, as the write comes after them. A read that is not known may be a race.
	var read, other Word
	if has&pageRead != 0 {
		if read = Word(r.read(addr).Load()); !t.quickReplaces(read, w) {
			return false
		}
	}
	if has&pageOther != 0 {
		if other = Word(r.other(addr).Load()); !t.quickReplaces(other, w) {
			return false
		}
	}
	// Only a block that is not remembered can still stand in the way, or another goroutine.
	switch {
	case orderedMatter() && old.hasEarlier():
		return false
	case now != 0:
		if !replace(at, old, now.after(old)) {
			return false
		}
	case has&pageEarlier != 0 && !orderedMatter() && t.putBehind(r, addr, old, w):
	case !t.quickRecall(at, old, w|1<<classShift):
		return false
	}
	if read != 0 {
		host.Publish64(r.read(addr), 0)
	}
	if other != 0 {
		host.Publish64(r.other(addr), 0)
	}
	return true
}

// merged is what to put in the place of old for w, a plain access whose site's caller is given; 0
// if that is not easy to tell.
//
//go:nosplit
func (t *checker) merged(old, w Word, caller uint32) Word {
	// This is quickReplaces written out: a call would take more stack.
	if (old&blockBit | old&^w&allBytes) == 0 {
		m := old.epochID()
		if old == 0 || m>>epochBlockBits == t.epochID>>epochBlockBits {
			return w
		}
		if last := *t.lastKnown(m); last>>epochBlockBits == m>>epochBlockBits && last >= m &&
			t.cycle == collector.freed.Load() && !orderedMatter() {
			return w
		}
	}
	if (old^w)>>atomicShift != 0 {
		return 0
	}
	return old.together(w, caller)
}

// quickReplaces reports whether w, a plain access, may take the place of old. A false answer may be
// wrong.
//
//go:nosplit
func (t *checker) quickReplaces(old, w Word) bool {
	return old == 0 || (old&blockBit|old&^w&allBytes) == 0 &&
		(t.own(old) || !orderedMatter() && t.surelyKnows(old))
}
