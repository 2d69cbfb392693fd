// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package tests

import (
	"github.com/commutego/commute/internal/engine/offheap"
)

// Scopes are calls by which a test says what is to be found in it, or that nothing is to be
// reported. Package commutetest has them. A scope takes the place of the test as long as the call
// lasts. So goroutines that are started in it belong to it, and subtests, too. What is found in a
// scope and not excused is charged to the test that the scope is part of.

// The kinds of scopes: expectations of one kind of finding, and scopes in which none counts. The
// numbers are those of package commutetest.
const (
	ExpectRace = 1 + iota
	ExpectCheckThenAct
	ExpectDataRace
	ExpectViolation
	Ignoring
)

// ignoreOutside is the scope that ignores what is found outside of all tests.
var ignoreOutside offheap.AtomicRef[Test]

// Charged is the test that answers for t: t itself, or the test that the scope is part of; nil if
// there is none.
func (t *Test) Charged() *Test {
	for t != nil && t.Scope != 0 {
		t = t.Outer.P()
	}
	return t
}

// Ignores reports whether t is, or is part of, a scope in which no finding counts.
func (t *Test) Ignores() bool {
	for ; t != nil; t = t.Outer.P() {
		if t.Scope == Ignoring {
			return true
		}
	}
	return false
}

// Silences reports whether t is, or is part of, a scope in which a violation is ignored or
// expected.
func (t *Test) Silences() bool {
	return t != nil && (t.Ignores() || t.expecting(ExpectViolation) != nil)
}

// expecting is the innermost expectation of a kind that t is, or is part of, and that has not
// ended. A check-then-act race is a race of two calls, too.
func (t *Test) expecting(kind uint32) *Test {
	for ; t != nil; t = t.Outer.P() {
		is := t.Scope == kind || t.Scope == ExpectRace && kind == ExpectCheckThenAct
		if is && t.Ended.Load() == 0 {
			return t
		}
	}
	return nil
}

// within reports whether scope t is part of other, or other is no test at all.
func (t *Test) within(other *Test) bool {
	other = other.Charged()
	if other == nil {
		return true
	}
	for t = t.Outer.P(); t != nil; t = t.Outer.P() {
		if t == other {
			return true
		}
	}
	return false
}

// Excused reports whether a finding of a kind by goroutines of two tests is not to be reported.
// That is so if a side ignores findings, or if it is expected, which is noted then. A finding is
// expected if both sides expect it, or one does and the other belongs to a test that this scope is
// part of. The caller holds the lock of package finding.
func Excused(a, b *Test, kind uint32) bool {
	if a.Ignores() || b.Ignores() {
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
		x.Found.Store(1)
	}
	if y != nil {
		y.Found.Store(1)
	}
	return true
}

// Expect begins a scope in t, which may be nil, in which a finding of a kind is to be made.
func (t *Test) Expect(kind uint32) *Test {
	scope := All.Add()
	scope.Outer, scope.Scope = offheap.To(t), kind
	return scope
}

// Ignore returns the scope in t, which may be nil, in which no finding is reported.
func (t *Test) Ignore() *Test {
	at := &ignoreOutside
	if t != nil {
		at = &t.inner
	}
	scope := at.Load()
	if scope == nil {
		scope = All.Add() // if another goroutine does so too, either will do
		scope.Outer, scope.Scope = offheap.To(t), Ignoring
		at.Store(scope)
	}
	return scope
}

// ID is the test's number, 0 for no test.
func (t *Test) ID() uint32 {
	if t == nil {
		return 0
	}
	return t.Number
}
