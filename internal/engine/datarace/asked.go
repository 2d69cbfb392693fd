// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package datarace

import "github.com/commutego/commute/internal/engine/vclock"

// asked is what a thread's clock has said when it was asked for the last epochs that it knows. A
// clock is a tree, and a cell that many goroutines read has them all asked for, again and again.
//
// An epoch that was known stays known. That a later one is not known holds until the thread learns
// something.
type asked struct {
	latest  [slotsAsked]vclock.Epoch // by slot: the last epoch that is known
	exact   uint64                   // which of them are so still, and not only known
	learned uint64                   // up to which exact holds
	without without
}

// A without is blocks of reads that have none that t knows, but for its own. What others add to
// them t cannot know before it learns something.
type without struct {
	block   [16]Word
	learned uint64 // up to which they hold
}

// knowsNoneOf reports whether t knows none of the reads in a block but its own. A false answer may
// be wrong.
//
//go:nosplit
func (t *knowledge) knowsNoneOf(block Word) bool {
	n := &t.asked.without
	return *n.placeOf(block) == block && n.learned == vclock.Learned(t.clock.P())
}

// noteKnowsNoneOf notes that t knows none of the reads in a block but its own.
//
//go:nosplit
func (t *knowledge) noteKnowsNoneOf(block Word) {
	n := &t.asked.without
	if learned := vclock.Learned(t.clock.P()); n.learned != learned {
		*n = without{learned: learned}
	}
	*n.placeOf(block) = block
}

// placeOf is where a block is, if it is there.
//
//go:nosplit
func (n *without) placeOf(block Word) *Word {
	return &n.block[block.Site()*0x9E3779B1>>28%uint32(len(n.block))]
}

const slotsAsked = 64

// knows is c.Knows; c is the same clock at each call.
func (a *asked) knows(c *vclock.Thread, e vclock.Epoch) bool {
	if learned := vclock.Learned(c); a.learned != learned {
		a.learned, a.exact = learned, 0
	}
	i := e.Slot() % slotsAsked
	if last := a.latest[i]; last.Slot() == e.Slot() {
		if e <= last {
			return true
		}
		if a.exact>>i&1 != 0 {
			return false
		}
	}
	a.latest[i] = vclock.Latest(c, e.Slot())
	a.exact |= 1 << i
	return e <= a.latest[i]
}

// answer is knows as far as it was asked before: it reports what is known, and whether that is
// sure.
//
//go:nosplit
func (a *asked) answer(c *vclock.Thread, e vclock.Epoch) (known, sure bool) {
	i := e.Slot() % slotsAsked
	last := a.latest[i]
	if last.Slot() != e.Slot() {
		return false, false
	}
	return e <= last, e <= last || a.exact>>i&1 != 0 && a.learned == vclock.Learned(c)
}
