// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package runtime

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/offheap"
)

// Expect tells that g begins a function in which a finding of a kind is to be made. It returns the
// number of the scope, 0 if nothing of that kind would be reported.
func (g *Goroutine) Expect(kind uint32) uint32 {
	ready()
	if g == nil || g.carrier || kind == expectRace && options.level == violations {
		return 0
	}
	t := g.test.P().expect(kind)
	g.belong(t)
	return t.number
}

// Ignore tells that g begins a function in which nothing that is found is to be reported. It
// returns the number of the scope, 0 if there is no need of one.
func (g *Goroutine) Ignore() uint32 {
	if g == nil || g.carrier || g.test.P().ignores() {
		return 0
	}
	t := g.test.P().ignore()
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
	met := leaveScope(t)
	g.belong(t.outer.P())
	return met
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
