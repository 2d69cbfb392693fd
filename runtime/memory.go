// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package runtime

import (
	"unsafe"

	"github.com/commutego/commute/check/datarace"
	"github.com/commutego/commute/internal/host"
	"github.com/commutego/commute/internal/offheap"
)

// Wrote reports whether a write to the byte at addr adds nothing to what is recorded.
func (g *Goroutine) Wrote(addr uintptr) bool { return datarace.Wrote(&g.clock, addr) }

// Knew reports whether a read of the byte at addr adds nothing to what is recorded.
func (g *Goroutine) Knew(addr uintptr) bool { return datarace.Knew(&g.clock, addr) }

// Repeats reports whether an access adds nothing to what is recorded.
func (g *Goroutine) Repeats(addr, n uintptr, kind int) bool { return g.memory.Repeats(addr, n, kind) }

// Accesses reports whether accesses by g count: those of who only carries clocks do not.
func (g *Goroutine) Accesses() bool {
	if g == nil || g.carrier {
		return false
	}
	if !g.memory.Started() {
		g.startMemory()
	}
	return true
}

func (g *Goroutine) startMemory() {
	l := g.memory.Start(&g.clock)
	l.Goid = host.Goid()
	l.Creator = g.creator
	l.Origin = uintptr(unsafe.Pointer(g.origin.P()))
	l.Test = uintptr(unsafe.Pointer(g.test.P()))
}

// Access checks an access to n bytes from addr on.
func (g *Goroutine) Access(addr, n uintptr, kind int, site uint32) {
	if r := g.memory.Access(addr, n, kind, site); r.Word != 0 {
		g.dataRace(kind, site, &r)
	}
}

// endMemory ends what g has for its accesses.
func (g *Goroutine) endMemory() {
	if g.memory.Started() {
		g.memory.End()
	}
	if f := g.frames.P(); f != nil {
		framesSlab.Put(f)
		g.frames = offheap.Ref[Frames]{}
	}
}
