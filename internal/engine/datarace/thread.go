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
	clock     offheap.Ref[vclock.Thread]
	record    offheap.Ref[GoroutineRecord]
	epochID   uint32 // the one that was recorded at last, 0 if there was none
	racedWith offheap.Ref[GoroutineRecord]
	known     [8]uint32 // the last moments of runs that turned out to happen before the present; they always will
	cycle     uint32    // up to which cycle of the collector known holds
	memo      [memos]memo
	spare     [classes]uint32 // by class: a free block, or 0
	txn       offheap.Ref[atomicity.Thread]
	past      offheap.Ref[predict.Thread]
	quickOff  bool // the transaction has been without a lock: no access is too easy to be told (see predict.go)
}

// Start makes t, which must not be in use, a goroutine's: c is its clock. The life that is returned
// is for the caller to fill in.
func (t *Thread) Start(c *vclock.Thread) *GoroutineRecord {
	l := records.Get()
	l.refs.Store(1)
	l.Ended.Store(0)
	l.Goid, l.Creator, l.Origin, l.Test = 0, 0, 0, 0
	t.clock, t.record, t.epochID, t.racedWith = offheap.To(c), offheap.To(l), 0, offheap.Ref[GoroutineRecord]{}
	return l
}

// Serve makes x the transactions that t's accesses are part of.
func (t *Thread) SetTransactions(x *atomicity.Thread, p *predict.Thread) {
	t.txn, t.past, t.quickOff = offheap.To(x), offheap.To(p), p.Parted()
}

// Beware has each first access at a moment looked at by itself, or no more.
func (t *Thread) SetQuickOff(on bool) { t.quickOff = on }

// Started reports whether t is in use.
func (t *Thread) Started() bool { return !t.record.Nil() }

// Turn makes c the clock of t from now on.
func (t *Thread) SetClock(c *vclock.Thread) {
	t.clock.P().SetCurrent(0)
	t.clock = offheap.To(c)
	c.SetCurrent(0)
}

// Life is what the accesses of t are charged to.
func (t *Thread) Record() *GoroutineRecord { return t.record.P() }

// Rival is the goroutine of the access that the last Access raced with; it is kept until the next race.
func (t *Thread) RacedWith() *GoroutineRecord { return t.racedWith.P() }

func (t *Thread) setRacedWith(l *GoroutineRecord) {
	if l != nil && !l.hold() {
		l = nil // it's nobody's any more
	}
	if old := t.racedWith.P(); old != nil {
		old.release()
	}
	t.racedWith = offheap.To(l)
}

// End ends t.
func (t *Thread) End() {
	if t.epochID != 0 {
		epochBlockAt(t.epochID >> epochBlockBits).retire()
	}
	t.clock.P().SetCurrent(0)
	l := t.record.P()
	l.Ended.Store(1)
	t.setRacedWith(nil)
	for class, n := range t.spare {
		if n != 0 {
			putBlock(n, uint32(class))
		}
	}
	*t = Thread{}
	l.release()
}

// present returns the moment to record accesses at, as the top bits of a word; 0 if there is none left.
func (t *Thread) currentEpoch() Word {
	c := t.clock.P()
	if now := c.Current(); now != 0 {
		return Word(now)
	}
	if e := c.Moment(); t.epochID == 0 || epochOf(t.epochID) != e {
		if t.newEpochID(e); t.epochID == 0 {
			return 0
		}
	}
	now := Word(t.epochID) << epochShift
	c.SetCurrent(uint64(now))
	return now
}

// own reports whether an access is t's, as far as its number tells.
func (t *Thread) own(w Word) bool { return w.epochID()>>epochBlockBits == t.epochID>>epochBlockBits }

// cached is the place of the last moment of m's run that is known.
func (t *Thread) lastKnown(m uint32) *uint32 { return &t.known[m>>epochBlockBits%uint32(len(t.known))] }

// surelyKnows is knows, but a false answer may be wrong.
//
//go:nosplit
func (t *Thread) surelyKnows(w Word) bool {
	m := w.epochID()
	if m>>epochBlockBits == t.epochID>>epochBlockBits {
		return true
	}
	last := *t.lastKnown(m)
	return last>>epochBlockBits == m>>epochBlockBits && last >= m && t.cycle == collector.freed.Load()
}

// knows reports whether an access is t's own, or happens before its present.
func (t *Thread) knows(w Word) bool {
	if t.surelyKnows(w) {
		return true
	}
	m := w.epochID()
	if cycle := collector.freed.Load(); t.cycle != cycle {
		t.cycle = cycle // numbers may stand for other moments than before
		t.known = [len(t.known)]uint32{}
	}
	if w.epochBlock().record.Load() != t.record.P() && !t.clock.P().Knows(epochOf(m)) {
		return false
	}
	*t.lastKnown(m) = m
	return true
}
