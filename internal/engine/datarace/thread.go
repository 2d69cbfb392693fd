// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package datarace

import (
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/vclock"
)

// A Thread makes the accesses of one goroutine. Only that goroutine uses it.
//
// Its parts are what it checks accesses with, and the other analyses that they are part of.
type Thread struct {
	checker
	analyses
	racedWith offheap.Ref[GoroutineRecord]
	racedTest uintptr // what the accesses of racedWith are charged to
}

var threads offheap.Slab[Thread]

// NewThread returns a Thread that is not in use. Most goroutines of a program whose accesses are
// not watched need none, so it is not a part of what each goroutine has.
func NewThread() *Thread { return threads.Get() }

// Free ends t, which NewThread has returned, if it is in use, and gives it back. A nil t is none.
func (t *Thread) Free() {
	if t == nil {
		return
	}
	if t.Started() {
		t.End()
	}
	threads.Put(t)
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

// Started reports whether t is in use; nil is not.
func (t *Thread) Started() bool { return t != nil && !t.record.Nil() }

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
	t.spareBlocks.giveBack()
	*t = Thread{}
	l.release()
}
