// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package finding

import (
	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/report"
	"github.com/commutego/commute/internal/engine/source"
	"github.com/commutego/commute/internal/engine/stack"
	"github.com/commutego/commute/internal/engine/text"
)

// looksAgain reports whether one of the calls is the first look of double-checked locking, and the
// other is made by the same function, behind its second look. If the first look came before, it
// would have seen nothing, and there is the second one.
func looksAgain(r *report.Race, prefix string) bool {
	return r.Violation == commrace.NoViolation &&
		(isFirstLook(r, r.First, r.Second, prefix) || isFirstLook(r, r.Second, r.First, prefix))
}

// isFirstLook reports whether a is a first look, and b is made in a's function, or by what that
// calls.
func isFirstLook(r *report.Race, a, b *commrace.Action, prefix string) bool {
	m := &r.Table.Methods[a.Method]
	if m.Role != commrace.Observer || r.Table.Methods[b.Method].Role == commrace.Observer {
		return false
	}
	at := stack.StackOf(a.Stack).Top(prefix)
	again := false
	source.Sites(at, m.Name, func(s *compiled.Site) { again = again || s.Again })
	if !again {
		return false
	}
	inside := false
	stack.FrameList{Stack: stack.StackOf(b.Stack), Prefix: prefix}.Each(func(fr host.Frame) bool {
		inside = fr.Func == at.Func || text.HasPrefix(fr.Func, at.Func) &&
			text.HasPrefix(fr.Func[len(at.Func):], ".func")
		return !inside
	})
	return inside
}
