// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commrace_test

import (
	"strings"
	"testing"
	"unsafe"

	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/vclock"
)

// counting is a world of an expvar.Int, in which actions have the goroutine that makes them, and
// looks at the number decide about changes.
type counting struct {
	*world
	who   int
	raced []commrace.Race
	inner vclock.LockClock // what changes release when they take effect
	lock  vclock.LockClock // the program's
}

func (w *counting) Recapture(a *commrace.Action, args unsafe.Pointer) { w.Capture(a, args) }

func (w *counting) Capture(a *commrace.Action, _ unsafe.Pointer) {
	a.Goid = uint64(w.who)
}

func (*counting) Decides(*commrace.Table, *commrace.Action, *commrace.Action) bool { return true }
func (*counting) SameCheck(_ *commrace.Table, _, _, _ *commrace.Action) bool       { return true }

func (w *counting) Race(_ *commrace.Object, r commrace.Race) { w.raced = append(w.raced, r) }

// run makes steps, each by the goroutine of its first digit: "1v0" is a Value() = 0; "1(" the
// beginning of a Set, "1!" the time at which it takes effect, "1)10" the end of Set(1) that found 0
// there; "1+" and "1-" release and acquire a lock, "1?" takes up what a Set has released inside,
// and "1<" is a callback, before which the goroutine learns of the other's calls.
func (w *counting) run(steps string) {
	var calls [3]*commrace.Call
	for s := range strings.FieldsSeq(steps) {
		w.who = int(s[0] - '0')
		t := w.threads[w.who]
		value := func(i int) int64 { return int64(s[i] - '0') }
		switch s[1] {
		case 'v':
			w.obj.End(engineCall(w.ecl, call{"Value", []any{value(2)}}), t, w)
		case '(':
			calls[w.who] = engineCall(w.ecl, call{"Set", []any{int64(0), int64(0)}})
			w.obj.Begin(calls[w.who], t, w)
		case '!':
			t.Hold()
			w.inner.ReleaseInCall(t)
		case ')':
			e, c := engineCall(w.ecl, call{"Set", []any{value(2), value(3)}}), calls[w.who]
			c.Beta, c.Args, c.Nargs = e.Beta, e.Args, e.Nargs
			w.obj.End(c, t, w)
			t.RestoreHeld(0)
		case '<':
			w.obj.Join(calls[w.who], t, nil)
		case '+':
			w.lock.Release(t)
		case '-':
			w.lock.Acquire(t)
		case '?':
			w.inner.Acquire(t)
		}
	}
}

// What a call subsumes that commutes with another, which is under way, may not commute with that:
// it is not forgotten.
func TestSupersededDuringCall(t *testing.T) {
	et, ct := spec(t, "expvar", "expvar.Int")
	for _, c := range []struct {
		name, steps string
		races       int
		breach      commrace.Violation
	}{
		{"one after the other", "1v0 1( 1! 1)10 2v1 2( 2! 2)21", 1, commrace.SymmetricCheck},
		{"a Set is under way while the other looks and sets", "1v0 1( 1! 2v0 2( 2! 2)11 1)10", 1,
			commrace.SymmetricCheck},
		{"and has not stored when the other looks", "1v0 1( 2v0 2( 1! 2! 2)11 1)10", 1,
			commrace.SymmetricCheck},
		{"it begins when the other has looked", "1v0 2v0 1( 1! 2( 2! 2)11 1)10", 1,
			commrace.SymmetricCheck},
		{"the other's begins first", "1v0 2v0 2( 1( 1! 2! 2)11 1)10", 1, commrace.SymmetricCheck},
		{"both think that they change it", "1v0 2v0 1( 2( 1! 2! 2)10 1)10", 2,
			commrace.SymmetricCheck},
		{"the other looks again and again", "1v0 1( 2v0 2( 1! 2! 2)11" +
			strings.Repeat(" 2v1 2( 2)11", 20) + " 1)10", 1, commrace.SymmetricCheck},
		{"it is learned of before a callback", "1v0 1( 2v0 2( 1! 2! 2)11 1< 1)10", 1,
			commrace.SymmetricCheck},
		{"what was looked at is known before the Set", "2v0 2+ 1- 1v0 1( 1! 2( 2! 2)11 1)10", 0,
			commrace.NoViolation},
		{"it comes to be known during the Set", "1v0 1( 2v0 2+ 1- 1! 2( 2! 2)11 1)10", 0,
			commrace.NoViolation},
		{"nothing is changed", "1v0 1( 2v0 2( 2)00 1)00", 0, commrace.NoViolation},
		{"the other waits for the Set before it looks", "1( 1! 2? 2v1 2( 2)11 1)10", 0,
			commrace.NoViolation},
		{"the other looks, waits for the Set, and looks again", "1( 2v0 1! 2? 2v1 1)10", 1,
			commrace.NoViolation},
	} {
		w := &counting{world: newWorld(et, ct, 3)}
		w.run(c.steps)
		if len(w.raced) != c.races {
			t.Errorf("%s: %d races, want %d", c.name, len(w.raced), c.races)
		}
		worst := commrace.NoViolation
		for _, r := range w.raced {
			worst = max(worst, r.Violation)
		}
		if worst != c.breach {
			t.Errorf("%s: breach %d, want %d", c.name, worst, c.breach)
		}
		w.inner.Clear()
		w.lock.Clear()
		w.end()
	}
}
