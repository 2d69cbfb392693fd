// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package datarace

import (
	"github.com/commutego/commute/internal/engine/atomicity"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/predict"
	"github.com/commutego/commute/internal/engine/vclock"
)

// A Thread makes the accesses of one goroutine.
type Thread struct {
	clock  offheap.Ref[vclock.Thread]
	life   offheap.Ref[Life]
	moment uint32 // the one that was recorded at last, 0 if there was none
	rival  offheap.Ref[Life]
	test   uintptr   // whom its accesses are charged to
	blamed uintptr   // and those of the rival
	known  [8]uint32 // the last moments of runs that turned out to happen before the present; they always will
	cycle  uint32    // up to which cycle of the collector known holds
	memo   [memos]memo
	spare  [classes]uint32 // by class: a free block, or 0
	txn    offheap.Ref[atomicity.Thread]
	past   offheap.Ref[predict.Thread]
	wary   bool // the transaction has been without a lock: no access is too easy to be told (see predict.go)
}

// Start makes t, which must not be in use, a goroutine's: c is its clock. The life that is returned
// is for the caller to fill in.
func (t *Thread) Start(c *vclock.Thread) *Life {
	l := lives.Get()
	l.refs.Store(1)
	l.Ended.Store(0)
	l.Goid, l.Creator, l.Origin = 0, 0, 0
	t.clock, t.life, t.moment, t.rival = offheap.To(c), offheap.To(l), 0, offheap.Ref[Life]{}
	return l
}

// Serve makes x the transactions that t's accesses are part of.
func (t *Thread) Serve(x *atomicity.Thread, p *predict.Thread) {
	t.txn, t.past, t.wary = offheap.To(x), offheap.To(p), p.Parted()
}

// Beware has each first access at a moment looked at by itself, or no more.
func (t *Thread) Beware(on bool) { t.wary = on }

// Started reports whether t is in use.
func (t *Thread) Started() bool { return !t.life.Nil() }

// Turn makes c the clock of t from now on.
func (t *Thread) Turn(c *vclock.Thread) {
	t.clock.P().SetCurrent(0)
	t.clock = offheap.To(c)
	c.SetCurrent(0)
}

// Charge charges t's accesses from now on to a test.
func (t *Thread) Charge(test uintptr) {
	if t.moment != 0 {
		runAt(t.moment >> runBits).retire()
		t.moment = 0
		t.clock.P().SetCurrent(0)
	}
	t.test = test
}

// Life is what is kept of t.
func (t *Thread) Life() *Life { return t.life.P() }

// Tests are those that t's accesses are charged to, and the one that the last Access raced with.
func (t *Thread) Tests() (own, rival uintptr) { return t.test, t.blamed }

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
	for class, n := range t.spare {
		if n != 0 {
			putBlock(n, uint32(class))
		}
	}
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

// cached is the place of the last moment of m's run that is known.
func (t *Thread) cached(m uint32) *uint32 { return &t.known[m>>runBits%uint32(len(t.known))] }

// surelyKnows is knows, but a false answer may be wrong.
//
//go:nosplit
func (t *Thread) surelyKnows(w Word) bool {
	m := w.moment()
	if m>>runBits == t.moment>>runBits {
		return true
	}
	last := *t.cached(m)
	return last>>runBits == m>>runBits && last >= m && t.cycle == collector.freed.Load()
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
