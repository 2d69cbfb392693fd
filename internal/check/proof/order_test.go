// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package proof

import (
	"strings"
	"testing"

	"github.com/commutego/commute/internal/check/forest"
	"github.com/commutego/commute/internal/check/reorder"
	"github.com/commutego/commute/internal/event"
)

// judged is how many transactions are proven, and what else is known of them. A step is a thread,
// what it does, and a number: > and < for a transaction, + and - for a lock, r and w, a, m and l
// for an acquire, a merge and a release of an object, d and j for Done and Wait of a WaitGroup, t
// for a touch and c for one of a call that calls back, g for a go statement, p for Add of a
// WaitGroup, and s: what splits off from variable 0. Capital R and W are of libraries.
func judged(text string, whole bool) (proven uint64, why [forest.Verdicts]uint64) {
	relation, err := event.NewRelation(1, [2]uint32{0, 0})
	if err != nil {
		panic(err)
	}
	c := New(relation, forest.Conflict)
	feed(c, text)
	r := c.Finish(whole)
	return r.Marks[1].Proven, r.Marks[1].Why
}

// feed has a checker take steps.
func feed(c *Checker, text string) {
	type kind struct {
		op reorder.Op
		e  event.Kind
	}
	kinds := map[byte]kind{
		'>': {reorder.Begin, event.Begin}, '<': {reorder.End, event.End},
		'+': {reorder.Lock, event.Acquire}, '-': {reorder.Unlock, event.Release},
		'r': {reorder.Read, event.Read}, 'w': {reorder.Write, event.Write},
		'a': {reorder.Acquire, event.Acquire}, 'm': {reorder.Merge, event.ReleaseMerge},
		'p': {reorder.Merge, event.Acquire},
		'l': {reorder.Release, event.Release}, 'd': {reorder.Merge, event.ReleaseMerge},
		'j': {reorder.Acquire, event.Acquire}, 't': {reorder.Touch, event.Touch},
		'c': {reorder.Touch, event.Touch}, 'g': {reorder.Fork, event.Fork},
		's': {reorder.Nothing, event.Split},
	}
	for f := range strings.FieldsSeq(text) {
		k := kinds[strings.ToLower(f[1:2])[0]]
		s := reorder.Step{Op: k.op, Thread: uint32(f[0] - '0'), Target: uint32(f[2] - '0')}
		s.Silent = f[1] == 'R' || f[1] == 'W'
		s.Counts, s.Spread = f[1] == 'd' || f[1] == 'j', f[1] == 'c'
		s.Closes = k.e == event.Begin || k.e == event.Release || k.e == event.ReleaseMerge ||
			k.e == event.Fork
		e := event.Event{Op: k.e, Thread: s.Thread, Target: s.Target, Pos: 1}
		c.Take(&e, s, false)
	}
}

// TestViewAlarms wants a lost update to be an alarm of each method, though what was read decides
// before there is a cycle.
func TestViewAlarms(t *testing.T) {
	for _, m := range []forest.Method{forest.Conflict, forest.View, forest.Block} {
		for text, want := range map[string]bool{
			"0g1 0>0 0r1 0w1 0<0 1>0 1r1 1w1 1<0":                         true,
			"0g1 0>0 0r1 0+2 0w1 0-2 0<0 1>0 1+2 1r1 1w1 1-2 1<0":         true,
			"0g1 0>0 0+2 0r1 0w1 0-2 0<0 1>0 1+2 1r1 1w1 1-2 1<0":         false,
			"0g1 0>0 0+2 0r1 0-2 0+2 0w1 0-2 0<0 1>0 1+2 1r1 1w1 1-2 1<0": true,
		} {
			c := New(nil, m)
			feed(c, text)
			if r := c.Finish(true); len(r.Alarms) > 0 != want {
				t.Errorf("method %d: %s: %d alarms", m, text, len(r.Alarms))
			}
		}
	}
}

// TestUninitialized wants no alarm whose order has memory read before it is initialized: here the
// writes come before the pointer that the reader follows.
func TestUninitialized(t *testing.T) {
	for text, want := range map[string]bool{
		"0g1 0w1 0w2 0+9 0w3 0-9 1>0 1+9 1r3 1-9 1r1 1r2 1<0": false,
		"0g1 1>0 1r1 1r2 1<0 0w1 0w2":                         true, // read first
		"0w1 0w2 0g1 1>0 1r1 1r2 1<0 0w1 0w2":                 true, // initialized before
	} {
		c := New(nil, forest.Conflict)
		feed(c, text)
		if r := c.Finish(true); len(r.Alarms) > 0 != want {
			t.Errorf("%s: %d alarms", text, len(r.Alarms))
		}
	}
	c := New(nil, forest.Conflict)
	feed(c, "0w1 0w2")
	c.most.look() // what is in an earlier piece is initialized
	feed(c, "0g1 0w1 0w2 1>0 1r1 1r2 1<0")
	if r := c.Finish(true); len(r.Alarms) == 0 {
		t.Error("no alarm of what an earlier piece has initialized")
	}
}

// TestLeast has what counts as order for a proof, and what counts as a conflict.
func TestLeast(t *testing.T) {
	for text, want := range map[string]uint64{
		"0>0 0r1 0r1 0<0 1r1":                     1,
		"1w1 1d5 0j5 0>0 0r1 0<0":                 1, // Done before Wait
		"0p5 1w1 1d5 0j5 0>0 0r1 0<0":             1, // who waits has added
		"0p5 0g2 1w1 1d5 2j5 2>0 2r1 2<0":         1, // before it has started the one that waits
		"1p5 1w1 1d5 0j5 0>0 0r1 0<0":             0, // Wait may come before Add
		"0g2 0p5 1w1 1d5 2j5 2>0 2r1 2<0":         0,
		"1w1 1l5 0a5 0>0 0r1 0<0":                 0, // who sends isn't forced
		"1w1 1m5 0a5 0>0 0r1 0<0":                 0,
		"0w1 0g1 1>0 1r1 1<0":                     1, // before the go statement
		"0g1 0w1 1>0 1r1 1<0":                     0, // it may be read again
		"0>0 0+1 0w1 0-1 0<0 1+1 1w1 1-1":         1,
		"0>0 0+1 0w1 0-1 0+1 0w2 0-1 0<0 1+1 1-1": 0, // the order of locks
		"0>0 0+1 0-1 0<0 1+1 1-1 0-1":             0, // nobody has it
		"0>0 0+1 1-1 0<0":                         0, // released by another
		"0>0 0a1 0<0 1l2":                         1, // one operation
		"0>0 0a1 0l1 0<0 1l2":                     0, // it may be the same object
		"0>0 0R1 0<0 1W1":                         1, // of libraries
		"0>0 0R1 0<0 1W1 1w1":                     0, // and not
		"0>0 0t1 0<0 1t1":                         1,
		"0>0 0t1 0t1 0<0 1t1":                     0,
		"0>0 0t1 0<0 1c1":                         0, // which is several
		"0>0 0+1 0w0 0-1 0<0 0s3 1w3":             0, // a part of the variable
		"0>0 0w0 0<0 1s3 1r3":                     0, // what was a part then
		"0>0 0w0 0<0 1s3 1r4":                     1,
		"1s3 0>0 0w0 0<0 1r3":                     1, // what was a part no more
		"0>0 0w0 1s3 0+1 0-1 0<0 1r3":             0, // the part may be written again
		"0>0 0w1":                                 0, // it goes on
	} {
		if got, why := judged(text, true); got != want {
			t.Errorf("%s: %d proven, want %d (%v)", text, got, want, why)
		}
		if got, _ := judged(text, false); got != 0 {
			t.Errorf("%s: proven, and the trace isn't whole", text)
		}
	}
}
