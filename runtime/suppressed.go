// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package runtime

import "github.com/commutego/commute/internal/engine/host"

// ruledOut is ruleOut for the functions and files of frames.
func (l frameList) ruledOut() (hit bool) {
	if len(rules) == 0 {
		return false
	}
	var last host.Frame
	l.each(func(fr host.Frame) bool {
		if fr.Func != last.Func || fr.File != last.File { // else it's a recursion
			hit = ruleOut(fr.Func, fr.File) || hit
			last = fr
		}
		return true
	})
	return hit
}

// matchRules reports whether a rule matches the declaration, or a frame of the stacks.
func matchRules(r *race, f *finding, prefix string) bool {
	hit := ruleOut(f.decl.name)
	for _, s := range [...]*stack{stackOf(r.First.Stack), stackOf(r.Second.Stack)} {
		hit = frameList{s: s, prefix: prefix}.ruledOut() || hit
	}
	if f.seen != 0 {
		hit = ruleOut(f.check.Func, f.check.File) || hit
	}
	return hit
}
