// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package finding

import (
	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/option"
	"github.com/commutego/commute/internal/engine/report"
	"github.com/commutego/commute/internal/engine/stack"
	"github.com/commutego/commute/internal/engine/text"
)

// The kinds of findings, as lines of the suppressions file have them.
const (
	aboutRace      = "kind:commutativity race"
	aboutCheckAct  = "kind:check-then-act race"
	aboutData      = "kind:data race"
	aboutViolation = "kind:atomicity violation"
	aboutDeadlock  = "kind:deadlock"
	aboutLeak      = "kind:leaked goroutine"
)

// suppressedFrames is option.Suppressed for the functions and files of frames.
func suppressedFrames(l stack.FrameList) (hit bool) {
	if len(option.Suppressions) == 0 {
		return false
	}
	var last host.Frame
	l.Each(func(fr host.Frame) bool {
		if fr.Func != last.Func || fr.File != last.File { // else it is a recursion
			hit = option.Suppressed(fr.Func, fr.File) || hit
			last = fr
		}
		return true
	})
	return hit
}

// suppressedRace reports whether a line matches the declaration, or a frame of the stacks.
func suppressedRace(r *report.Race, f *report.Finding, prefix string) bool {
	hit := option.About(text.Pick(r.Violation != commrace.NoViolation, aboutCheckAct, aboutRace))
	hit = option.Suppressed(f.Decl.Name) || hit
	for _, s := range [...]*stack.Stack{stack.StackOf(r.First.Stack),
		stack.StackOf(r.Second.Stack)} {
		hit = suppressedFrames(stack.FrameList{Stack: s, Prefix: prefix}) || hit
	}
	if f.CheckCode != 0 {
		hit = option.Suppressed(f.Check.Func, f.Check.File) || hit
	}
	return hit
}
