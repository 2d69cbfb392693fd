// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package sync

import (
	"github.com/commutego/commute/internal/engine/offheap"
)

// Hidden reports whether g is in a call, its own or one that it works for.
func (g *Thread) Hidden() bool { return g.InCall || !g.Outer.Nil() && g.Inside() }

// scope is whose call g is in, if it is hidden.
func (g *Thread) scope() *Thread {
	if g.InCall {
		return g
	}
	return g.Outer.P()
}

// Inside reports whether g works for a call that another goroutine is making: whose end it may be
// waited for by means that are that call's own, and hidden.
func (g *Thread) Inside() bool {
	o := g.Outer.P()
	if o == nil || g.Away {
		return false
	}
	if o.Calls.Load() != g.within {
		g.Outer = offheap.Ref[Thread]{}
		return false
	}
	return true
}

// TestNumber is the number of g's test, 0 if it has none.
func (g *Thread) TestNumber() uint32 {
	if g.Test.Nil() {
		return 0
	}
	return g.Test.P().Number
}
