// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commrace

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/vclock"
)

// A Sink receives races, and adds to actions what only the rest of the engine knows. All methods
// but Race are called with the object's lock held, so they must neither wait nor make calls of the
// object.
type Sink interface {
	// Capture fills in Stack, Origin, Goid, Creator and Owner of an action of the current
	// goroutine.
	Capture(a *Action, args unsafe.Pointer)
	// Recapture fills in what may differ in an action of the current goroutine that was captured
	// before, for a later call at the same place. Args is nil if they are what they were.
	Recapture(a *Action, args unsafe.Pointer)
	// Unused reports whether the caller of a call that was captured doesn't use its result. It is
	// true where that isn't known.
	Unused(t *Table, a *Action) bool
	// Race receives two calls of o's methods that are not ordered and don't commute.
	Race(o *Object, r Race)
	// Decides reports whether act, if it follows check on its goroutine, depends on what check
	// returned. If act is nil, the question is whether any act may.
	Decides(t *Table, check, act *Action) bool
	// SameCheck reports whether another call of the check's method, which was made at the same
	// place by another goroutine, would be followed by the act, too.
	SameCheck(t *Table, check, act, other *Action) bool
	// Begins and Ends say that the current goroutine's call begins, and that it has returned. Joins
	// says that it is about to join others', and Abandons that it is given up. Leaves says that it
	// is about to call back and has nothing to join, and Resumes that it is back. All come while
	// the object is locked, so a recorder gets them in the order in which calls are checked. All
	// but Ends and Joins are for calls that are pending until they end. Ends returns Epoch.
	Begins()
	Ends() vclock.Epoch
	Joins()
	Leaves()
	Resumes()
	Abandons()
	// Epoch is the current goroutine's present in the clocks of transactions, 0 if none runs.
	Epoch() vclock.Epoch
	// Began is the epoch at which the current goroutine's transaction has begun, 0 outside of one.
	Began() vclock.Epoch
	// Conflict receives, while transactions run, two calls that don't commute, of which first
	// came before second, whether that was ordered or not.
	Conflict(o *Object, first, second *Action)
}

// A Race is two calls on an object that are not ordered and don't commute; Second is the later
// one. The fields from Violation on say whether the race breaks a check-then-act.
type Race struct {
	First, Second *Action
	Keyed         bool // the points in which they conflict are those of a key

	Violation    Violation
	Check        *Action // the check that First or Second depends on, nil if there is none
	CheckAt      Place   // where that check was made
	ValueUnknown bool    // what the check returned isn't known
	ActSecond    bool    // Second is the act; else First is
	// The other goroutine runs the same check at the same place. Unless the violation is
	// SymmetricCheck, it has made the act there as well.
	SameCode bool
	ordered  bool // First comes before Second: it is reported only if it is observed
}

// Act is the act, of a race that has a check.
func (r *Race) Act() *Action {
	if r.ActSecond {
		return r.Second
	}
	return r.First
}

// Interfering is the call by the other goroutine, of a race that has a check.
func (r *Race) Interfering() *Action {
	if r.ActSecond {
		return r.First
	}
	return r.Second
}

// CameLast reports whether the other goroutine's call began when the act was over.
func (r *Race) CameLast() bool { return !r.ActSecond && r.First.ended <= r.Second.began }

// maxFound is the number of races that are reported of one call. The call is the same in all, so
// more of them would tell little.
const maxFound = 4

// found collects what phase 1 finds about one call, the checked call. Races are reported when the
// object's lock is free, as the sink may take long.
type found struct {
	n    int
	race [maxFound]Race

	subsumedRace Race // with a call whose touch was subsumed, see keepSubsumed

	nLater uint32 // calls that came after the checked call, though they ended first
	later  [maxLater]offheap.Ref[Action]

	txnsRun bool   // transactions are running
	began   uint32 // the generation when the checked call began: all up to there had ended
	// The generation at which the last conflicting call of another goroutine has ended that may
	// have changed something.
	lastChange uint32
}

// add notes that two calls are in a race, unless a semantic exception makes them commute.
func (f *found) add(t *Table, first, second *Action, keyed bool, s Sink) {
	if f.n == maxFound || f.has(first) || t.excepted(first, second, s) {
		return
	}
	f.race[f.n] = Race{First: first.ref(), Second: second, Keyed: keyed}
	f.n++
}

// addOrdered is add for a call that comes before the second, but did not come before a check that
// the second may depend on. It is reported only if it came between the two.
func (f *found) addOrdered(t *Table, first, second *Action, keyed bool, s Sink) {
	if n := f.n; t.Methods[second.Method].Role == Mutator {
		f.add(t, first, second, keyed, s)
		if f.n > n {
			f.race[n].ordered = true
		}
	}
}

// has reports whether a race with a is noted already: two calls can conflict in several points.
func (f *found) has(a *Action) bool {
	for i := range f.n {
		if f.race[i].First == a {
			return true
		}
	}
	return false
}

// comesAfter reports whether the checked call comes before a, which ended first.
func (f *found) comesAfter(a *Action) bool { return isLater(f.nLater, &f.later, a) }

// report hands the races to the sink. No lock is held; a reference to each action is, and it is
// given up here.
func (o *Object) report(a *Action, f *found, s Sink) {
	for i := range f.n {
		if r := &f.race[i]; !r.ordered || r.Violation == Observed {
			s.Race(o, *r)
		}
	}
	for i := range f.n {
		f.race[i].First.unref()
		if c := f.race[i].Check; c != nil {
			c.unref()
		}
	}
	a.unref()
}
