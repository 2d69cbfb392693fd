// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package datarace

import (
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/vclock"
)

// knowledge is what a thread knows of the accesses that words stand for: which are its own, and
// which of the others happen before its present.
type knowledge struct {
	clock   offheap.Ref[vclock.Thread]
	record  offheap.Ref[GoroutineRecord]
	epochID uint32 // that of the last access that was recorded, 0 if there was none
	cycle   uint32 // known holds up to this cycle of the collector: then IDs stand for other epochs
	// The last epoch IDs of blocks that turned out to happen before the present. They always will:
	// a thread forgets nothing, and knows all earlier epochs of a goroutine with a later one.
	known [16]uint32
	test  uintptr // what the accesses are charged to
	moved bool    // the clock is not the first one
	asked asked
}

// Record is what is kept of the goroutine of t.
func (t *knowledge) Record() *GoroutineRecord { return t.record.P() }

// SetClock makes c the clock of t from now on. Neither clock may have a current epoch that was set
// for the other's accesses.
func (t *knowledge) SetClock(c *vclock.Thread) {
	t.clock.P().SetEpochID(0)
	t.clock, t.moved, t.asked = offheap.To(c), true, asked{}
	c.SetEpochID(0)
}

// currentEpoch returns the ID of the epoch to record accesses at, as the top bits of a word; 0 if
// there is no ID left.
func (t *knowledge) currentEpoch() Word {
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

// QuickEpoch is currentEpoch where the next ID is one of t's epoch block; else it is 0.
//
//go:nosplit
func (t *knowledge) QuickEpoch() uint64 {
	c := t.clock.P()
	e, id := c.AccessEpoch(), t.epochID
	if id%epochBlockSize == epochBlockSize-1 || id == 0 {
		return 0
	}
	if b := epochBlockAt(id >> epochBlockBits); b.epoch[id%epochBlockSize].Load() != uint64(e) {
		id++
		host.Publish64(&b.epoch[id%epochBlockSize], uint64(e))
		t.epochID = id
	}
	now := uint64(id) << epochShift
	c.SetEpochID(now)
	return now
}

// newEpochID moves t to an ID for an epoch. The ID is 0 if there are too many.
func (t *knowledge) newEpochID(e vclock.Epoch) {
	if t.epochID%epochBlockSize != epochBlockSize-1 && t.epochID != 0 {
		t.epochID++
	} else {
		if t.epochID != 0 {
			t.noteKnown(t.epochID)
			epochBlockAt(t.epochID >> epochBlockBits).retire()
		}
		t.epochID = newEpochBlock(t.record.P(), t.test) << epochBlockBits
		if t.epochID == 0 {
			return
		}
	}
	b := epochBlockAt(t.epochID >> epochBlockBits)
	host.Publish64(&b.epoch[t.epochID%epochBlockSize], uint64(e))
}

// own reports whether an access is t's, as far as its epoch block tells.
func (t *knowledge) own(w Word) bool {
	return w.epochID()>>epochBlockBits == t.epochID>>epochBlockBits
}

// lastKnown is the place of the last epoch ID of m's block that is known.
func (t *knowledge) lastKnown(m uint32) *uint32 {
	return &t.known[m>>epochBlockBits%uint32(len(t.known))]
}

// surelyKnows is knows, but a false answer may be wrong.
//
//go:nosplit
func (t *knowledge) surelyKnows(w Word) bool {
	m := w.epochID()
	if m>>epochBlockBits == t.epochID>>epochBlockBits {
		return true
	}
	last := *t.lastKnown(m)
	return last>>epochBlockBits == m>>epochBlockBits && last >= m &&
		t.cycle == collector.freed.Load()
}

// knows reports whether an access is t's own, or happens before its present.
func (t *knowledge) knows(w Word) bool {
	if t.surelyKnows(w) {
		return true
	}
	m := w.epochID()
	t.holdCycle()
	if !t.asked.knows(t.clock.P(), epochOf(m)) {
		// Of an earlier clock of its own a goroutine knows all.
		if !t.moved || w.epochBlock().record.Load() != t.record.P() {
			return false
		}
	}
	*t.lastKnown(m) = m
	return true
}

// answer is knows as far as no clock has to be asked; it reports whether that is so.
//
//go:nosplit
func (t *knowledge) answer(w Word) (known, sure bool) {
	if t.surelyKnows(w) {
		return true, true
	}
	if t.cycle != collector.freed.Load() || t.moved {
		return false, false
	}
	if known, sure = t.asked.answer(t.clock.P(), epochOf(w.epochID())); known {
		*t.lastKnown(w.epochID()) = w.epochID() // so it is surely known the next time
	}
	return known, sure
}

// easilyKnows is knows as far as no clock has to be asked; a false answer may be wrong. Where a
// goroutine synchronizes all the time, the epochs that it meets are of more blocks than surelyKnows
// has at hand.
//
//go:nosplit
func (t *knowledge) easilyKnows(w Word) bool {
	known, _ := t.answer(w)
	return known
}

// holdCycle forgets what is known if a cycle of the collector is over: IDs may stand for other
// epochs than before.
func (t *knowledge) holdCycle() {
	if cycle := collector.freed.Load(); t.cycle != cycle {
		t.cycle = cycle
		t.known = [len(t.known)]uint32{}
	}
}

// noteKnown notes that m, the last epoch ID of the thread's own block, is known: the thread goes on
// with another block.
func (t *knowledge) noteKnown(m uint32) {
	t.holdCycle()
	*t.lastKnown(m) = m
}

// races returns old if w races with it, for bytes that have one site; else 0.
func (t *knowledge) races(old, w Word) Word {
	if old&w&allBytes == 0 || old&w&atomicBit != 0 || t.knows(old) {
		return 0
	}
	return old.among(w)
}
