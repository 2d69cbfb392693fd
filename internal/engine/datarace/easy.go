// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package datarace

import (
	"sync/atomic"
	"unsafe"

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/event"
)

// Two words are by one goroutine if they agree from this bit on: see own.
const ownShift = epochShift + epochBlockBits

// EasyRead and EasyWrite are QuickRead and QuickWrite for the most frequent cells that are not read
// or written at this epoch yet: all that is recorded are single accesses, and known, or reads of
// others have their block. Nothing is easy while transactions run. Each is mostly one function
// without calls, as what they do takes less time than calls.

// EasyRead reports whether it was easy; else nothing is lost. It is easy as well if the read
// repeats one. An atomic read is as exact as by the long way: what is written at the same instant
// is seen.
//
//go:nosplit
func (t *Thread) EasyRead(c Cell, now uint64, kind event.Access, site, caller uint32) bool {
	r := c.region
	if r == nil || now == 0 || t.quickOff || orderedMatter() {
		return false
	}
	has := r.page(c.addr).Load()
	if has&(pageRead|pageOwned) != pageRead|pageOwned {
		return false
	}
	w := Word(now) | Word(site)<<siteShift | 1<<(c.addr&7) | Word(kind/Atomic)<<atomicShift
	at, write := r.read(c.addr), Word(r.write(c.addr).Load())
	old, readable := Word(at.Load()), write == 0 ||
		write&blockBit == 0 && ((write^w)>>ownShift == 0 || t.surelyKnows(write))
	if v := w.easily(old); v != 0 && w&atomicBit == 0 && readable {
		host.Publish64(at, uint64(v))
		return true
	}
	if !readable && !t.readable(write) {
		return false
	}
	if old&blockBit != 0 { // here, as the chain of calls has no stack for one more
		return t.easyBlock(at, old, w, caller) &&
			(w&atomicBit == 0 || Word(r.write(c.addr).Load()) == write)
	}
	return t.easyRead(r, c.addr, w, write, has, caller)
}

// easily is what a goroutine's access, w, and its last one, old, become in a cell where nothing
// else counts: there was none, w joins it at the same site, or takes its place. It's 0 if that is
// not so.
//
//go:nosplit
func (w Word) easily(old Word) Word {
	switch {
	case old == 0:
		return w
	case (old^w)&^allBytes == 0:
		return old | w
	case (old^w)>>ownShift|old&(blockBit|earlierBit|atomicBit|allBytes)&^w == 0:
		return w
	}
	return 0
}

// easyRead is EasyRead where the goroutine's own last accesses are not all there is. The read races
// with no write, and the cell's reads are not a block.
//
//go:nosplit
func (t *Thread) easyRead(r *region, addr uintptr, w, write Word, has, caller uint32) bool {
	at, atomically := r.read(addr), w&atomicBit != 0
	old := Word(at.Load())
	if old&blockBit != 0 {
		return false // since then
	}
	first := old
	if has&pageOther != 0 && old != 0 && (old^w)>>ownShift != 0 &&
		(old&^w&allBytes != 0 || !w.subsumes(old) || !t.easilyKnows(old)) {
		// The word of reads is another goroutine's, so this one has the second.
		at = r.other(addr)
		old = Word(at.Load())
	}
	switch {
	case old == 0:
	case (old^w)>>atomicShift == 0:
		one := old.together(w, caller)
		if one == 0 {
			return false
		}
		if (one^old)&allBytes == 0 {
			return true
		}
		w = one
	case old&^w&(blockBit|allBytes) != 0 || !w.subsumes(old) ||
		(old^w)>>ownShift != 0 && !t.easilyKnows(old):
		// Neither is it another's: then what became of the first one may be remembered.
		return old != first && !atomically && t.quickRecall(r.read(addr), first, w)
	}
	if atomically {
		return at.CompareAndSwap(uint64(old), uint64(w)) &&
			Word(r.write(addr).Load()) == write
	}
	host.Publish64(at, uint64(w))
	return true
}

// EasyWrite is EasyRead for a write. Reads of other bytes stay.
//
//go:nosplit
func (t *Thread) EasyWrite(c Cell, now uint64, site, caller uint32) bool {
	r := c.region
	if r == nil || now == 0 || t.quickOff || orderedMatter() {
		return false
	}
	has := r.page(c.addr).Load()
	if has&(pageWritten|pageOwned) != pageWritten|pageOwned {
		return false
	}
	at, w := r.write(c.addr), Word(now)|Word(site)<<siteShift|1<<(c.addr&7)
	if v := w.easily(Word(at.Load())); v != 0 && has&pageOther == 0 &&
		(has&pageRead == 0 || r.read(c.addr).Load() == 0) {
		host.Publish64(at, uint64(v))
		return true
	}
	return t.easyWrite(r, c.addr, w, has, caller)
}

// easyWrite is EasyWrite where the goroutine's own last writes are not all there is.
//
//go:nosplit
func (t *Thread) easyWrite(r *region, addr uintptr, w Word, has, caller uint32) bool {
	at := r.write(addr)
	old, behind := Word(at.Load()), false
	switch {
	case old == 0:
	case (old^w)>>atomicShift == 0:
		if w = old.together(w, caller); w == 0 {
			return false
		}
	case old&blockBit != 0 || (old^w)>>ownShift != 0 && !t.easilyKnows(old):
		return false
	case old&^w&allBytes != 0:
		// It is to other bytes as well, and becomes the earlier one.
		if has&pageEarlier == 0 {
			return false
		}
		behind = true
	}
	// The reads since, as far as they are of this byte, must be known. Those of others stay.
	var read, other Word
	if has&pageRead != 0 {
		if read = Word(r.read(addr).Load()); !t.easilyOverwritten(read, w, addr) {
			return false
		}
	}
	if has&pageOther != 0 {
		if other = Word(r.other(addr).Load()); !t.easilyOverwritten(other, w, addr) {
			return false
		}
	}
	byte, one := Word(1<<(addr&7)), w.after(old)
	more := (read|other)&^byte&allBytes != 0
	switch {
	case behind:
		if one = w | earlierBit; !t.putBehind(r, addr, old, w) {
			return false
		}
	case more:
		if !at.CompareAndSwap(uint64(old), uint64(one)) {
			return false
		}
	case !replace(at, old, one):
		return false
	}
	// Like the long way: what others have done at this instant is looked for where reads stay.
	if more && (at.Load() != uint64(one) || r.page(addr).Load() != has ||
		r.read(addr).Load() != uint64(read) ||
		has&pageOther != 0 && r.other(addr).Load() != uint64(other)) {
		return false
	}
	if read&byte != 0 {
		host.Publish64(r.read(addr), uint64(read.with(read&^byte)))
	}
	if other&byte != 0 {
		host.Publish64(r.other(addr), uint64(other.with(other&^byte)))
	}
	return true
}

// EasyAtomicWrite is EasyWrite for an atomic write, where the cell has no reads. It has one other
// write at most, or those of a lock or counter: the last atomic one, and a plain one as the earlier
// word, or in a block. It is as exact as the long way, which the caller has to take where it is not
// easy.
func (t *Thread) EasyAtomicWrite(c Cell, epoch uint64, site uint32) bool {
	r := c.region
	if r == nil || epoch == 0 || t.quickOff || orderedMatter() {
		return false
	}
	has := r.page(c.addr).Load()
	if has&(pageWritten|pageOwned) != pageWritten|pageOwned {
		return false
	}
	at, w := r.write(c.addr), Word(epoch)|atomicBit|Word(site)<<siteShift|1<<(c.addr&7)
	old := Word(at.Load())
	if r.hasReads(c.addr, has) {
		return false
	}
	now := w | earlierBit // what there is then
	switch {
	case old.isBlock():
		if now = old; !t.renewAtomic(old, w) {
			return false
		}
	case old == 0 || t.replaces(w, old):
		if now = w.after(old); !at.CompareAndSwap(uint64(old), uint64(now)) {
			return false
		}
	case has&pageEarlier == 0:
		return false
	case !t.putAtomic(r, c.addr, old, w) && !t.putBehind(r, c.addr, old, w):
		return false
	}
	// What others have done at this instant may not have seen w.
	return at.Load() == uint64(now) && !r.hasReads(c.addr, r.page(c.addr).Load())
}

// hasReads reports whether a cell's words of reads, as far as its page has them, are not empty.
func (r *region) hasReads(addr uintptr, has uint32) bool {
	return has&pageRead != 0 && r.read(addr).Load() != 0 ||
		has&pageOther != 0 && r.other(addr).Load() != 0
}

// easilyOverwritten reports whether read, a word of reads, may lose the byte at addr to w. A false
// answer may be wrong.
//
//go:nosplit
func (t *knowledge) easilyOverwritten(read, w Word, addr uintptr) bool {
	return read&(blockBit|1<<(addr&7)) == 0 ||
		read&blockBit == 0 && ((read^w)>>ownShift == 0 || t.easilyKnows(read))
}

// easyCells is EasyRead or EasyWrite for whole cells, from addr to end. It returns the first one
// that was not easy, and end if there is none. A cell whose access repeats one is easy as well.
//
//go:nosplit
func (t *knowledge) easyCells(
	r *region, addr, end uintptr, w Word, write bool, has uint32,
) uintptr {
	matter := orderedMatter()
	wrote, read := Word(0), Word(0) // the last words that may be replaced, if not 0
	at := unsafe.Pointer(r.write(addr))
	for ; addr < end; addr, at = addr+8, unsafe.Add(at, 8) {
		writes, reads := cellWord(at, 0), cellWord(at, toReads)
		now, nowRead, other := Word(writes.Load()), Word(0), Word(0)
		if (now^w)&^siteMask == 0 {
			continue
		}
		if has&pageRead != 0 {
			if nowRead = Word(reads.Load()); !write && (nowRead^w)&^siteMask == 0 {
				continue
			}
		}
		if matter || now != 0 && now != wrote && !t.easilyReplaced(now, w) ||
			nowRead != 0 && nowRead != read && !t.easilyReplaced(nowRead, w) {
			break
		}
		wrote, read = now, nowRead
		if !write {
			host.Publish64(reads, uint64(w))
			continue
		}
		others := cellWord(at, toOthers)
		if has&pageOther != 0 {
			other = Word(others.Load())
			if other != 0 && !t.easilyReplaced(other, w) {
				break
			}
		}
		host.Publish64(writes, uint64(w))
		if nowRead != 0 {
			host.Publish64(reads, 0)
		}
		if other != 0 {
			host.Publish64(others, 0)
		}
	}
	return addr
}

// How far the other words of a cell are from the one of its writes.
const (
	toReads  = unsafe.Offsetof(region{}.reads) - unsafe.Offsetof(region{}.writes)
	toOthers = unsafe.Offsetof(region{}.others) - unsafe.Offsetof(region{}.writes)
)

// cellWord is the word of a cell that is so far from the one of its writes.
func cellWord(writes unsafe.Pointer, far uintptr) *atomic.Uint64 {
	return (*atomic.Uint64)(unsafe.Add(writes, far))
}

// easilyReplaced reports whether w, which is to a whole cell, may take the place of old. A false
// answer may be wrong.
//
//go:nosplit
func (t *knowledge) easilyReplaced(old, w Word) bool {
	return old&blockBit == 0 && ((old^w)>>ownShift == 0 || t.easilyKnows(old))
}
