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
	if l != nil {
		l.refs.Add(1)
	}
	if old := t.rival.P(); old != nil {
		old.release()
	}
	t.rival = offheap.To(l)
}

// End ends t.
func (t *Thread) End() {
	if t.moment != 0 {
		momentAt(t.moment).retire()
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
	e := c.Moment()
	if t.moment == 0 || vclock.Epoch(momentAt(t.moment).epoch.Load()) != e {
		if t.moment != 0 {
			momentAt(t.moment).retire()
		}
		if t.moment = newMoment(e, t.life.P()); t.moment == 0 {
			return 0
		}
	}
	now := Word(t.moment) << momentShift
	c.SetCurrent(uint64(now))
	return now
}

// knows reports whether an access is t's own, or happens before its present.
func (t *Thread) knows(w Word) bool {
	m := w.at()
	return m.life.Load() == t.life.P() || t.clock.P().Knows(vclock.Epoch(m.epoch.Load()))
}

// bytesOf are the bits of n bytes from addr on, in one cell.
func bytesOf(addr, n uintptr) Word { return (1<<n - 1) << (addr & 7) & allBytes }

// Kinds of accesses.
const (
	Read   = 0
	Write  = 1
	Atomic = 2 // an atomic read, or write
)

// Wrote reports whether a write to the byte at addr has been recorded at c's present moment. It is what
// most writes come to, and many reads.
func Wrote(c *vclock.Thread, addr uintptr) bool {
	r := findRegion(addr)
	return r != nil && hasByte(Word(r.write(addr).Load()), Word(c.Current()), addr)
}

// Knew reports whether a read or a write of the byte at addr has been recorded at c's present moment.
func Knew(c *vclock.Thread, addr uintptr) bool {
	r := findRegion(addr)
	if r == nil {
		return false
	}
	now := Word(c.Current())
	return hasByte(Word(r.write(addr).Load()), now, addr) ||
		r.page(addr).Load()&pageRead != 0 && hasByte(Word(r.read(addr).Load()), now, addr)
}

// hasByte reports whether w is a plain access to the byte at addr at the moment now, which may be none.
func hasByte(w, now Word, addr uintptr) bool {
	return (w^now)>>momentShift == 0 && w>>(addr&7)&1 != 0 && w&atomicBit == 0 && now != 0
}

// Repeats reports whether an access to n bytes from addr on adds nothing to what has been recorded at
// the present moment.
func (t *Thread) Repeats(addr, n uintptr, kind int) bool {
	now := Word(t.clock.P().Current())
	if now == 0 {
		return false
	}
	for last := addr + n; addr < last; addr = addr&^7 + 8 {
		w := now | bytesOf(addr, min(last-addr, 8-addr&7)) | Word(kind/Atomic)*atomicBit
		r := findRegion(addr)
		if r == nil {
			return false
		}
		if !covered(Word(r.write(addr).Load()), w) &&
			(kind&Write != 0 || r.page(addr).Load()&pageRead == 0 || !covered(Word(r.read(addr).Load()), w)) {
			return false
		}
	}
	return true
}

// covers reports whether w, a later access, adds nothing to old.
func covers(old, w Word) bool {
	return (old^w)>>momentShift == 0 && w&^old&allBytes == 0 && old.supersedes(w)
}

// covered reports whether w adds nothing to what a cell's word stands for.
func covered(old, w Word) bool {
	if !old.isBlock() {
		return covers(old, w)
	}
	for i := range uint32(2) << old.class() {
		if covers(Word(blockWord(old.Site(), i).Load()), w) {
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
		if r := findOwned(addr); r != nil && r.note(addr, what) {
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
	return race
}

func findOwned(addr uintptr) *region {
	r := findRegion(addr)
	if r == nil && host.Owned(addr) {
		r = makeRegion(addr)
	}
	return r
}

// accessPage is Access for what lies on one page; w is what is recorded, but for the bytes.
func (t *Thread) accessPage(r *region, addr, end uintptr, write bool, w Word) (race Race) {
	has := r.page(addr).Load()
	known := w >> momentShift // the last moment that turned out to be known
	for addr < end {
		n := min(end-addr, 8-addr&7)
		w = w&^allBytes | bytesOf(addr, n)
		var raced Race
		if write {
			raced = t.write(r, addr, w, has, &known)
		} else {
			raced = Race{t.read(r, addr, w, has, &known), addr, true}
		}
		if raced.Word != 0 && race.Word == 0 {
			race = raced
		}
		addr += n
	}
	return race
}

func (t *Thread) write(r *region, addr uintptr, w Word, has uint32, known *Word) (race Race) {
	c := r.write(addr)
	old := Word(c.Load())
	switch {
	case covered(old, w): // but there may have been reads since
	case old == 0 || old>>momentShift == *known && old&^w&allBytes == 0 && w.supersedes(old):
		host.Publish64(c, uint64(w))
	default:
		if race = (Race{t.put(c, w, true, true), addr, true}); race.Word == 0 && decided(old, w) {
			*known = old >> momentShift
		}
	}
	if has&pageRead == 0 {
		return race
	}
	if c = r.read(addr); c.Load() != 0 {
		if raced := t.put(c, w, true, false); race.Word == 0 {
			race = Race{raced, addr, false}
		}
	}
	return race
}

func (t *Thread) read(r *region, addr uintptr, w Word, has uint32, known *Word) (race Word) {
	if has&pageWritten != 0 {
		c := r.write(addr)
		old := Word(c.Load())
		switch {
		case old == 0:
		case covered(old, w):
			return 0
		case old>>momentShift == *known:
		default:
			if race = t.look(c, old, w); race == 0 && decided(old, w) {
				*known = old >> momentShift
			}
		}
	}
	c := r.read(addr)
	switch old := Word(c.Load()); {
	case covered(old, w):
	case old == 0 || old>>momentShift == *known && old&^w&allBytes == 0 && w.supersedes(old):
		host.Publish64(c, uint64(w))
	default:
		t.put(c, w, false, true)
	}
	return race
}

// decided reports whether w can only be ordered after old, if it doesn't race with it.
func decided(old, w Word) bool {
	return !old.isBlock() && old&w&allBytes != 0 && old&w&atomicBit == 0
}

// look returns one of the writes that a cell's word, which was old, stands for that w, a read, races with.
func (t *Thread) look(c *atomic.Uint64, old, w Word) (race Word) {
	for {
		if !old.isBlock() {
			race = t.races(old, w)
		} else {
			race = 0
			for i := range uint32(2) << old.class() {
				if v := Word(blockWord(old.Site(), i).Load()); v.moment() != 0 && race == 0 {
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
	t.setRival(old.at().life.Load()) // as long as the cell has it, so has the moment
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
	if !old.isBlock() && old&^w&allBytes == 0 && w.supersedes(old) {
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
	return race
}

// putAmong is put where there are several words, or will be. The cell's lock is held, but who takes none
// may change the cell meanwhile; then it reports false.
func (t *Thread) putAmong(c *atomic.Uint64, w Word, write, add bool) (race Word, done bool) {
	old := Word(c.Load())
	var was, is set
	was.load(old)
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
		case add && w.same(v):
			w |= v
		default:
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
