// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package lockorder

import (
	"strings"
	"testing"

	"github.com/commutego/commute/internal/check/reorder"
	"github.com/commutego/commute/internal/check/reorder/brute"
	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/longtest"
)

// TestModes has cycles of locks that readers share, that are only tried, and that are released by
// others. A step is a thread, what it does, and the lock: + and - for a lock, ( and ) for a
// reader, t for an attempt that has succeeded, f for a lock after one that has failed, and a and l
// for an acquire and a release of an object, A and L of one that is known.
func TestModes(t *testing.T) {
	for text, want := range map[string][2]int{
		"0+1 0+2 0-2 0-1 1+2 1+1 1-1 1-2":         {1, 1},
		"0+1 0(2 0)2 0-1 1+2 1+1 1-1 1-2":         {1, 1},
		"0(1 0(2 0)2 0)1 1(2 1(1 1)1 1)2":         {0, 0}, // readers don't wait for readers
		"0(1 0+2 0-2 0)1 1(2 1+1 1-1 1)2":         {1, 1},
		"0+1 0t2 0-2 0-1 1+2 1+1 1-1 1-2":         {0, 0},
		"0t1 0+2 0-2 0-1 1+2 1+1 1-1 1-2":         {1, 1}, // what was tried is held
		"0+3 0+1 0+2 0-2 0-1 0-3 1(3 1+2 1+1 1)3": {0, 0}, // a gate
		"0(3 0+1 0+2 0-2 0-1 0)3 1(3 1+2 1+1 1)3": {1, 0}, // is none; sections don't end
		"0+1 0+2 0-2 1-1 1+2 1+1 1-1 1-2":         {0, 0}, // another thread has released it
		"0+1 0+2 0-2 0-1 1+2 1f1 1-1 1-2":         {0, 0}, // after all that was before it
		"0+1 0+2 0-2 0-1 0l5 1a6 1+2 1+1 1-1 1-2": {0, 0}, // it may be the same object
		"0+1 0+2 0-2 0-1 0L5 1A6 1+2 1+1 1-1 1-2": {1, 1}, // it is another
		"0+1 0+2 0-2 0-1 0L5 1A5 1+2 1+1 1-1 1-2": {0, 0},
		"0+1 0+2 0-2 0-1 0L5 1a6 1+2 1+1 1-1 1-2": {0, 0}, // it isn't known which
	} {
		r := NewRecorded(nil)
		for f := range strings.FieldsSeq(text) {
			s := reorder.Step{Thread: uint32(f[0] - '0'), Target: uint32(f[2] - '0')}
			s.Op = map[byte]reorder.Op{'+': reorder.Lock, '-': reorder.Unlock, '(': reorder.RLock,
				')': reorder.RUnlock, 't': reorder.Lock, 'f': reorder.Lock, 'a': reorder.Acquire,
				'l': reorder.Release, 'A': reorder.Acquire, 'L': reorder.Release}[f[1]]
			s.Named = f[1] == 'A' || f[1] == 'L'
			s.Tries, s.Fixed = f[1] == 't', f[1] == 'f'
			s.Closes = s.Op == reorder.Unlock || s.Op == reorder.RUnlock
			e := event.Event{Op: event.Acquire, Thread: s.Thread, Target: s.Target}
			if s.Closes {
				e.Op = event.Release
			}
			r.Take(&e, s, false)
		}
		predicted, cycles, _ := r.Finish()
		if got := [2]int{len(cycles), len(predicted)}; got != want {
			t.Errorf("%s: %d cycles and predictions, want %d", text, got, want)
		}
	}
}

// TestRecorded has deadlocks be predicted in what small programs leave in a trace, and wants the
// programs to come to each: with channels, a WaitGroup, readers, attempts that fail, and accesses
// that the trace doesn't have.
func TestRecorded(t *testing.T) {
	testPrograms(t, brute.NestedProgram)
}

// TestObjects does the same where the trace tells which object an operation is on.
func TestObjects(t *testing.T) {
	testPrograms(t, func(seed uint64) *brute.Program { return brute.NestedObjects(seed, true) })
}

func testPrograms(t *testing.T, program func(seed uint64) *brute.Program) {
	t.Helper()
	programs := uint64(5000)
	if longtest.Asked() {
		programs = 100000
	}
	predicted, potential := 0, 0
	for seed := range programs {
		p := program(seed)
		r := NewRecorded(p.Relation)
		for i := range p.Piece.Steps {
			r.Take(&p.Piece.Events[i], p.Piece.Steps[i], false)
		}
		list, cycles, _ := r.Finish()
		if len(list) > 0 {
			predicted++
		}
		if len(cycles) > 0 {
			potential++
		}
		for _, err := range r.unproven {
			t.Fatalf("program %d: not proven: %v%v", seed, err, p)
		}
		for _, x := range list {
			var order, wants []int32
			for i := range int32(x.First) {
				order = append(order, i)
			}
			for _, e := range x.Events[x.Before:] {
				order = append(order, int32(e.Index))
			}
			for _, w := range x.Cycle {
				wants = append(wants, int32(w.Wants.Index))
			}
			if !p.Stuck(order, wants) {
				t.Fatalf("program %d doesn't come to %v before %v%v", seed, order, wants, p)
			}
		}
	}
	t.Logf("%d programs: %d predicted, %d potential", programs, predicted, potential)
	if predicted < int(programs/200) || potential <= predicted {
		t.Error("that is one-sided")
	}
}
