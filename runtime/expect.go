// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package runtime

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/finding"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/option"
	"github.com/commutego/commute/internal/engine/tests"
)

// Expect notes that g begins a function in which a finding of a kind is to be made. It returns the
// number of the scope, 0 if nothing of that kind would be reported.
func (g *Goroutine) Expect(kind uint32) uint32 {
	option.Ready()
	if g == nil || g.TimerContext || kind == tests.ExpectRace &&
		option.Current.Level == option.Violations {
		return 0
	}
	t := g.Test.P().Expect(kind)
	g.setTest(t)
	return t.Number
}

// Ignore notes that g begins a function in which no finding is to be reported. It returns the
// number of the scope, 0 if no scope is needed.
func (g *Goroutine) Ignore() uint32 {
	if g == nil || g.TimerContext || g.Test.P().Ignores() {
		return 0
	}
	t := g.Test.P().Ignore()
	g.setTest(t)
	return t.Number
}

// LeaveScope notes that g ends the function of a scope. It reports whether what was expected was
// found. Later findings are not expected any more.
func (g *Goroutine) LeaveScope(scope uint32) bool {
	if g == nil || scope == 0 {
		return false
	}
	finding.Predictions() // they may be of accesses after which no lock was released
	t := tests.All.At(scope)
	met := finding.LeaveScope(t)
	g.setTest(t.Outer.P())
	return met
}

// setTest makes g part of a test or a scope, or of none.
func (g *Goroutine) setTest(t *tests.Test) {
	g.Test = offheap.Ref[tests.Test]{}
	if t != nil {
		g.Test = offheap.To(t)
	}
	if g.Memory.P().Started() {
		g.Memory.P().Charge(uintptr(unsafe.Pointer(t)))
	}
}
