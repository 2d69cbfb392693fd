// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package sync

import (
	"runtime"
	"testing"

	"github.com/commutego/commute/internal/engine/deadlock"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/instance"
	"github.com/commutego/commute/internal/engine/option"
)

// BenchmarkLock takes and lets go locks: one alone, one inside of another that is held all the
// time, two of which one is inside of the other, and one inside of each of many in turns.
func BenchmarkLock(b *testing.B) {
	if !host.FramePointers {
		b.Skip("locks are not followed on this port")
	}
	var place deadlock.Place
	runtime.Callers(1, place.PCs[:1])
	inside := func(g *Thread, outer uintptr) {
		take(g, outer, 0, place)
		take(g, firstLock+64, 0, place)
		let(g, firstLock+64, false)
		let(g, outer, false)
	}
	for _, kind := range []struct {
		name string
		held bool
		do   func(g *Thread, i int)
	}{
		{"alone", false, func(g *Thread, _ int) {
			take(g, firstLock+64, 0, place)
			let(g, firstLock+64, false)
		}},
		{"held", true, func(g *Thread, _ int) {
			take(g, firstLock+64, 0, place)
			let(g, firstLock+64, false)
		}},
		{"inside", false, func(g *Thread, _ int) { inside(g, firstLock) }},
		{"many", false, func(g *Thread, i int) { inside(g, firstLock+128+64*uintptr(i*7&255)) }},
	} {
		b.Run(kind.name, func(b *testing.B) {
			option.Parse("deadlock=fail")
			defer option.Reset()
			defer SetOrderClocks(false)
			g := new(Thread)
			g.Reset()
			instance.Clocks.Start(&g.Clock)
			if kind.held {
				take(g, firstLock, 0, place)
			}
			for i := 0; b.Loop(); i++ {
				kind.do(g, i)
			}
			g.Finish()
			Free(firstLock, 1<<16)
		})
	}
}
