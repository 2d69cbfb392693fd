// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package reorder

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/commutego/commute/internal/event"
)

// recordedPiece is a piece of steps like "0+1": the thread, what it does, and the target, a number.
// The signs are > and < for a transaction, + and - for a lock, ( and ) for a reader, ~ for a
// release of which not all is known, a and l for an acquire and a release of an object, r and w,
// and s: the target splits off from variable 0.
func recordedPiece(text string) *Piece {
	p := &Piece{Recorded: true}
	ops := map[byte]Op{'>': Begin, '<': End, '+': Lock, '-': Unlock, '(': RLock, ')': RUnlock,
		'~': Unlock, 'r': Read, 'w': Write, 's': Nothing, 'a': Acquire, 'l': Release}
	for f := range strings.FieldsSeq(text) {
		s := Step{Op: ops[f[1]], Thread: uint32(f[0] - '0'), Target: uint32(f[2] - '0')}
		s.Opaque = f[1] == '~'
		s.Closes = s.Op == Begin || s.letsGo()
		e := event.Event{Op: event.Acquire, Thread: s.Thread, Target: s.Target}
		switch f[1] {
		case 's':
			e.Op = event.Split
		case '>':
			e.Op = event.Begin
		case '<':
			e.Op = event.End
		}
		p.Steps, p.Events = append(p.Steps, s), append(p.Events, e)
	}
	return p
}

// TestSettle has locks be what the piece tells of them, looks be no conflicts, and accesses be
// those of all parts of a variable.
func TestSettle(t *testing.T) {
	names := map[Op]string{Lock: "lock", Unlock: "unlock", RLock: "rlock", RUnlock: "runlock",
		Acquire: "acquire", Release: "release", Merge: "merge", Read: "r", Write: "w", Begin: ">",
		End: "<", Nothing: "."}
	for text, want := range map[string]string{
		"0+1 0-1 1(1 1)1": "lock1 unlock1 rlock1 runlock1",
		"0+1 0~1 1(1 1)1": "acquire1 release1 acquire1 merge1", // not all that it guards is known
		"0-1 1+1 1-1":     "release1 acquire1 release1",        // it was taken before
		"0+1 0-1 1+1 0r3": "lock1 unlock1 lock1! r3",           // its release comes later
		// A Cond has waited; or something else was acquired.
		"0+1 0-1 0a5 0+1 0-1":     "acquire1 release1 acquire5 acquire1 release1",
		"0+1 0-1 0a5 0l5 0+1 0-1": "lock1 unlock1 acquire5 release5 lock1 unlock1",
		"0+1 0-1 1a5 0+1 0-1":     "lock1 unlock1 acquire5 lock1 unlock1",
		"0+1 0-1 0a5 0+2 0-2":     "lock1 unlock1 acquire5 lock2 unlock2",
		"0r0 0w2 0s2 0r0":         "r0 r2 w2 .2 r0",
		"0w0 0s2 0s3 0r0":         "w0 w3 w2 .2 .3 r0",
		// A look before a write, and reads that are none.
		"0>0 0+1 0r3 0-1 0+1 0r3 0w4 0-1 0<0": ">0 lock1 r3 unlock1 lock1 r3? w4 unlock1 <0",
		"0>0 0+1 0r3 0-1 0+1 0r3 0-1 0<0":     ">0 lock1 r3 unlock1 lock1 r3 unlock1 <0",
		"0>0 0+1 0w3 0-1 0+1 0r3 0w4 0-1 0<0": ">0 lock1 w3 unlock1 lock1 r3 w4 unlock1 <0",
		"0>0 0+1 0-1 0+1 0r3 0w4 0-1 0<0":     ">0 lock1 unlock1 lock1 r3 w4 unlock1 <0",
	} {
		p := recordedPiece(text)
		p.Settle()
		var got []string
		for i := range p.Steps {
			s := &p.Steps[i]
			mark := ""
			if s.Fixed {
				mark = "!"
			}
			if s.Silent {
				mark += "?"
			}
			got = append(got, fmt.Sprint(names[s.Op], s.Target&^objectBit, mark))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %v, want %s", text, got, want)
		}
	}
}

// TestSettleIndexes has each part of an access have the access's index.
func TestSettleIndexes(t *testing.T) {
	p := recordedPiece("1w0 0r0 0r1 0s2")
	p.Before, p.Old, p.First = 1, []uint64{7}, 30
	p.Settle()
	var got []uint64
	for i := range p.Steps {
		got = append(got, p.Index(int32(i)))
	}
	if want := []uint64{7, 7, 30, 30, 31, 32}; !slices.Equal(got, want) || p.Before != 2 {
		t.Errorf("indexes %d, want %d; %d before", got, want, p.Before)
	}
	q := p.Cut(4, 6)
	if n := len(q.Steps) - q.Before; q.Index(int32(q.Before)) != 31 || n != 2 {
		t.Errorf("the cut begins at %d", q.Index(int32(q.Before)))
	}
}

// TestOpenBlocks has a piece know what was accessed before it in blocks that are open.
func TestOpenBlocks(t *testing.T) {
	p := recordedPiece("0w0 0+1 1r2 0-1 1w3 0r4 1r2")
	q := p.Cut(6, 7)
	var got []string
	for i := range q.Before {
		s := &q.Steps[i]
		if (s.Op == Read || s.Op == Write) && !s.Silent {
			t.Errorf("step %d is a conflict", i)
		}
		got = append(got, fmt.Sprint(s.Thread, s.Op, s.Target, q.Old[i]))
	}
	want := []string{
		fmt.Sprint(1, Read, 2, 2), fmt.Sprint(1, Write, 3, 4), fmt.Sprint(0, Read, 4, 5),
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestNestedBefore has a piece know the transactions that are open before it, nested ones too: what
// ends first is the innermost.
func TestNestedBefore(t *testing.T) {
	for text, want := range map[string]int{"0>0 0>1 0w3": 2, "0>0 0>1 0<1 0w3": 1,
		"0>0 0>1 0<1 0<0 0w3": 0} {
		p := recordedPiece(text)
		for i := range p.Steps {
			if s := &p.Steps[i]; s.Target == 1 && (s.Op == Begin || s.Op == End) {
				s.Op = Nothing
			}
		}
		if q := p.Cut(len(p.Steps)-1, len(p.Steps)); q.Before != want {
			t.Errorf("%s: %d are open, want %d", text, q.Before, want)
		}
	}
}

// TestSharedClosure has a reader's section be whole that comes before one of a writer, whichever is
// found first.
func TestSharedClosure(t *testing.T) {
	p := recordedPiece("0(1 0r5 0)1 1+1 1w3 1-1 1(1 1w4 1)1 2r4")
	s := NewSegment(p, nil)
	wanted := s.Begin()
	wanted[0], wanted[1] = 1, 5
	if cut := NewCloser(s).Closure(wanted); cut[0] != 3 {
		t.Errorf("%v: the first section is not whole", cut)
	}
}

// TestBothSpoilt has the steps of a block be fixed that has written what another block, which is
// open, had written: that may have written it again.
func TestBothSpoilt(t *testing.T) {
	var b Blocks
	p := recordedPiece("0w1 1w1 1-2 0-3")
	for i := range p.Steps {
		b.Add(&p.Steps[i])
	}
	if !p.Steps[2].Fixed || !p.Steps[3].Fixed {
		t.Errorf("fixed: %v, %v, want both", p.Steps[2].Fixed, p.Steps[3].Fixed)
	}
}

// TestStays has steps on what is a variable of accesses, too, part of which is split off later. It
// isn't known whether they are on that part, unless that can't be.
func TestStays(t *testing.T) {
	for _, stays := range []bool{false, true} {
		p := recordedPiece("1w0 0+3 0r1 0-3 0s2")
		p.Events[2].Op, p.Events[2].Target, p.Events[2].Point = event.Split, 1, 0
		p.Steps[1].Also, p.Steps[1].Stays = 1, stays
		p.Settle()
		i := slices.IndexFunc(p.Steps, func(s Step) bool { return s.Op == Lock })
		if p.Steps[i].Fixed == stays || p.Steps[i].Also != 1 {
			t.Errorf("stays: %v, fixed: %v", stays, p.Steps[i].Fixed)
		}
	}
}
