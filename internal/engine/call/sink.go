// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package call

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/finding"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/report"
	"github.com/commutego/commute/internal/engine/stack"
	"github.com/commutego/commute/internal/engine/sync"
	"github.com/commutego/commute/internal/engine/text"
)

// The methods below are those of commrace.Sink: what package commrace asks while it checks a call.

// Capture fills in what package commrace doesn't know of an action: where it was made, and by which
// goroutine and test. It also keeps the text of arguments that may change.
func (g *Caller) Capture(a *commrace.Action, args unsafe.Pointer) {
	var pcs [stack.MaxDepth + stack.Outermost]uintptr
	n, elided := host.Callers(pcs[:], stack.Outermost)
	a.Stack = uintptr(unsafe.Pointer(stack.All.PutFrom(a.At.Site, pcs[:n], elided)))
	a.Elided = uint32(elided)
	a.Origin = uintptr(unsafe.Pointer(g.Origin.P()))
	a.Goid = host.Goid()
	a.Creator = g.Creator
	a.Owner = uintptr(unsafe.Pointer(g.Test.P()))
	text.Keep(a, args)
}

// Recapture keeps the text of arguments that may change, if there are any, and charges a later call
// to g's test.
func (g *Caller) Recapture(a *commrace.Action, args unsafe.Pointer) {
	a.Owner = uintptr(unsafe.Pointer(g.Test.P()))
	if args != nil {
		text.Keep(a, args)
	}
}

// Unused reports whether the result of a captured action's call is used nowhere, as far as its
// package has registered that.
func (g *Caller) Unused(t *commrace.Table, a *commrace.Action) bool {
	return stack.StackOf(a.Stack).Unused(t, t.Methods[a.Method].Name)
}

// Race reports a race that a call of g closes.
func (g *Caller) Race(o *commrace.Object, r commrace.Race) {
	finding.Race(&report.Race{Addr: sync.ObjectOf(o).Addr.Load(), Table: o.Table(), Race: r})
}

// Decides reports whether act, if it follows check on its goroutine, depends on what that returned.
// If act is nil, any act will do.
func (g *Caller) Decides(t *commrace.Table, check, act *commrace.Action) bool {
	return stack.Decides(t, check, act)
}

// SameCheck reports whether another goroutine's call is the same check of the same act.
func (g *Caller) SameCheck(t *commrace.Table, check, act, other *commrace.Action) bool {
	return stack.SameCheck(t, check, act, other)
}
