// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package runtime

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/atomicity"
	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/host"
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

// Expect tells that g begins a function in which a finding of a kind is to be made. It returns the
// number of the scope, 0 if nothing of that kind would be reported.
func (g *Goroutine) Expect(kind uint32) uint32 {
	ready()
	if g == nil || g.carrier || kind == expectRace && options.level == violations {
		return 0
	}
	t := tests.add()
	t.outer, t.scope = g.test, kind
	g.belong(t)
	return t.number
}

// Ignore tells that g begins a function in which nothing that is found is to be reported. It
// returns the number of the scope, 0 if there is no need of one.
func (g *Goroutine) Ignore() uint32 {
	if g == nil || g.carrier || g.test.P().ignores() {
		return 0
	}
	at := &outermost
	if t := g.test.P(); t != nil {
		at = &t.inner
	}
	t := at.Load()
	if t == nil {
		t = tests.add() // if another goroutine does so too, both are good
		t.outer, t.scope = g.test, ignoring
		at.Store(t)
	}
	g.belong(t)
	return t.number
}

// LeaveScope tells that g ends the function of a scope. It reports whether what was expected was
// found. What is found later is not expected any more.
func (g *Goroutine) LeaveScope(scope uint32) bool {
	if g == nil || scope == 0 {
		return false
	}
	tellPredictions() // they may be of accesses after which nothing was let go
	t := tests.at(scope)
	if t.scope != ignoring {
		found.lock.Lock() // what is being looked at counts
		t.over.Store(1)
		found.lock.Unlock()
	}
	g.belong(t.outer.P())
	return t.found.Load() > 0
}

// belong has g be part of a test or a scope, or of none.
func (g *Goroutine) belong(t *test) {
	g.test = offheap.Ref[test]{}
	if t != nil {
		g.test = offheap.To(t)
	}
	if g.memory.Started() {
		g.memory.Charge(uintptr(unsafe.Pointer(t)))
	}
}

// order is a number that tells tests apart.
func (t *test) order() uint32 {
	if t == nil {
		return 0
	}
	return t.number
}

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

// expectation is the kind of a race of calls.
func (r *race) expectation() uint32 {
	if r.Violation != commrace.NoViolation {
		return expectCheckThenAct
	}
	return expectRace
}

// marks has, for functions that are run as transactions, what the engine is told of them, by their
// first instruction.
var marks offheap.Memo

// BeginFunction is BeginAtomic for a function whose first instruction is at entry.
func (g *Goroutine) BeginFunction(t *Transaction, entry uintptr) {
	n, ok := marks.Get(uint64(entry))
	if !ok {
		n = marks.Put(uint64(entry), uint64(uintptr(unsafe.Pointer(functionPlace(entry)))))
	}
	g.BeginAtomic(t, markAt(uintptr(n)))
}

// functionPlace describes a function as if it were marked.
func functionPlace(entry uintptr) *atomicity.AtomicCode {
	p := (*atomicity.AtomicCode)(host.Alloc(unsafe.Sizeof(atomicity.AtomicCode{})))
	var file string
	line := 0
	for i := 0; ; i++ { // the function itself is the outermost of those at its beginning
		name, f, l, ok := host.PlaceAt(entry+1, i)
		if !ok {
			break
		}
		p.Name, file, line = name, f, l
	}
	b := buffers.Get()
	b.reset()
	b.texts(file, ":")
	b.int(int64(line))
	p.Pos = b.kept()
	buffers.Put(b)
	return p
}
