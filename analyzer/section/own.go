// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"strings"

	"golang.org/x/tools/go/ssa"
)

// ownObject reports whether the act is on an object that the function has made, and that no other
// goroutine has yet: it is what New returned, for example. The same holds for an object that a
// literal captures, if it has not escaped from the function that made it.
func (p *pair) ownObject() bool {
	if !makes(p.act.term) {
		return false
	}
	for f := p.f; f != nil; f = p.f.in.of[f.Parent()] {
		shared := false
		f.Each(func(instr ssa.Instruction) {
			call, ok := instr.(*ssa.Call)
			if shared || !ok {
				return
			}
			t := f.Term(call).Text
			shared = makes(t) && strings.Contains(p.act.term, t) && p.shares(f, call)
		})
		if shared {
			return false
		}
	}
	return true
}

// shares reports whether others may have, when the act is made, what a function makes.
func (p *pair) shares(f *function, v ssa.Value) bool {
	for _, instr := range f.in.memory.escapeOf(v).at {
		if store, ok := instr.(*ssa.Store); ok && store.Val == v {
			if local, ok := store.Addr.(*ssa.Alloc); ok {
				if p.shares(f, local) {
					return true
				}
				continue
			}
		}
		if f != p.f || f.Reaches(instr, p.act.at, nil) {
			return true
		}
	}
	return f.in.memory.escapeOf(v).ever
}

// makes reports whether a term begins with what the function has made by a call, by its name.
func makes(term string) bool {
	for _, verb := range []string{"New", "Open", "Begin", "Clone"} {
		for rest := term; ; {
			i := strings.Index(rest, "."+verb)
			if i < 0 {
				break
			}
			rest = rest[i+1+len(verb):]
			end := strings.IndexAny(rest, "(.[{")
			if end >= 0 && rest[end] == '(' && (end == 0 || rest[0] < 'a' || rest[0] > 'z') {
				return true
			}
		}
	}
	return false
}
