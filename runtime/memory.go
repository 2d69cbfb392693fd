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

// An Event is an access to memory, as it's handed on.
type Event struct {
	Addr, Size uintptr
	Kind       int     // as package datarace has it
	PC, SP     uintptr // where it is made
	By         uintptr // the function of the runtime that makes it, if it's one
	FP         uintptr // where the search for the callers begins
	Site       uint32  // their site
	Raced      bool    // it races with the access that race tells of
	race       datarace.Race
}

// Event is g's last.
func (g *Goroutine) Event() *Event { return &g.event }

// Access checks g's last event.
func (g *Goroutine) Access() {
	e := &g.event
	if e.Size == 1 {
		e.race = g.memory.AccessByte(e.Addr, e.Kind, e.Site)
	} else {
		e.race = g.memory.Access(e.Addr, e.Size, e.Kind, e.Site)
	}
	e.Raced = e.race.Word != 0
}

// Report reports the race of the last event.
func (g *Goroutine) Report() {
	if g.memory.Rival() != nil {
		g.dataRace(g.event.Kind, g.event.Site, &g.event.race)
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
