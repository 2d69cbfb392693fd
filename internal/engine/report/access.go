// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package report

import (
	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/engine/datarace"
	"github.com/commutego/commute/internal/engine/stack"
	"github.com/commutego/commute/internal/engine/tests"
	"github.com/commutego/commute/internal/engine/text"
)

// An Access is one side of a data race.
type Access struct {
	Wrote     bool
	Site      uint32
	Goroutine *datarace.GoroutineRecord
	Test      *tests.Test // the test that it is charged to
}

// PrintDataRace writes a report, as the race detector does, and then the location of the memory.
func PrintDataRace(b *text.Buffer, addr uintptr, first, second *Access) {
	b.Texts(Ruler, "WARNING: DATA RACE\n")
	second.print(b, "Write", "Read", addr)
	b.Text("\n")
	first.print(b, "Previous write", "Previous read", addr)
	second.printOrigin(b)
	if first.Goroutine.Goid != second.Goroutine.Goid {
		first.printOrigin(b)
	}
	printRaceLocation(b, addr, first.at(), second.at())
	b.Text("\n")
	printPage(b, "data race")
	b.Text(Ruler)
}

// at is where and how it accesses memory.
func (m *Access) at() accessAt {
	if m.Wrote {
		return accessAt{m.Site, compiled.Writes}
	}
	return accessAt{m.Site, compiled.Reads}
}

// RacedVariable is the name of the variable or field that two accesses are of, "" if that is not
// sure.
func RacedVariable(addr uintptr, first, second *Access) string {
	name, _ := variableAt(addr, first.at(), second.at())
	return name
}

// print writes an access with its stack; write and read are what it is called.
func (m *Access) print(b *text.Buffer, write, read string, addr uintptr) {
	if m.Wrote {
		b.Text(write)
	} else {
		b.Text(read)
	}
	b.Text(" at ")
	b.Address(addr)
	b.Text(" by ")
	m.printGoroutine(b, "main goroutine", "goroutine ")
	b.Text(":\n")
	PrintFrames(b, m.Site)
}

// printGoroutine names the goroutine: main is what the main goroutine is called.
func (m *Access) printGoroutine(b *text.Buffer, main, other string) {
	if m.Goroutine.Goid == 1 {
		b.Text(main)
		return
	}
	b.Text(other)
	b.Uint(m.Goroutine.Goid)
}

// PrintFrames writes the stack of a site.
func PrintFrames(b *text.Buffer, site uint32) {
	if l := (stack.FrameList{Site: site}); l.Write(b, 0, true) == 0 {
		b.Text("  [no stack]\n")
	}
	if site > datarace.CutOff && stack.IsCut(site) {
		b.Text("  ...additional frames elided...\n")
	}
}

// printOrigin writes where the goroutine was started.
func (m *Access) printOrigin(b *text.Buffer) {
	if m.Goroutine.Goid == 1 {
		return
	}
	b.Text("\nGoroutine ")
	b.Uint(m.Goroutine.Goid)
	if m.Goroutine.Ended.Load() != 0 {
		b.Text(" (finished)")
	} else {
		b.Text(" (running)")
	}
	s := stack.StackOf(m.Goroutine.Origin)
	if m.Goroutine.Creator == datarace.ByTimer {
		b.Text(" was created by a timer (time.AfterFunc)\n")
		return
	}
	b.Text(" created at:\n")
	if s != nil {
		stack.FrameList{Stack: s}.Write(b, s.Elided, true)
	}
}
