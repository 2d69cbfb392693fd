// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package runtime

import (
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/recorder"
	"github.com/commutego/commute/internal/engine/tests"
	"github.com/commutego/commute/internal/engine/text"
	"github.com/commutego/commute/internal/event"
)

// TestBegin notes that package testing starts a test of a name on g. Root says that all other tests
// are part of this one.
func (g *Goroutine) TestBegin(root bool, name string) {
	if root || !g.Test.Nil() && g.Test.P().Runner.Load() == g.Handle() {
		return // a benchmark is begun again for every b.N
	}
	t := tests.All.Add()
	b := text.Buffers.Get()
	b.Reset()
	b.Text(name)
	t.Name = b.Kept()
	text.Buffers.Put(b)
	t.Outer = g.Test
	t.Runner.Store(g.Handle())
	g.Test = offheap.To(t)
	if recorder.On() {
		g.RecordTest(name)
	}
	g.RestartMemory() // its accesses until now were not this test's
}

// endTest is for the end of g: if g ran a test's function, that has ended.
func (g *Goroutine) endTest() {
	t := g.Test.P()
	if t == nil || t.Runner.Load() != g.Handle() {
		return
	}
	t.Runner.Store(0) // another goroutine will have this handle
	if g.InTrace.Number != 0 {
		recorder.StepOf(event.TestEnd, &g.InTrace, 0, t.Number)
	}
}
