// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package report

import (
	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/section"
	"github.com/commutego/commute/internal/engine/stack"
)

// A function may call one helper at several lines, and all these calls make one pair, which has the
// line of one. The stacks tell which call it was.

// CheckLine and ActLine are where the function checks, and acts, itself or by a call.
func (s *Sections) CheckLine() compiled.Line {
	check, act := s.planned()
	return lineOf(&s.Check, check, &s.Act, act)
}

// ActLine is described at CheckLine.
func (s *Sections) ActLine() compiled.Line {
	check, act := s.planned()
	return lineOf(&s.Act, act, &s.Check, check)
}

// planned are the lines of the pair.
func (s *Sections) planned() (check, act compiled.Line) {
	return lineOr(s.Pair().CheckBy, s.Check.Touch.P()), lineOr(s.Pair().ActBy, s.Act.Touch.P())
}

func lineOr(by compiled.Line, t *compiled.SectionTouch) compiled.Line {
	if by.Number == 0 {
		return t.At
	}
	return by
}

// lineOf is where the function makes an event: at the line of the pair, if that is in the event's
// stack; else where that stack has the function that the other event's stack has at its line.
func lineOf(e *section.Event, at compiled.Line, other *section.Event,
	otherAt compiled.Line) compiled.Line {
	if functionAt(e, at) != "" {
		return at
	}
	fn := functionAt(other, otherAt)
	if fn == "" {
		return at
	}
	eachFrame(e, func(fr host.Frame) bool {
		if fr.Func != fn {
			return true
		}
		at = compiled.Line{File: fr.File, Number: fr.Line}
		return false
	})
	return at
}

// functionAt is the function that an event's stack has at a line, empty if it has none there.
func functionAt(e *section.Event, at compiled.Line) (fn string) {
	eachFrame(e, func(fr host.Frame) bool {
		if fr.File == at.File && fr.Line == at.Number {
			fn = fr.Func
		}
		return fn == ""
	})
	return fn
}

// eachFrame calls f for the frames of an event's stack, innermost first, until f returns false.
func eachFrame(e *section.Event, f func(fr host.Frame) bool) {
	if st := stack.StackOf(e.Stack); st != nil {
		stack.FrameList{Stack: st}.Each(f)
	}
}
