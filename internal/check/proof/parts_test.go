// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package proof

import (
	"math/rand/v2"
	"testing"

	"github.com/commutego/commute/internal/check/forest"
	"github.com/commutego/commute/internal/check/reorder"
	"github.com/commutego/commute/internal/check/reorder/brute"
	"github.com/commutego/commute/internal/event"
)

// A layout has the variables of a program in one struct: plain ones, atomic ones and locks. It
// makes what a trace has if the struct is written as a whole before the threads are started.
type layout struct {
	threads  uint32            // the number of the thread that does so
	at       map[uint32]uint16 // by variable or lock: its offset
	contains map[uint16]uint32 // by the offset of a word: the variable that has it now
	begins   map[uint32]uint16 // by variable
	ends     map[uint32]uint16
	next     uint32
	check    *Checker
}

// Numbers of things in a program, and here.
const (
	atoms  = 10  // and on: atomic variables
	locks  = 100 // and on: locks
	record = 200 // the struct, and on: its parts
)

// words are what a struct has.
var words = []uint32{0, 1, atoms, atoms + 1, locks, locks + 1}

func newLayout(r *rand.Rand, p *brute.Program, threads uint32) *layout {
	l := &layout{threads: threads, at: make(map[uint32]uint16), next: record,
		contains: make(map[uint16]uint32), begins: map[uint32]uint16{record: 8},
		ends:  map[uint32]uint16{record: uint16(8 + 8*len(words))},
		check: New(p.Relation, forest.Conflict)}
	for i, k := range r.Perm(len(words)) {
		l.at[words[k]] = uint16(8 + 8*i)
		l.contains[uint16(8+8*i)] = record
	}
	return l
}

// split splits off what comes at an offset, if something is before it in its variable.
func (l *layout) split(at uint16) {
	from, ok := l.contains[at]
	if !ok || l.begins[from] == at {
		return
	}
	l.next++
	part := l.next
	l.begins[part], l.ends[part], l.ends[from] = at, l.ends[from], at
	for o := at; o < l.ends[part]; o += 8 {
		l.contains[o] = part
	}
	l.check.Take(&event.Event{Op: event.Split, Target: part, Point: from},
		reorder.Step{Offset: at}, false)
}

// take takes a step of the program as the trace has it.
func (l *layout) take(e event.Event, s reorder.Step) {
	switch {
	case s.Op >= reorder.Lock && s.Op <= reorder.RUnlock:
		s.Offset = l.at[locks+s.Target]
		s.Also = l.contains[s.Offset] + 1
	case s.Op != reorder.Read && s.Op != reorder.Write:
	case s.Atomic:
		s.Offset = l.at[s.Target]
		s.Also = l.contains[s.Offset] + 1
	default:
		at := l.at[s.Target]
		l.split(at)
		l.split(at + 8)
		s.Target = l.contains[at]
		e.Target = s.Target
	}
	l.check.Take(&e, s, false)
}

// TestParts has what is known of the transactions of a program not depend on whether its variables
// and locks are one struct, which is written as a whole before anything else is done. The programs
// are such that each variable is a word.
func TestParts(t *testing.T) {
	proven, all, alarms := 0, 0, 0
	for seed := range programs() {
		p, r := brute.RandomProgram(seed), rand.New(rand.NewPCG(seed, 3))
		threads := uint32(0)
		for i := range p.Piece.Steps {
			threads = max(threads, p.Piece.Steps[i].Thread+1)
		}
		apart, l := New(p.Relation, forest.Conflict), newLayout(r, p, threads)
		write := event.Event{Op: event.Write, Thread: threads, Target: record}
		apart.Take(&write, reorder.Step{Op: reorder.Write, Thread: threads, Target: record}, false)
		l.check.Take(&write, reorder.Step{Op: reorder.Write, Thread: threads, Target: record}, false)
		started := make(map[uint32]bool)
		for i := range p.Piece.Steps {
			if s := &p.Piece.Steps[i]; s.Op == reorder.Fork {
				started[s.Target] = true
			}
		}
		for u := range threads {
			if started[u] {
				continue
			}
			e := event.Event{Op: event.Fork, Thread: threads, Target: u}
			s := reorder.Step{Op: reorder.Fork, Thread: threads, Target: u, Closes: true}
			apart.Take(&e, s, false)
			l.check.Take(&e, s, false)
		}
		for i := range p.Piece.Steps {
			s, e := p.Piece.Steps[i], p.Piece.Events[i]
			if s.Atomic {
				e.Flags |= event.Only
			}
			apart.Take(&e, s, false)
			l.take(e, s)
		}
		want, got := apart.Finish(true), l.check.Finish(true)
		for pos, w := range want.Marks {
			g := got.Marks[pos]
			if g.Proven != w.Proven || g.Alarms != w.Alarms {
				t.Fatalf("program %d: the transaction at %d is %+v in a struct, and %+v apart%v",
					seed, pos, *g, *w, p)
			}
			proven += int(w.Proven)
			alarms += int(w.Alarms)
			all += int(w.All)
		}
	}
	t.Logf("%d of %d are proven, %d alarms", proven, all, alarms)
	if proven < all/20 || alarms < all/50 {
		t.Errorf("%d of %d are proven, %d alarms: that is one-sided", proven, all, alarms)
	}
}
