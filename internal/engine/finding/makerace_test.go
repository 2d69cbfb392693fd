// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package finding

import (
	"testing"
	"unsafe"

	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/fixture"
	"github.com/commutego/commute/internal/engine/instance"
	"github.com/commutego/commute/internal/engine/option"
	"github.com/commutego/commute/internal/engine/report"
	"github.com/commutego/commute/internal/engine/stack"
	"github.com/commutego/commute/internal/engine/tests"
	"github.com/commutego/commute/internal/engine/text"
	"github.com/commutego/commute/internal/engine/vclock"
)

// A logger is a sink that hands races to a function, for their actions don't outlive the call.
type logger struct {
	stack, origin *stack.Stack
	goid, creator uint64
	test          *tests.Test
	race          func(r *report.Race)
}

func (*logger) Begins() {}

func (*logger) Joins()   {}
func (*logger) Leaves()  {}
func (*logger) Resumes() {}

func (*logger) Abandons() {}

func (k *logger) Ends() vclock.Epoch { return k.Epoch() }

func (k *logger) Epoch() vclock.Epoch { return 0 }

func (k *logger) Began() vclock.Epoch { return 0 }

func (k *logger) Conflict(_ *commrace.Object, _, _ *commrace.Action) {}

func (k *logger) Recapture(a *commrace.Action, args unsafe.Pointer) { k.Capture(a, args) }

func (k *logger) Capture(a *commrace.Action, args unsafe.Pointer) {
	a.Stack, a.Origin = uintptr(unsafe.Pointer(k.stack)), uintptr(unsafe.Pointer(k.origin))
	a.Goid, a.Creator = k.goid, k.creator
	a.Owner = uintptr(unsafe.Pointer(k.test))
	text.Keep(a, args)
}

func (k *logger) Unused(t *commrace.Table, a *commrace.Action) bool {
	return stack.StackOf(a.Stack).Unused(t, t.Methods[a.Method].Name)
}

func (k *logger) Race(o *commrace.Object, r commrace.Race) {
	k.race(&report.Race{Addr: 0xc000012340, Table: o.Table(), Race: r})
}

func (k *logger) Decides(t *commrace.Table, check, act *commrace.Action) bool {
	return stack.Decides(t, check, act)
}

func (k *logger) SameCheck(t *commrace.Table, check, act, other *commrace.Action) bool {
	return stack.SameCheck(t, check, act, other)
}

// makeRace has two goroutines make two calls on one object, each with its logger, and reports
// whether they are in a race.
func makeRace(t testing.TB, first, second *logger, a, b *commrace.Call,
	f func(r *report.Race)) bool {
	t.Helper()
	var o commrace.Object
	o.Init(fixture.MapTable(t), &instance.Clocks)
	defer o.Drop()
	found := false
	second.race = func(r *report.Race) {
		found = true
		f(r)
	}
	first.race = func(*report.Race) { t.Error("the first call is in a race") }
	g, h := new(vclock.Thread), new(vclock.Thread)
	instance.Clocks.Start(g)
	instance.Clocks.Start(h)
	defer g.End()
	defer h.End()
	o.End(a, g, first)
	o.End(b, h, second)
	return found
}

// restore has nothing be set, registered or found, for the time of a test.
func restore(t testing.TB) {
	fixture.Clear(t)
	found.closed, shownReports, hiddenReports = false, 0, 0
	t.Cleanup(func() { found.closed = false })
}

// usedRules has a bit for each rule that has matched.
func usedRules() (bits uint64) {
	for i := range option.Suppressions {
		if option.Suppressions[i].Used {
			bits |= 1 << i
		}
	}
	return bits
}
