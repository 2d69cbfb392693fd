// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package datarace

import "github.com/commutego/commute/internal/engine/offheap"

// A Race is an earlier access, and where an access races with it. It is zero if there is none.
type Race struct {
	Word
	Addr  uintptr
	Wrote bool // the earlier one was a write
}

// A lastRace is what is kept of the earlier access that the last Access raced with.
type lastRace struct {
	racedWith offheap.Ref[GoroutineRecord]
	racedTest uintptr // what its accesses are charged to
}

// RacedWith is the goroutine of the access that the last Access raced with. It is kept until the
// next race.
func (t *lastRace) RacedWith() *GoroutineRecord { return t.racedWith.P() }

// setRacedWith keeps l in the place of the goroutine before, if l still is a goroutine's record.
func (t *lastRace) setRacedWith(l *GoroutineRecord) {
	if l != nil && !l.hold() {
		l = nil // it has been given back
	}
	if old := t.racedWith.P(); old != nil {
		old.release()
	}
	t.racedWith = offheap.To(l)
}

// noteRace notes which goroutine made the earlier access of a race. The word alone would not lead
// to it for ever: the collector may give back the epoch block.
func (t *lastRace) noteRace(race Race) Race {
	if race.Word != 0 {
		b := race.epochBlock()
		t.setRacedWith(b.record.Load())
		t.racedTest = b.test
	}
	return race
}
