// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package datarace

import (
	"sync/atomic"

	"github.com/commutego/commute/internal/engine/host"
)

// A Race is an earlier access, and where an access races with it. It is zero if there is none.
type Race struct {
	Word
	Addr  uintptr
	Wrote bool // the earlier one was a write
}

// Access records an access to n bytes, from addr on, and returns an earlier one that it races with.
func (t *Thread) Access(addr, n uintptr, kind int, site uint32) (race Race) {
	what := uint32(pageRead)
	if kind&Write != 0 {
		what = pageWritten
	}
	for last := addr + n; addr < last; {
		end := min(last, addr&^(pageSize-1)+pageSize)
		if watching() {
			t.conflicts(addr, end, kind, site)
		}
		addr = t.QuickRange(addr, end-addr, t.clock.P().Current(), kind, site, 0)
		if addr < end && Watched(addr) {
			r := findRegion(addr)
			r.note(addr, what)
			now := t.present()
			if now == 0 {
				return race
			}
			w := now | Word(site)<<siteShift
			if kind&Atomic != 0 {
				w |= atomicBit
			}
			if raced := t.accessPage(r, addr, end, kind&Write != 0, w); race.Word == 0 {
				race = raced
			}
		}
		addr = end
	}
	return t.told(race)
}

// told notes whom a race is with.
func (t *Thread) told(race Race) Race {
	if race.Word != 0 {
		r := race.run()
		t.setRival(r.life.Load())
		t.blamed = r.test
	}
	return race
}

// accessPage is Access for what lies on one page; w is what is recorded, but for the bytes.
func (t *Thread) accessPage(r *region, addr, end uintptr, write bool, w Word) (race Race) {
	has := r.page(addr).Load()
	for addr < end {
		var raced Race
		n := min(end-addr, 8-addr&7)
		switch v := w | bytesOf(addr, n); {
		case n == 8 && end-addr >= 16 && w&atomicBit == 0:
			n = (end - addr) &^ 7
			raced = t.cells(r, addr, n/8, write, v, has)
		case write:
			raced = t.write(r, addr, v, has)
		default:
			raced = t.read(r, addr, v, has)
		}
		if raced.Word != 0 && race.Word == 0 {
			race = raced
		}
		addr += n
	}
	return race
}

// cells is write, or read, for n whole cells. Most of those have the same history.
func (t *Thread) cells(r *region, addr, n uintptr, write bool, w Word, has uint32) (race Race) {
	first := addr >> 3 & (cells - 1)
	writes := r.writes[first : first+n : first+n]
	reads := r.reads[first : first+n : first+n]
	known := w >> atomicShift // the moment of the last access that turned out to be known
	for i := range writes {
		wrote, read := Word(writes[i].Load()), Word(0)
		if has&pageRead != 0 {
			read = Word(reads[i].Load())
		}
		plain := (wrote|read)&(blockBit|atomicBit) == 0 && has&pageOther == 0
		if plain && (wrote == 0 || wrote>>atomicShift == known || t.surelyKnows(wrote)) &&
			(read == 0 || read>>atomicShift == known || t.surelyKnows(read)) {
			if wrote != 0 {
				known = wrote >> atomicShift
			}
			switch {
			case write:
				host.Publish64(&writes[i], uint64(w))
				if read != 0 {
					host.Publish64(&reads[i], 0)
				}
			case wrote.covers(w):
			default:
				host.Publish64(&reads[i], uint64(w))
			}
			continue
		}
		var raced Race
		if at := addr + uintptr(i)*8; write {
			raced = t.write(r, at, w, has)
		} else {
			raced = t.read(r, at, w, has)
		}
		if raced.Word != 0 && race.Word == 0 {
			race = raced
		}
	}
	return race
}

// AccessByte is Access for one byte, which is what one to a number or a pointer comes to: all others that it
// overlaps with are to that byte too.
func (t *Thread) AccessByte(addr uintptr, kind int, site uint32) (race Race) {
	what := uint32(pageRead)
	if kind&Write != 0 {
		what = pageWritten
	}
	r := findRegion(addr)
	if r == nil {
		return t.Access(addr, 1, kind, site)
	}
	has := r.page(addr).Load()
	if what |= pageOwned; has&what != what || t.clock.P().Current() == 0 {
		return t.Access(addr, 1, kind, site)
	}
	if watching() {
		t.conflicts(addr, addr+1, kind, site) // it may begin a new moment
	}
	now := Word(t.clock.P().Current())
	if now == 0 {
		if now = t.present(); now == 0 {
			return race
		}
	}
	w := now | Word(kind/Atomic)<<atomicShift | Word(site)<<siteShift | 1<<(addr&7)
	if kind&Write != 0 {
		return t.told(t.write(r, addr, w, has))
	}
	return t.told(t.read(r, addr, w, has))
}

func (t *Thread) write(r *region, addr uintptr, w Word, has uint32) (race Race) {
	if c := r.write(addr); !t.place(c, Word(c.Load()), w) {
		race = Race{t.put(c, w, true, true), addr, true}
	}
	// Though w may repeat an earlier write, there may have been reads since.
	if has&pageRead != 0 {
		if raced := t.overwrite(r.read(addr), w); race.Word == 0 {
			race = Race{raced, addr, false}
		}
	}
	if has&pageOther != 0 {
		if raced := t.overwrite(r.other(addr), w); race.Word == 0 {
			race = Race{raced, addr, false}
		}
	}
	return race
}

// overwrite takes the reads that a write supersedes out of c, and returns one that it races with.
func (t *Thread) overwrite(c *atomic.Uint64, w Word) Word {
	switch old := Word(c.Load()); {
	case old == 0:
	case t.replaces(w, old):
		host.Publish64(c, 0)
	default:
		return t.put(c, w, true, false)
	}
	return 0
}

func (t *Thread) read(r *region, addr uintptr, w Word, has uint32) (race Race) {
	if has&pageWritten != 0 {
		c := r.write(addr)
		switch old := Word(c.Load()); {
		case old == 0:
		case covered(old, w):
			return race
		case !old.isBlock() && t.surelyKnows(old):
		default:
			race = Race{t.look(c, old, w), addr, true}
		}
	}
	c := r.read(addr)
	switch old := Word(c.Load()); {
	case t.place(c, old, w) || t.follows(c, old, w):
	case !old.isBlock() && !t.own(old) && t.readOther(r, addr, old, w):
	default:
		t.put(c, w, false, true)
	}
	return race
}

// readOther records a read where there is one by another goroutine, read, that need not be in a block yet.
func (t *Thread) readOther(r *region, addr uintptr, read, w Word) bool {
	r.note(addr, pageOther)
	c := r.other(addr)
	old := Word(c.Load())
	if t.place(c, old, w) || t.follows(c, old, w) {
		return true
	}
	// A goroutine that learned of the other may have taken its place in turn, and so have two.
	o, e := epochOf(old.moment()), epochOf(read.moment())
	switch {
	case o.Slot() != e.Slot():
		return false
	case o <= e && old.within(read) && read.supersedes(old):
	case e <= o && read.within(old) && old.supersedes(read):
		c = r.read(addr)
	default:
		return false
	}
	host.Publish64(c, uint64(w))
	return true
}

// look returns one of the writes that a cell's word, which was old, stands for that w, a read, races with.
func (t *Thread) look(c *atomic.Uint64, old, w Word) Word {
	for {
		race, known := t.lookAt(old, w)
		// If the cell has changed since, what was read may have been another's.
		again := Word(c.Load())
		if again == old && known && blockState(old.Site()).Load()&solo == 0 {
			t.remember(old, allKnown, old)
		}
		if race == 0 || again == old {
			return race
		}
		old = again
	}
}

// lookAt is look for what old stands for at present. It also reports whether that is a block, and all of it is known.
func (t *Thread) lookAt(old, w Word) (race Word, known bool) {
	if !old.isBlock() {
		return t.races(old, w), false
	}
	var writes set
	if t.remembers(old) || !writes.load(old) {
		return 0, false
	}
	known = true
	for _, v := range writes.word[:writes.n] {
		if !t.knows(v) {
			known = false
			if race == 0 {
				race = t.races(v, w)
			}
		}
	}
	return race, known
}

// races returns old if w races with it, else 0.
func (t *Thread) races(old, w Word) Word {
	if old&w&allBytes == 0 || old&w&atomicBit != 0 || t.knows(old) {
		return 0
	}
	return old
}
