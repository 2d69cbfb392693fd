// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package runtime

import (
	"unsafe"

	"github.com/commutego/commute/check/datarace"
	"github.com/commutego/commute/internal/host"
	"github.com/commutego/commute/internal/offheap"
)

// Now stands for g's present moment.
func (g *Goroutine) Now() uint64 { return g.line.P().Current() }

// Repeats reports whether an access adds nothing to what is recorded.
func (g *Goroutine) Repeats(addr, n uintptr, kind int) bool {
	return datarace.Repeats(g.Now(), addr, n, kind)
}

// Accesses reports whether accesses by g count: those of who only carries clocks do not.
func (g *Goroutine) Accesses() bool {
	if g == nil || g.carrier {
		return false
	}
	g.isSplit()
	if !g.memory.Started() {
		g.startMemory()
	}
	if g.frames.Nil() {
		g.NewFrames()
	}
	return true
}

func (g *Goroutine) startMemory() {
	l := g.memory.Start(g.line.P())
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

// AccessByte is Access for one byte.
func (g *Goroutine) AccessByte(addr uintptr, kind int, site uint32) {
	if r := g.memory.AccessByte(addr, kind, site); r.Word != 0 {
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
