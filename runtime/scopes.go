// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package runtime

import (
	"github.com/commutego/commute/internal/engine/offheap"
)

// Scopes are calls by which a test says what is to be found in it, or that nothing is to be
// reported: package commutetest has them. A scope takes the place of the test as long as the call
// lasts, so goroutines that are started inside belong to it, and so do subtests. What is found in
// it and not excused is charged to the test that the scope is part of.

// What a test may be instead: an expectation of one kind of finding, or a scope in which none
// counts. The numbers are those of package commutetest.
const (
	expectRace = 1 + iota
	expectCheckThenAct
	expectDataRace
	expectViolation
	ignoring
)

// outermost ignores what is found outside of all tests.
var outermost offheap.AtomicRef[test]

// charged is the test that answers for t: itself, or the one that the scope is part of; nil if
// there is none.
func (t *test) charged() *test {
	for t != nil && t.scope != 0 {
		t = t.outer.P()
	}
	return t
}

// ignores reports whether t is, or is part of, a scope in which nothing that is found counts.
func (t *test) ignores() bool {
	for ; t != nil; t = t.outer.P() {
		if t.scope == ignoring {
			return true
		}
	}
	return false
}

// expecting is the innermost expectation of a kind that t is, or is part of, and that has not
// ended. A check-then-act race is a race of two calls, too.
func (t *test) expecting(kind uint32) *test {
	for ; t != nil; t = t.outer.P() {
		is := t.scope == kind || t.scope == expectRace && kind == expectCheckThenAct
		if is && t.over.Load() == 0 {
			return t
		}
	}
	return nil
}

// within reports whether scope t is part of other, or other is no test at all.
func (t *test) within(other *test) bool {
	other = other.charged()
	if other == nil {
		return true
	}
	for t = t.outer.P(); t != nil; t = t.outer.P() {
		if t == other {
			return true
		}
	}
	return false
}

// excused reports whether a finding of a kind by goroutines of two tests is not to be reported: as
// it was made where none counts, or is expected, which is noted then. It is expected if both sides
// are, or one is and the other belongs to a test that this one is part of. Found.lock is held.
func excused(a, b *test, kind uint32) bool {
	if a.ignores() || b.ignores() {
		return true
	}
	x, y := a.expecting(kind), b.expecting(kind)
	switch {
	case x == nil && y == nil,
		x == nil && !y.within(a),
		y == nil && !x.within(b):
		return false
	}
	if x != nil {
		x.found.Store(1)
	}
	if y != nil {
		y.found.Store(1)
	}
	return true
}

// expect begins a scope in t, which may be nil, in which a finding of a kind is to be made.
func (t *test) expect(kind uint32) *test {
	scope := tests.add()
	scope.outer, scope.scope = offheap.To(t), kind
	return scope
}

// ignore returns the scope in t, which may be nil, in which nothing that is found is reported.
func (t *test) ignore() *test {
	at := &outermost
	if t != nil {
		at = &t.inner
	}
	scope := at.Load()
	if scope == nil {
		scope = tests.add() // if another goroutine does so too, both are good
		scope.outer, scope.scope = offheap.To(t), ignoring
		at.Store(scope)
	}
	return scope
}

// order is a number that tells tests apart.
func (t *test) order() uint32 {
	if t == nil {
		return 0
	}
	return t.number
}
