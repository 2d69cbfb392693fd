// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package advice

import (
	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/stack"
)

// A Stack is the frames of a stack, innermost first: those of Of, if it is not nil, or else List. It
// is no iterator function, as package runtime must not allocate closures on the heap.
type Stack struct {
	Of   *stack.Stack
	List []host.Frame
}

// each calls f for the frames until f returns false.
func (s *Stack) each(f func(fr host.Frame) bool) {
	if s.Of != nil {
		stack.FrameList{Stack: s.Of}.Each(f)
		return
	}
	for _, fr := range s.List {
		if !f(fr) {
			return
		}
	}
}

// SectionLines are where a function checks, and acts, itself or by a call. A function may call one
// helper at several lines, and all these calls make one pair, which has the lines of one of them.
// The stacks tell which call it was.
func SectionLines(p *compiled.SectionPair, check, act *Stack) (from, to compiled.Line) {
	from, to = lineOr(p.CheckBy, p.Check), lineOr(p.ActBy, p.Act)
	return lineOf(check, from, act, to), lineOf(act, to, check, from)
}

func lineOr(by compiled.Line, t *compiled.SectionTouch) compiled.Line {
	if by.Number == 0 {
		return t.At
	}
	return by
}

// lineOf is where the function makes an event: at the line of the pair, if that is in the event's
// stack; else where that stack has the function that the other event's stack has at its line.
func lineOf(of *Stack, at compiled.Line, other *Stack, otherAt compiled.Line) compiled.Line {
	if functionAt(of, at) != "" {
		return at
	}
	fn := functionAt(other, otherAt)
	if fn == "" {
		return at
	}
	of.each(func(fr host.Frame) bool {
		if fr.Func != fn {
			return true
		}
		at = compiled.Line{File: fr.File, Number: fr.Line}
		return false
	})
	return at
}

// functionAt is the function that a stack has at a line, empty if it has none there.
func functionAt(of *Stack, at compiled.Line) (fn string) {
	of.each(func(fr host.Frame) bool {
		if fr.File == at.File && fr.Line == at.Number {
			fn = fr.Func
		}
		return fn == ""
	})
	return fn
}
