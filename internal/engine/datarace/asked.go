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
	unknown unknown
}

// unknown is the last epoch IDs that turned out not to be known, up to a cycle of the collector,
// and as long as the thread learns nothing.
type unknown struct {
	id      [16]uint32
	cycle   uint32
	learned uint64
}

// surelyUnknown reports whether an access is not t's own and doesn't happen before its present. A
// false answer may be wrong.
//
//go:nosplit
func (t *knowledge) surelyUnknown(w Word) bool {
	u, m := &t.asked.unknown, w.epochID()
	last := u.placeOf(m)
	learned := vclock.Learned(t.clock.P())
	if u.learned == learned && u.cycle == collector.freed.Load() && *last == m {
		return true
	}
	if known, sure := t.answer(w); known || !sure {
		return false
	}
	if u.learned != learned || u.cycle != t.cycle {
		*u = unknown{cycle: t.cycle, learned: learned}
	}
	*last = m
	return true
}

// placeOf is where the epoch ID m is, if it is there. The IDs of new goroutines agree in their low
// bits, so those of their blocks count too.
//
//go:nosplit
func (u *unknown) placeOf(m uint32) *uint32 {
	return &u.id[(m>>epochBlockBits+m)%uint32(len(u.id))]
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
