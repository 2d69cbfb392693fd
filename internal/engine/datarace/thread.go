// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package datarace

import (
	"github.com/commutego/commute/internal/engine/atomicity"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/predict"
	"github.com/commutego/commute/internal/engine/vclock"
)

// A Thread makes the accesses of one goroutine. Only that goroutine uses it.
type Thread struct {
	clock     offheap.Ref[vclock.Thread]
	record    offheap.Ref[GoroutineRecord]
	epochID   uint32 // that of the last access that was recorded, 0 if there was none
	racedWith offheap.Ref[GoroutineRecord]
	test      uintptr // what the accesses are charged to
	racedTest uintptr // and those of racedWith
	// The last epoch IDs of blocks that turned out to happen before the present. They always will:
	// a thread forgets nothing, and knows all earlier epochs of a goroutine with a later one.
	known [8]uint32
	cycle uint32 // known holds up to this cycle of the collector: then IDs stand for other epochs
	memo  [memos]memo
	spare [classes]uint32 // by class: a free block, or 0
	txn   offheap.Ref[atomicity.Thread]
	past  offheap.Ref[predict.Thread]
	// No access may take the quick path: the transaction has been without a lock, so predictions
	// have to see each access (see predict.go).
	quickOff bool
}

// Start makes t, which must not be in use, a goroutine's: c is its clock. The caller fills in the
// record that is returned.
func (t *Thread) Start(c *vclock.Thread) *GoroutineRecord {
	l := records.Get()
	l.refs.Store(1)
	l.Ended.Store(0)
	l.Goid, l.Creator, l.Origin = 0, 0, 0
	t.clock, t.record = offheap.To(c), offheap.To(l)
	t.epochID, t.racedWith = 0, offheap.Ref[GoroutineRecord]{}
	return l
}

// SetTransactions makes x and p the transactions and predictions that t's accesses are part of.
func (t *Thread) SetTransactions(x *atomicity.Thread, p *predict.Thread) {
	t.txn, t.past, t.quickOff = offheap.To(x), offheap.To(p), p.Unlocked()
}

// SetQuickOff has each first access at an epoch looked at by itself, or no more.
func (t *Thread) SetQuickOff(on bool) { t.quickOff = on }

// Started reports whether t is in use.
func (t *Thread) Started() bool { return !t.record.Nil() }

// SetClock makes c the clock of t from now on. Neither clock may have a current epoch that was set
// for the other's accesses.
func (t *Thread) SetClock(c *vclock.Thread) {
	t.clock.P().SetEpochID(0)
	t.clock = offheap.To(c)
	c.SetEpochID(0)
}

// Charge charges t's accesses from now on to a test.
func (t *Thread) Charge(test uintptr) {
	if t.epochID != 0 {
		epochBlockAt(t.epochID >> epochBlockBits).retire()
		t.epochID = 0
		t.clock.P().SetEpochID(0)
	}
	t.test = test
}

// Tests are what t's accesses are charged to, and those that the last Access raced with.
func (t *Thread) Tests() (own, racedWith uintptr) { return t.test, t.racedTest }

// Record is what is kept of the goroutine of t.
func (t *Thread) Record() *GoroutineRecord { return t.record.P() }

// RacedWith is the goroutine of the access that the last Access raced with. It is kept until the
// next race.
func (t *Thread) RacedWith() *GoroutineRecord { return t.racedWith.P() }

// setRacedWith keeps l in the place of the goroutine before, if l still is a goroutine's record.
func (t *Thread) setRacedWith(l *GoroutineRecord) {
	if l != nil && !l.hold() {
		l = nil // it has been given back
	}
	if old := t.racedWith.P(); old != nil {
		old.release()
	}
	t.racedWith = offheap.To(l)
}

// End ends t: what it has in advance goes back, and its words stay.
func (t *Thread) End() {
	if t.epochID != 0 {
		epochBlockAt(t.epochID >> epochBlockBits).retire()
	}
	t.clock.P().SetEpochID(0)
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

// currentEpoch returns the ID of the epoch to record accesses at, as the top bits of a word; 0 if
// there is no ID left.
func (t *Thread) currentEpoch() Word {
	c := t.clock.P()
	if now := c.EpochID(); now != 0 {
		return Word(now)
	}
	if e := c.AccessEpoch(); t.epochID == 0 || epochOf(t.epochID) != e {
		if t.newEpochID(e); t.epochID == 0 {
			return 0
		}
	}
	now := Word(t.epochID) << epochShift
	c.SetEpochID(uint64(now))
	return now
}

// own reports whether an access is t's, as far as its epoch block tells.
func (t *Thread) own(w Word) bool {
	return w.epochID()>>epochBlockBits == t.epochID>>epochBlockBits
}

// lastKnown is the place of the last epoch ID of m's block that is known.
func (t *Thread) lastKnown(m uint32) *uint32 {
	return &t.known[m>>epochBlockBits%uint32(len(t.known))]
}

// surelyKnows is knows, but a false answer may be wrong.
//
//go:nosplit
func (t *Thread) surelyKnows(w Word) bool {
	m := w.epochID()
	if m>>epochBlockBits == t.epochID>>epochBlockBits {
		return true
	}
	last := *t.lastKnown(m)
	return last>>epochBlockBits == m>>epochBlockBits && last >= m &&
		t.cycle == collector.freed.Load()
}

// knows reports whether an access is t's own, or happens before its present.
func (t *Thread) knows(w Word) bool {
	if t.surelyKnows(w) {
		return true
	}
	m := w.epochID()
	if cycle := collector.freed.Load(); t.cycle != cycle {
		t.cycle = cycle // IDs may stand for other epochs than before
		t.known = [len(t.known)]uint32{}
	}
	if w.epochBlock().record.Load() != t.record.P() && !t.clock.P().Knows(epochOf(m)) {
		return false
	}
	*t.lastKnown(m) = m
	return true
}
