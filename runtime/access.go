// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package runtime

import "github.com/commutego/commute/internal/engine/datarace"

// A mop is one side of a data race.
type mop struct {
	wrote bool
	site  uint32
	life  *datarace.GoroutineRecord
	test  *test // that it is charged to
}

// printDataRace writes a report, as the race detector does, and then where the memory is from.
func printDataRace(b *buffer, addr uintptr, first, second *mop) {
	b.texts(ruler, "WARNING: DATA RACE\n")
	second.print(b, "Write", "Read", addr)
	b.text("\n")
	first.print(b, "Previous write", "Previous read", addr)
	second.origin(b)
	if first.life.Goid != second.life.Goid {
		first.origin(b)
	}
	printHome(b, addr)
	b.text(ruler)
}

func (m *mop) print(b *buffer, write, read string, addr uintptr) {
	if m.wrote {
		b.text(write)
	} else {
		b.text(read)
	}
	b.text(" at ")
	b.address(addr)
	b.text(" by ")
	m.who(b, "main goroutine", "goroutine ")
	b.text(":\n")
	frames(b, m.site)
}

func (m *mop) who(b *buffer, main, other string) {
	if m.life.Goid == 1 {
		b.text(main)
		return
	}
	b.text(other)
	b.uint(m.life.Goid)
}

// frames writes the stack of a site.
func frames(b *buffer, site uint32) {
	if l := (frameList{site: site}); l.write(b, 0, true) == 0 {
		b.text("  [no stack]\n")
	}
	if site > datarace.CutOff && isCut(site) {
		b.text("  ...additional frames elided...\n")
	}
}

// origin writes where a goroutine was started.
func (m *mop) origin(b *buffer) {
	if m.life.Goid == 1 {
		return
	}
	b.text("\nGoroutine ")
	b.uint(m.life.Goid)
	if m.life.Ended.Load() != 0 {
		b.text(" (finished)")
	} else {
		b.text(" (running)")
	}
	s := stackOf(m.life.Origin)
	if m.life.Creator == datarace.ByTimer {
		b.text(" was created by a timer (time.AfterFunc)\n")
		return
	}
	b.text(" created at:\n")
	if s != nil {
		frameList{s: s}.write(b, s.elided, true)
	}
}
