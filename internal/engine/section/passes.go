// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import "github.com/commutego/commute/internal/engine/compiled"

// Passes does the work of Note for a touch, if that doesn't depend on the touch's address, and
// reports whether it did. Then the caller need not compute the address or any value of the touch.
// Recording says that a trace is recorded, in which the place of a touch may matter.
//
// Most touches pass: those outside of sections that only read, those in sections that are not
// recorded, and all of them before the first section with a touch.
func Passes(t *Thread, p *compiled.SectionTouch, recording bool) bool {
	s := t.state.P()
	switch {
	case s == nil || !s.section.on:
		if writes(p.Op) {
			return !recording && (t.world.Nil() || t.world.P().tracked.begun.Load() == 0) &&
				(s == nil || p.Hot.Load() != paired)
		}
		if s != nil && hides(s) {
			if recording {
				return false // the trace has it, too
			}
			hide(s)
		}
		t.passing = readOps<<(cold*opBits) | readOps<<(recorded*opBits)
		return s == nil || p.Hot.Load() != paired
	case s.section.alone && !recording:
		s.section.wrote = s.section.wrote || writes(p.Op)
		s.section.n = 1
		t.passing = readOps<<(cold*opBits) | readOps<<(recorded*opBits) | readOps<<(paired*opBits)
		if s.section.wrote {
			t.passing = ^uint64(0)
		}
		return true
	}
	return false
}

// Quiet reports whether a touch is known to pass, with nothing to note. It is true for all reads of
// a goroutine until its next section begins, and for most touches of a section that is not
// recorded. The caller must check that no trace is recorded. It is inlined.
func Quiet(t *Thread, p *compiled.SectionTouch) bool {
	return t.passing>>((p.Hot.Load()*opBits+uint32(p.Op))&63)&1 != 0
}

const opBits = 16 // there is room for so many operations
