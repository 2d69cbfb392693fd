// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package runtime

import (
	"testing"
	"unsafe"

	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/finding"
	"github.com/commutego/commute/internal/engine/fixture"
)

// TestOpen makes calls of an open type: they hide nothing, and they race by what was known before.
func TestOpen(t *testing.T) {
	fixture.Clear(t)
	spec := &commrace.Spec{Of: fixture.OpenSpec()}
	g, h := Main(), Main()
	defer g.Exit()
	defer h.Exit()
	var obj [1]int
	for i, caller := range []*Goroutine{g, h, g} {
		values := []any{"k", i, nil, false}
		c := fixture.CallOf(fixture.Store, values...)
		c.Spec, c.Obj = spec, unsafe.Pointer(&obj)
		if caller.Begin(c); caller.InCall {
			t.Error("the call hides what it does")
		}
		caller.Leave(c)
		if caller.Resume(c); caller.InCall {
			t.Error("the call hides what it does after a callback")
		}
		if i == 2 {
			c.State = 0 // it panics
		}
		caller.End(c)
	}
	n, _, last := finding.Reports()
	if n == 0 || last.Method != [2]uint32{fixture.Store, fixture.Store} || last.Count != 1 {
		t.Errorf("%d findings", n)
	}
}

// TestInnerCallHolds has a call in another call, which may take effect by it: so the inner call
// holds the epoch of the outer one.
func TestInnerCallHolds(t *testing.T) {
	fixture.Clear(t)
	spec := &commrace.Spec{Of: &fixture.MapSpec}
	g := Main()
	defer g.Exit()
	var outer, inner [1]int
	c, d := fixture.CallOf(fixture.Store, "k", 1, nil, false), fixture.CallOf(fixture.Store, "k", 1,
		nil, false)
	c.Spec, c.Obj = spec, unsafe.Pointer(&outer)
	d.Spec, d.Obj = spec, unsafe.Pointer(&inner)
	g.Begin(c)
	if g.Clock.Held() != 0 {
		t.Error("a call that has done nothing holds an epoch")
	}
	g.Begin(d)
	g.End(d)
	if g.Clock.Held() == 0 || !g.InCall {
		t.Error("the call inside leaves no trace, or ends the outer one")
	}
	g.End(c)
	if g.Clock.Held() != 0 || g.InCall {
		t.Error("the call goes on")
	}
}

// TestBorrows has a goroutine with many events get a larger stack, and one that starts then begin
// with a small one again.
func TestBorrows(t *testing.T) {
	for range 2 { // the second time with the context of the first
		g := newGoroutine()
		n := 0
		for Borrows(g) {
			if n++; n > 1000 {
				t.Fatal("it never gets a larger stack")
			}
		}
		if n != maxBorrowed || Borrows(g) {
			t.Fatalf("it has borrowed the system stack %d times, want %d", n, maxBorrowed)
		}
		goroutines.Put(g)
	}
}
