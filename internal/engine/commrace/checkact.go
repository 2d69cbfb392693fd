// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commrace

import "github.com/commutego/commute/internal/engine/offheap"

// A check and an act are two calls of one goroutine. The first observes. By what it returned the
// program decides to make the second, a mutator that it doesn't commute with. Which calls depend on
// each other in this way, the sink knows from the source. Together the two are meant to be a
// transaction. A race of the act, or of another goroutine's same check, breaks it. C is the check,
// A the act, X the interfering call:
//
//	Observed        C, X, A: X came in between. X doesn't commute with C or A, so it can be moved
//	                neither before the check nor after the act.
//	Predicted       C, A, X: nothing orders X before the check or after the act. So the same
//	                beginning could be followed by C, X, A.
//	SymmetricCheck  C, A, C': another goroutine's check at the same place. Before the act it would
//	                have returned what C did, and been followed by an act as well.
//
// It is observed too if X is ordered before the act, by a lock around both, but not after the check
// that was made without the lock.
//
// # How an act finds its check
//
// An act conflicts with its check. So phase 1 looks at the check's touch for the act anyway
// (linkChecks), and the act keeps the check in its list (addCheck). Two things can be in the way:
//
//   - X has subsumed the check's touch. Then X's action has inherited the check (inherit.go), and
//     the act finds it there, as it conflicts with X too.
//   - The check repeats an earlier call, and has no action of its own (repeat.go). Then what it
//     returned may not be known.
//
// The flags of Action keep what is certain apart from what is not. Where it isn't known what a call
// returned, or whether it was a check, a race may be just a race:
//
//	repeatMayDiffer  set when the goroutine's own conflicting call came in between, when the call
//	                 is an act with a check, or when it raced: the next repetition is then noted
//	valueUnknown     set by a noted repetition: it may have returned another value
//	maybeStale       set when what an observation saw may have been changed since
//	unknownUntil     the observation called back; what began until then may have come before it
//
// They are copied into the list of the act, because the check's action may be repeated afterwards,
// and then stands for a later call.

// maxChecks is the number of checks that are kept of one act, maxInherited that of other
// goroutines' checks that one call inherits: in both cases the latest.
const (
	maxChecks    = 2
	maxInherited = 6
)

// An earlierCheck is a call that observes, as it was when it was put into a list of checks. The
// list belongs to an act that depends on it, or to another goroutine's call that has subsumed its
// touch.
type earlierCheck struct {
	call         offheap.Ref[Action]
	at           Place
	unknownUntil uint32 // calls that began up to this generation may have come before the check
	valueUnknown bool   // as of Action, then
	maybeStale   bool   // what it saw may have been changed before the act
	next         offheap.Ref[earlierCheck]
}

// A checkList is a list of checks.
type checkList struct{ head offheap.Ref[earlierCheck] }

var checkRecords offheap.Slab[earlierCheck]

// keep adds a check to a list of at most n, in place of the earliest.
func (l *checkList) keep(c *Action, n int) {
	oldest := l.head.P()
	for k := l.head.P(); k != nil; k = k.next.P() {
		if k.call.P() == c {
			return
		}
		if k.unknownUntil < oldest.unknownUntil {
			oldest = k
		}
		n--
	}
	gen := max(c.ended, c.unknownUntil)
	if n > 0 {
		oldest = checkRecords.Get()
		oldest.next, l.head = l.head, offheap.To(oldest)
	} else {
		if gen < oldest.unknownUntil {
			return
		}
		oldest.call.P().unref()
	}
	oldest.call, oldest.at, oldest.unknownUntil = offheap.To(c.ref()), c.At, gen
	oldest.valueUnknown = c.valueUnknown
	oldest.maybeStale = c.maybeStale || c.repeatMayDiffer || c.valueUnknown
}

// changedAt notes that something was changed at a generation, after some of the checks.
func (l *checkList) changedAt(gen uint32) {
	for k := l.head.P(); k != nil; k = k.next.P() {
		k.maybeStale = k.maybeStale || k.unknownUntil < gen
	}
}

// drop empties the list.
func (l *checkList) drop() {
	for k := l.head.P(); k != nil; k = l.head.P() {
		l.head = k.next
		k.call.P().unref()
		checkRecords.Put(k)
	}
}

// linkChecks is for a call b that came before a, and touches a conflicting point. If b is a check
// that a depends on, a keeps it. If b is of the same goroutine, the two calls can alternate in a
// loop: then a repetition of either may return something else.
func (a *Action) linkChecks(t *Table, b *Action, s Sink) {
	ra, rb := t.Methods[a.Method].Role, t.Methods[b.Method].Role
	if b.Goid == a.Goid {
		switch {
		case ra == Observer:
			a.repeatMayDiffer = true // b may be repeated, and a after it
		case rb == Observer:
			a.addCheck(t, b, s)
			b.repeatMayDiffer, b.maybeStale = true, true
		}
	}
	// The checks of a's goroutine whose touches b has subsumed.
	for at := &b.inherited.head; !at.Nil(); {
		k := at.P()
		c := k.call.P()
		if c.Goid == a.Goid {
			a.addCheck(t, c, s)
			if t.callSubsumes(a, c) { // as a would have subsumed it, had it been there
				*at = k.next
				c.unref()
				checkRecords.Put(k)
				continue
			}
		}
		at = &k.next
	}
}

// noteRaced notes the checks among the calls that a has just raced with.
func (a *Action) noteRaced(t *Table, f *found, s Sink) {
	if t.Methods[a.Method].Role == Observer {
		return
	}
	for i := range f.n {
		if c := f.race[i].First; t.Methods[c.Method].Role == Observer && s.Decides(t, c, nil) {
			a.raced.keep(c, maxInherited)
		}
	}
}

// racedWithCheckOf reports whether a raced with a check of a goroutine.
func (a *Action) racedWithCheckOf(goid uint64) bool {
	for k := a.raced.head.P(); k != nil; k = k.next.P() {
		if k.call.P().Goid == goid {
			return true
		}
	}
	return false
}

// addCheck notes c, an earlier observation of a's goroutine, as a check of a, if a depends on it.
// An act must begin after its check has ended.
func (a *Action) addCheck(t *Table, c *Action, s Sink) {
	if t.Methods[a.Method].Role == Mutator && c.ended <= a.began &&
		s.Decides(t, c, a) && t.conflict(c, a, s) {
		a.checks.keep(c, maxChecks)
		a.repeatMayDiffer = true
	}
}
