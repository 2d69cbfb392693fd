// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	engine "github.com/commutego/commute/internal/engine/explore"
	"github.com/commutego/commute/internal/longtest"
)

const violationText = `==================
WARNING: ATOMICITY VIOLATION
m.(*T).add, marked as atomic at /m/m.go:9, is not: goroutine 7 can be interfered with by goroutine 8

  goroutine 7        goroutine 8
  begin
  read at 0x1  m.go:21
                     write at 0x1  m.go:31
  write at 0x1  m.go:31

Conflict 1 of 2: read at 0x1 by goroutine 7 in m.(*T).add:
  m.(*T).get()
      /m/m.go:21 +0x1
  m.(*T).add()
      /m/m.go:9 +0x1

  came before: write at 0x1 by goroutine 8:
  m.reset()
      /m/m.go:41 +0x1
  sync.(*WaitGroup).Go.func1()
      /go/sync/waitgroup.go:258 +0x1

Conflict 2 of 2: write at 0x1 by goroutine 8:
  m.reset()
      /m/m.go:41 +0x1

  came before: write at 0x1 by goroutine 7 in m.(*T).add:
  m.(*T).set()
      /m/m.go:31 +0x1
  m.(*T).add()
      /m/m.go:9 +0x1

Location of 0x1: heap block of 16 bytes at 0x1, allocated at:
  m.Test()
      /m/m_test.go:9 +0x1

Goroutine 8 created by goroutine 6 at:
  m.Test()
      /m/m_test.go:12

Evidence: predicted: it has not happened in this run
==================
`

const deadlockText = `==================
WARNING: POTENTIAL DEADLOCK
2 goroutines can come to wait for each other

Goroutine 20 holds lock A, taken at:
  sync.(*Mutex).Lock()
      /go/sync/mutex.go:46
  m.f()
      /m/m.go:26
  and wants lock B at:
  m.f()
      /m/m.go:31

Goroutine 21 holds lock B, taken at:
  m.g()
      /m/m.go:17
  and wants lock A at:
  m.g()
      /m/m.go:19

Evidence: potential: no run has hung
==================
`

const callsText = `==================
WARNING: COMMUTATIVITY RACE
Store(key: 1) by goroutine 9:
  m.f()
      /m/m.go:5

Previous Store(key: 1) by goroutine 8:
  m.g()
      /m/m.go:6

Evidence: race: nothing orders the calls
==================
`

// TestDetours reads in reports where goroutines are to be held, and until who has come where.
func TestDetours(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{violationText, "31 until 41, 31 until 41"},
		{deadlockText, "31 until 17, 19 until 26"},
		{callsText, "5 until 6, 6 until 5"},
		{strings.ReplaceAll(callsText, "      /", "/"), ""},
	} {
		var got []string
		line := func(s callStack) string { return s.frames[0].place[len("/m/m.go:"):] }
		for _, d := range Reports([]byte(c.text))[0].detours() {
			got = append(got, line(d.hold)+" until "+line(d.until))
		}
		if text := strings.Join(got, ", "); text != c.want {
			t.Errorf("%s, want %s:\n%s", text, c.want, c.text)
		}
	}
}

// TestDirected has a goroutine stopped where it is about to take the lock again, and no other.
func TestDirected(t *testing.T) {
	l := &runLog{}
	step1 := func(name, fn string, line int) {
		at := place{fn: fn, file: "/m/m.go", line: line}
		l.steps = append(l.steps, step{kind: about, name: name, op: engine.Lock, object: 1, at: at})
		l.steps = append(l.steps, step{kind: chosen, from: name, name: name, of: 2, usual: true,
			decision: 1 + len(l.steps)/2})
	}
	r := &run{log: l}
	step1("1.1", "m.(*T).get", 20)
	step1("1.1", "m.(*T).set", 29)
	step1("1.1", "m.(*T).set", 30)
	step1("1.1", "m.(*T).set", 33)
	step1("1.2", "m.reset", 40)
	for range 5 {
		r.choices = append(r.choices, choice{candidates: 3})
	}
	forced, pairs := Reports([]byte(violationText))[0].directed(r, 1, "Test")
	var got []string
	for _, s := range forced {
		got = append(got, s.String())
	}
	if text := strings.Join(got, " "); text != "x1-forced-3.1 x1-forced-3.2" {
		t.Error(text)
	}
	short := func(fn string, line int) uint32 {
		return engine.SiteAt(fn, "m.go", line, engine.Lock).Short()
	}
	want := engine.Force{Decision: short("m.(*T).set", 30), Choice: short("m.reset", 40)}
	if len(pairs) != triesOfPair || slices.ContainsFunc(pairs, func(s Seed) bool {
		return s.Policy != engine.Pair || s.Forces[0] != want
	}) {
		t.Errorf("%v, want %v", pairs, want)
	}
	if f, p := Reports([]byte(deadlockText))[0].directed(r, 1, "Test"); f != nil || p != nil {
		t.Errorf("%v, %v of a run that has none of the places", f, p)
	}
}

// TestDirectedRuns has each finding that can happen observed in the second run.
func TestDirectedRuns(t *testing.T) {
	t.Parallel()
	longtest.Need(t, "a test binary is built, to be explored")
	b := build(t, "confirm", "bank")
	b = b.with("COMMUTE=deadlock=fail")
	for _, test := range []string{"TestDeposit", "TestCache", "TestTransfer"} {
		first, err := b.batch(test, time.Minute, []Seed{{Policy: engine.First}})
		if err != nil {
			t.Fatal(err)
		}
		l := look{binary: b, plan: Plan{Runs: 24, Base: 1, Timeout: time.Minute}, test: test,
			want: unconfirmed(Reports(first.output))}
		if err := l.observe(); err != nil || len(l.found) != 1 || l.found[0] == nil ||
			l.found[0].Run != 2 {
			t.Errorf("%s: %v, %s", test, err, fmt.Sprint(l.found))
		}
	}
}
