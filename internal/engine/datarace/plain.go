// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package datarace

import "github.com/commutego/commute/internal/engine/host"

// A program that synchronizes comes to new epochs all the time, and mostly does the same at each:
// the same places of it access the same bytes. PlainRead and PlainWrite are for these, and come
// before all other ways: they are a part of EasyRead and EasyWrite, in one function each, where
// words of the goroutine's own are treated like those of others that are surely known.

// PlainRead is EasyRead for a plain read, where the cell's reads and writes are single words.
//
//go:nosplit
func (t *Thread) PlainRead(c Cell, now uint64, site, caller uint32) bool {
	r := c.region
	if r == nil || now == 0 || t.quickOff || orderedMatter() {
		return false
	}
	at := r.read(c.addr)
	old, write := Word(at.Load()), Word(r.write(c.addr).Load())
	w := Word(now) | Word(site)<<siteShift | 1<<(c.addr&7)
	if (old|write)&blockBit != 0 ||
		write != 0 && (write^w)>>ownShift != 0 && !t.surelyKnows(write) {
		return false
	}
	if old != 0 && (old^w)>>ownShift != 0 && (old&^w&allBytes != 0 || !t.surelyKnows(old)) &&
		r.page(c.addr).Load()&pageOther != 0 {
		// The word of reads is another goroutine's, so this one has the second.
		at = r.other(c.addr)
		if old = Word(at.Load()); old&blockBit != 0 {
			return false
		}
	}
	switch {
	case old == 0:
		if r.page(c.addr).Load()&(pageRead|pageOwned) != pageRead|pageOwned {
			return false
		}
	case (old^w)>>atomicShift == 0:
		// It's of this epoch.
		if w.within(old) {
			return true
		}
		if old.Site() != site && (caller <= CutOff || isMixed(old.Site()) ||
			siteAt(old.Site()).parent != caller) {
			return false
		}
		w |= old & allBytes
	case old&^w&allBytes != 0 || (old^w)>>ownShift != 0 && !t.surelyKnows(old):
		return false
	}
	host.Publish64(at, uint64(w))
	return true
}

// PlainWrite is EasyWrite where the cell's reads and its last writes are single words, to no other
// byte.
//
//go:nosplit
func (t *Thread) PlainWrite(c Cell, now uint64, site uint32) bool {
	r := c.region
	if r == nil || now == 0 || t.quickOff || orderedMatter() {
		return false
	}
	at, has := r.write(c.addr), r.page(c.addr).Load()
	if has&(pageWritten|pageOwned) != pageWritten|pageOwned {
		return false
	}
	old, w := Word(at.Load()), Word(now)|Word(site)<<siteShift|1<<(c.addr&7)
	if old != 0 && (old&^w&(blockBit|allBytes) != 0 ||
		(old^w)>>ownShift != 0 && !t.surelyKnows(old)) {
		return false
	}
	read, other := Word(0), Word(0)
	if has&pageRead != 0 {
		if read = Word(r.read(c.addr).Load()); read != 0 && !t.goes(read, w) {
			return false
		}
	}
	if has&pageOther != 0 {
		if other = Word(r.other(c.addr).Load()); other != 0 && !t.goes(other, w) {
			return false
		}
	}
	if !replace(at, old, w.after(old)) {
		return false
	}
	if read != 0 {
		host.Publish64(r.read(c.addr), 0)
	}
	if other != 0 {
		host.Publish64(r.other(c.addr), 0)
	}
	return true
}

// goes reports whether a word of reads goes where w is written. A false answer may be wrong.
//
//go:nosplit
func (t *knowledge) goes(read, w Word) bool {
	return read&^w&(blockBit|allBytes) == 0 && ((read^w)>>ownShift == 0 || t.surelyKnows(read))
}
