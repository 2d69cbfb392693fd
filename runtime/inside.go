// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package runtime

import "github.com/commutego/commute/internal/engine/offheap"

// hidden reports whether g is in a call, its own or one that it works for.
func (g *Thread) hidden() bool { return g.inCall || !g.outer.Nil() && g.inside() }

// scope is whose call g is in, if it is hidden.
func (g *Thread) scope() *Thread {
	if g.inCall {
		return g
	}
	return g.outer.P()
}

// inside reports whether g works for a call that another goroutine is making: whose end it may be
// waited for by means that are that call's own, and hidden.
func (g *Thread) inside() bool {
	o := g.outer.P()
	if o == nil || g.away {
		return false
	}
	if o.calls.Load() != g.within {
		g.outer = offheap.Ref[Thread]{}
		return false
	}
	return true
}

// testNumber is the number of g's test, 0 if it has none.
func (g *Thread) testNumber() uint32 {
	if g.test.Nil() {
		return 0
	}
	return g.test.P().number
}
