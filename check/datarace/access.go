// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package datarace

import (
	"sync/atomic"

	"github.com/commutego/commute/check/vclock"
	"github.com/commutego/commute/internal/host"
	"github.com/commutego/commute/internal/offheap"
)

// A Thread makes the accesses of one goroutine.
type Thread struct {
	clock  offheap.Ref[vclock.Thread]
	life   offheap.Ref[Life]
	moment uint32 // the one that was recorded at last, 0 if there was none
	rival  offheap.Ref[Life]
	known  [8]uint32 // moments that turned out to happen before the present; they always will
	cycle  uint32    // up to which cycle of the collector known holds
}

// Start makes t, which must not be in use, a goroutine's: c is its clock. The life that is returned
// is for the caller to fill in.
func (t *Thread) Start(c *vclock.Thread) *Life {
	l := lives.Get()
	l.refs.Store(1)
	l.Ended.Store(0)
	l.Goid, l.Creator, l.Origin, l.Test = 0, 0, 0, 0
	t.clock, t.life, t.moment, t.rival = offheap.To(c), offheap.To(l), 0, offheap.Ref[Life]{}
	return l
}

// Started reports whether t is in use.
func (t *Thread) Started() bool { return !t.life.Nil() }

// Turn makes c the clock of t from now on.
func (t *Thread) Turn(c *vclock.Thread) {
	t.clock.P().SetCurrent(0)
	t.clock = offheap.To(c)
	c.SetCurrent(0)
}

// Life is what the accesses of t are charged to.
func (t *Thread) Life() *Life { return t.life.P() }

// Rival is the goroutine of the access that the last Access raced with; it is kept until the next race.
func (t *Thread) Rival() *Life { return t.rival.P() }

func (t *Thread) setRival(l *Life) {
	if l != nil && !l.hold() {
		l = nil // it's nobody's any more
	}
	if old := t.rival.P(); old != nil {
		old.release()
	}
	t.rival = offheap.To(l)
}

// End ends t.
func (t *Thread) End() {
	if t.moment != 0 {
		runAt(t.moment >> runBits).retire()
	}
	t.clock.P().SetCurrent(0)
	l := t.life.P()
	l.Ended.Store(1)
	t.setRival(nil)
	*t = Thread{}
	l.release()
}

// present returns the moment to record accesses at, as the top bits of a word; 0 if there is none left.
func (t *Thread) present() Word {
	c := t.clock.P()
	if now := c.Current(); now != 0 {
		return Word(now)
	}
	if e := c.Moment(); t.moment == 0 || epochOf(t.moment) != e {
		if t.newMoment(e); t.moment == 0 {
			return 0
		}
	}
	now := Word(t.moment) << momentShift
	c.SetCurrent(uint64(now))
	return now
}

// own reports whether an access is t's, as far as its number tells.
func (t *Thread) own(w Word) bool { return w.moment()>>runBits == t.moment>>runBits }

// cached is the place of a moment that is known. The first ones of runs are the most frequent.
func (t *Thread) cached(m uint32) *uint32 { return &t.known[(m^m>>runBits)%uint32(len(t.known))] }

// surelyKnows is knows, but a false answer may be wrong.
func (t *Thread) surelyKnows(w Word) bool {
	m := w.moment()
	return m>>runBits == t.moment>>runBits || *t.cached(m) == m && t.cycle == collector.freed.Load()
}

// knows reports whether an access is t's own, or happens before its present.
func (t *Thread) knows(w Word) bool {
	if t.surelyKnows(w) {
		return true
	}
	m := w.moment()
	if cycle := collector.freed.Load(); t.cycle != cycle {
		t.cycle = cycle // numbers may stand for other moments than before
		t.known = [len(t.known)]uint32{}
	}
	if w.run().life.Load() != t.life.P() && !t.clock.P().Knows(epochOf(m)) {
		return false
	}
	*t.cached(m) = m
	return true
}

// bytesOf are the bits of n bytes from addr on, in one cell.
func bytesOf(addr, n uintptr) Word { return (1<<n - 1) << (addr & 7) & allBytes }

// Kinds of accesses.
const (
	Read   = 0
	Write  = 1
	Atomic = 2 // an atomic read, or write
)

// LastWrite is what is recorded of writes to the cell of addr, and LastRead of reads.
func LastWrite(addr uintptr) Word {
	if r := findRegion(addr); r != nil {
		return Word(r.write(addr).Load())
	}
	return 0
}

func LastRead(addr uintptr) Word {
	if r := findRegion(addr); r != nil {
		return Word(r.read(addr).Load())
	}
	return 0
}

// LastOther is what is recorded of reads by a second goroutine.
func LastOther(addr uintptr) Word {
	if r := findRegion(addr); r != nil && r.page(addr).Load()&pageOther != 0 {
		return Word(r.other(addr).Load())
	}
	return 0
}

// Repeated reports whether a plain access to the byte at addr adds nothing to w. Now is [vclock.Thread.Current].
func Repeated(w Word, now uint64, addr uintptr) bool { return w.has(Word(now), addr) }

// RepeatedIn is Repeated for a word that may stand for a block.
func RepeatedIn(w Word, now uint64, addr uintptr) bool {
	if !w.isBlock() {
		return false
	}
	words := w.words()
	for i := range words {
		if Word(words[i].Load()).has(Word(now), addr) {
			return true
		}
	}
	return false
}

// Split reports whether several words are recorded of the cell of addr.
func Split(addr uintptr) bool {
	r := findRegion(addr)
	return r != nil && (r.write(addr).Load()|r.read(addr).Load())&blockBit != 0
}

// Repeats reports whether an access to n bytes from addr on adds nothing to what has been recorded at
// the moment now, which is [vclock.Thread.Current].
func Repeats(now uint64, addr, n uintptr, kind int) bool {
	if now == 0 {
		return false
	}
	atomic := Word(kind/Atomic) << atomicShift
	for last := addr + n; addr < last; addr = addr&^7 + 8 {
		r := findRegion(addr)
		if r == nil {
			return false
		}
		whole := Word(now) | allBytes
		for addr&7 == 0 && last-addr >= 8 && Word(r.write(addr).Load())&^(1<<atomicShift-1)|Word(r.write(addr).Load())&(blockBit|allBytes) == whole {
			if addr += 8; addr&(regionSize-1) == 0 {
				break
			}
		}
		if addr >= last {
			return true
		}
		if r = findRegion(addr); r == nil {
			return false
		}
		w := Word(now) | bytesOf(addr, min(last-addr, 8-addr&7)) | atomic
		if !covered(Word(r.write(addr).Load()), w) &&
			(kind&Write != 0 || r.page(addr).Load()&pageRead == 0 || !covered(Word(r.read(addr).Load()), w)) &&
			(kind&Write != 0 || !covered(LastOther(addr), w)) {
			return false
		}
	}
	return true
}

// covered reports whether w adds nothing to what a cell's word stands for.
func covered(old, w Word) bool {
	if !old.isBlock() {
		return old.covers(w)
	}
	words := old.words()
	for i := range words {
		if Word(words[i].Load()).covers(w) {
			return true
		}
	}
	return false
}

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
		if Watched(addr) {
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
		t.setRival(race.run().life.Load())
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
func (t *Thread) AccessByte(addr uintptr, kind int, site uint32) Race {
	what := uint32(pageRead)
	if kind&Write != 0 {
		what = pageWritten
	}
	r := findRegion(addr)
	if r == nil {
		return t.Access(addr, 1, kind, site)
	}
	has, now := r.page(addr).Load(), Word(t.clock.P().Current())
	if what |= pageOwned; has&what != what || now == 0 {
		return t.Access(addr, 1, kind, site)
	}
	w := now | Word(kind/Atomic)<<atomicShift | Word(site)<<siteShift | 1<<(addr&7)
	if kind&Write != 0 {
		return t.told(t.write(r, addr, w, has))
	}
	return t.told(t.read(r, addr, w, has))
}

func (t *Thread) write(r *region, addr uintptr, w Word, has uint32) (race Race) {
	c := r.write(addr)
	switch old := Word(c.Load()); {
	case old == 0 || t.replaces(w, old):
		host.Publish64(c, uint64(w))
	case old.joins(w):
		host.Publish64(c, uint64(w|old&allBytes))
	case covered(old, w): // but there may have been reads since
	default:
		race = Race{t.put(c, w, true, true), addr, true}
	}
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
	case old == 0 || t.replaces(w, old):
		host.Publish64(c, uint64(w))
	case covered(old, w):
	case old.joins(w):
		host.Publish64(c, uint64(w|old&allBytes))
	case old.isBlock() && t.renew(c, old, w):
	case !old.isBlock() && !t.own(old) && t.readOther(r, addr, w):
	default:
		t.put(c, w, false, true)
	}
	return race
}

// readOther records a read where there is one by another goroutine, that need not be in a block yet.
func (t *Thread) readOther(r *region, addr uintptr, w Word) bool {
	r.note(addr, pageOther)
	c := r.other(addr)
	switch old := Word(c.Load()); {
	case old == 0 || t.replaces(w, old):
		host.Publish64(c, uint64(w))
	case covered(old, w):
	case old.joins(w):
		host.Publish64(c, uint64(w|old&allBytes))
	default:
		return false
	}
	return true
}

// replaces reports whether w may simply take the place of old. A false answer may be wrong.
func (t *Thread) replaces(w, old Word) bool {
	return (old&blockBit|old&^w&allBytes) == 0 && w.supersedes(old) && t.surelyKnows(old)
}

// renew puts w in the place of an earlier read by t in a cell's block, or together with one. Should somebody
// rearrange the block at that instant, it's as if the earlier one had been the last.
func (t *Thread) renew(c *atomic.Uint64, old, w Word) bool {
	var at *atomic.Uint64
	var was Word
	n := 0 // reads at this moment
	words := old.words()
	for i := range words {
		b := &words[i]
		v := Word(b.Load())
		if v.joins(w) || t.own(v) && v != 0 && v.within(w) && w.supersedes(v) {
			at, was = b, v
			break
		}
		if (v^w)>>atomicShift == 0 {
			if n++; n == maxReads {
				at, was = b, v
				break
			}
		}
	}
	if at == nil {
		return false
	}
	now := w
	if (was^w)>>atomicShift == 0 {
		now |= was & allBytes
	}
	if at.CompareAndSwap(uint64(was), uint64(now)) && Word(c.Load()) != old {
		at.CompareAndSwap(uint64(now), uint64(was)) // the block may be another cell's by now
	}
	return true
}

// The numbers of accesses at one moment to different bytes of a cell, from different functions, that are told
// apart; of more, some get the place of another. Else who goes through bytes would leave words for each.
const (
	maxReads  = 2
	maxWrites = 4
)

// look returns one of the writes that a cell's word, which was old, stands for that w, a read, races with.
func (t *Thread) look(c *atomic.Uint64, old, w Word) (race Word) {
	for {
		if !old.isBlock() {
			race = t.races(old, w)
		} else {
			race = 0
			words := old.words()
			for i := range words {
				if v := Word(words[i].Load()); v.moment() != 0 && race == 0 {
					race = t.races(v, w)
				}
			}
		}
		// If the cell has changed since, what was read may have been another's.
		again := Word(c.Load())
		if race == 0 || again == old {
			return race
		}
		old = again
	}
}

// races returns old if w races with it, else 0.
func (t *Thread) races(old, w Word) Word {
	if old&w&allBytes == 0 || old&w&atomicBit != 0 || t.knows(old) {
		return 0
	}
	return old
}

// put puts w into a cell's word, in the place of what it supersedes. Where w is a write, it is checked
// against what is there, and replaces whatever it conflicts with, so that a race is told once; else
// other reads stay that are not ordered before it. If add is false, w itself is not put.
func (t *Thread) put(c *atomic.Uint64, w Word, write, add bool) (race Word) {
	old := Word(c.Load())
	if old == 0 {
		if add {
			host.Publish64(c, uint64(w))
		}
		return 0
	}
	if !old.isBlock() && old.within(w) && w.supersedes(old) {
		known := t.knows(old)
		if write && !known {
			race = t.races(old, w)
		}
		if (write || known) && (race == 0 || Word(c.Load()) == old) {
			if !add {
				w = 0
			}
			host.Publish64(c, uint64(w))
			return race
		}
	}
	l := lockOf(c)
	l.Lock()
	for done := false; !done; {
		race, done = t.putAmong(c, w, write, add)
	}
	l.Unlock()
	lend()
	return race
}

// putAmong is put where there are several words, or will be. The cell's lock is held, but who takes none
// may change the cell meanwhile; then it reports false.
func (t *Thread) putAmong(c *atomic.Uint64, w Word, write, add bool) (race Word, done bool) {
	old := Word(c.Load())
	var was, is set
	was.load(old)
	same, limit := 0, maxReads // accesses at w's moment, and how many may stay
	if write {
		limit = maxWrites
	}
	for _, v := range was.word[:was.n] {
		if v&w&allBytes != 0 {
			known := t.knows(v)
			if write && !known && race == 0 {
				race = t.races(v, w)
			}
			if w.supersedes(v) && (write || known) {
				v = v.with(v &^ w)
			}
		}
		switch {
		case v == 0:
		case add && v.joins(w):
			w |= v & allBytes
		case add && (v^w)>>atomicShift == 0 && same == limit-1:
			w |= v & allBytes
		default:
			if (v^w)>>atomicShift == 0 {
				same++
			}
			is.word[is.n] = v
			is.n++
		}
	}
	if add {
		is.add(w)
	}
	if race != 0 && Word(c.Load()) != old {
		return 0, false
	}
	now := is.store(old)
	if now == old || c.CompareAndSwap(uint64(old), uint64(now)) {
		if now.isBlock() && now != old {
			made(now.Site())
		}
		if old.isBlock() && now != old {
			dropBlock(old)
		}
		return race, true
	}
	if now.isBlock() {
		dropBlock(now)
	}
	return 0, false
}
