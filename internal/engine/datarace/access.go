// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package datarace

import (
	"sync/atomic"

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/event"
)

// A Race is an earlier access, and where an access races with it. It is zero if there is none.
type Race struct {
	Word
	Addr  uintptr
	Wrote bool // the earlier one was a write
}

// Kinds of accesses: Read or Write, with Atomic added if it's an atomic one.
const (
	Read   = event.ReadAccess
	Write  = event.WriteAccess
	Atomic = event.AtomicAccess
)

// A checker checks the accesses of a thread with the words of their cells, and puts them there.
type checker struct {
	knowledge
	memos
	spareBlocks
}

// Access records an access to n bytes, from addr on, and returns an earlier one that it races with.
// The range may lie on several pages; each is dealt with by itself.
func (t *Thread) Access(addr, n uintptr, kind event.Access, site uint32) (race Race) {
	what := uint32(pageRead)
	if kind&Write != 0 {
		what = pageWritten
	}
	for last := addr + n; addr < last; {
		end := min(last, addr&^(pageSize-1)+pageSize)
		if orderedMatter() {
			t.drawEdges(&t.knowledge, addr, end, kind, site)
		}
		// QuickRange goes as far as it is easy. What is left of the page takes the long way.
		addr = t.QuickRange(addr, end-addr, t.clock.P().EpochID(), kind, site, 0)
		if addr < end && Watched(addr) {
			r := findRegion(addr)
			r.notePage(addr, what)
			now := t.currentEpoch()
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
	return t.noteRace(race)
}

// noteRace notes which goroutine made the earlier access of a race. The word alone would not lead
// to it for ever: the collector may give back the epoch block.
func (t *Thread) noteRace(race Race) Race {
	if race.Word != 0 {
		b := race.epochBlock()
		t.setRacedWith(b.record.Load())
		t.racedTest = b.test
	}
	return race
}

// accessPage is Access for what lies on one page; w is what is recorded, but for the bytes. Whole
// cells are taken together.
func (t *checker) accessPage(r *region, addr, end uintptr, write bool, w Word) (race Race) {
	has := r.page(addr).Load()
	for addr < end {
		var raced Race
		n := min(end-addr, 8-addr&7)
		switch v := w | bytesOf(addr, n); {
		case n == 8 && end-addr >= 16 && w&atomicBit == 0:
			n = (end - addr) &^ 7
			raced = t.accessCells(r, addr, n/8, write, v, has)
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

// accessCells is write, or read, for n whole cells. Most neighbours have the same history: if the
// last cell's word was known, so is the same epoch ID here, with no look at a clock.
func (t *checker) accessCells(
	r *region, addr, n uintptr, write bool, w Word, has uint32,
) (race Race) {
	first := addr >> 3 & (cells - 1)
	writes := r.writes[first : first+n : first+n]
	reads := r.reads[first : first+n : first+n]
	known := w >> atomicShift // the epoch ID of the last access that turned out to be known
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
			// All that is recorded happens before w. A write takes the place of it all.
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
		// The history is not that simple.
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

// AccessByte is Access for one byte. An access to a number or a pointer comes to that: all others
// that overlap with it are to that byte too.
func (t *Thread) AccessByte(addr uintptr, kind event.Access, site uint32) (race Race) {
	what := uint32(pageRead)
	if kind&Write != 0 {
		what = pageWritten
	}
	r := findRegion(addr)
	if r == nil {
		return t.Access(addr, 1, kind, site)
	}
	// Only Access can note what a page has, and find out whether it is the program's.
	has := r.page(addr).Load()
	if what |= pageOwned; has&what != what || t.clock.P().EpochID() == 0 {
		return t.Access(addr, 1, kind, site)
	}
	// Edges are drawn from what was recorded before this access.
	if orderedMatter() {
		t.drawEdges(&t.knowledge, addr, addr+1, kind, site) // this may begin a new epoch
	}
	now := Word(t.clock.P().EpochID())
	if now == 0 {
		if now = t.currentEpoch(); now == 0 {
			return race
		}
	}
	w := now | Word(kind/Atomic)<<atomicShift | Word(site)<<siteShift | 1<<(addr&7)
	if kind&Write != 0 {
		return t.noteRace(t.write(r, addr, w, has))
	}
	return t.noteRace(t.read(r, addr, w, has))
}

// write checks and records a write: first against the writes of the cell, of which it takes the
// place, then against the reads since. The reads go, as each of them comes before the write or
// races with it. A word that is empty by what the page says is not looked at.
func (t *checker) write(r *region, addr uintptr, w Word, has uint32) (race Race) {
	race = Race{t.putWrite(r, addr, w), addr, true}
	// Words of others are looked at again, now that w is there for others to see. PutWrite and
	// putRead store by compare-and-swap, which no later load passes.
	has |= r.page(addr).Load()
	if race.Word == 0 {
		race.Word = overwritten(t, r, addr, w)
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

// overwritten returns a write that w, which has been put into its cell, races with. Another
// goroutine has put that one in the place of w, at the same instant. It may have looked for earlier
// writes before w was there.
func overwritten(t *checker, r *region, addr uintptr, w Word) Word {
	switch old := Word(r.write(addr).Load()); {
	case covered(old, w):
	case !old.isBlock() && t.surelyKnows(old):
	default:
		return t.checkWrites(r, addr, old, w)
	}
	return 0
}

// overwrite takes the reads that a write subsumes out of c, and returns one that it races with.
func (t *checker) overwrite(c *atomic.Uint64, w Word) Word {
	old := Word(c.Load())
	if old == 0 || t.replaces(w, old) && c.CompareAndSwap(uint64(old), 0) {
		return 0
	}
	return t.put(c, w, true, false)
}

// read checks a read against the writes of its cell, and records it. Where a second goroutine
// reads, it has a word of its own, as cells that two goroutines read are frequent and a block costs
// more.
func (t *checker) read(r *region, addr uintptr, w Word, has uint32) (race Race) {
	wrote := Word(0)
	if has&pageWritten != 0 {
		wrote = Word(r.write(addr).Load())
		switch {
		case wrote == 0:
		case covered(wrote, w):
			return race
		case !wrote.isBlock() && t.surelyKnows(wrote):
		default:
			race = Race{t.checkWrites(r, addr, wrote, w), addr, true}
		}
	}
	t.putRead(r, addr, w)
	// A write at the same instant may have looked for reads before w was there.
	if (has|r.page(addr).Load())&pageWritten != 0 {
		if now := Word(r.write(addr).Load()); now != wrote && race.Word == 0 {
			race = Race{t.checkWrites(r, addr, now, w), addr, true}
		}
	}
	return race
}

// putRead records a read.
func (t *checker) putRead(r *region, addr uintptr, w Word) {
	c := r.read(addr)
	switch old := Word(c.Load()); {
	case t.putSimple(c, old, w) || t.putOrdered(c, old, w):
	case !old.isBlock() && t.readOther(r, addr, old, w):
	default:
		t.put(c, w, false, true)
	}
}

// readOther records a read where read is one by another goroutine, or at another epoch, so that it
// takes no block. It reports false if it does take one.
func (t *checker) readOther(r *region, addr uintptr, read, w Word) bool {
	r.notePage(addr, pageOther)
	if t.takeTurn(r, addr, read, w) {
		return true
	}
	c := r.other(addr)
	old := Word(c.Load())
	if t.putSimple(c, old, w) || t.putOrdered(c, old, w) {
		return true
	}
	// A goroutine that joined the other's clock may have taken its place in turn, and so hold both
	// words. Then the later of the two words can go.
	o, e := epochOf(old.epochID()), epochOf(read.epochID())
	switch {
	case o.Slot() != e.Slot():
		return false
	case o <= e && old.within(read) && read.subsumes(old):
		if !c.CompareAndSwap(uint64(old), uint64(read)) { // first: see takeTurn
			return false
		}
	case e <= o && read.within(old) && old.subsumes(read):
	default:
		return false
	}
	return r.read(addr).CompareAndSwap(uint64(read), uint64(w))
}

// checkWrites returns one of the writes to a cell, whose word was old, that w, a read, races with.
func (t *checker) checkWrites(r *region, addr uintptr, old, w Word) Word {
	for c := r.write(addr); ; {
		race, known := t.checkWritesIn(old, w)
		if race == 0 {
			race = t.races(r.earlierWrite(addr, old), w)
		}
		// If the cell has changed since, the words that were read may have been another cell's,
		// whose block has the number now.
		again := Word(c.Load())
		if again == old && known && blockState(old.Site()).Load()&keepsPrivate == 0 {
			t.remember(old, allKnown, old)
		}
		if race == 0 || again == old {
			return race
		}
		old = again
	}
}

// checkWritesIn is checkWrites for what old stands for at present. It also reports whether that is
// a block, and all of it is known.
func (t *checker) checkWritesIn(old, w Word) (race Word, known bool) {
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
