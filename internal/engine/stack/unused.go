// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package stack

import (
	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/engine/source"
	"github.com/commutego/commute/internal/engine/text"
)

// Values of stack.use; from here on, it is not known, and the number of registrations at that
// time is added.
const (
	resultUsed = 1 + iota
	resultUnused
	resultUnknown
)

// Unused reports whether the result of the call of a method of t that s ends in is not used.
// Where that isn't known, in a dependency, or of calls on one line only for some, it is taken for
// unused: rather miss a race than cry wolf.
func (s *Stack) Unused(t *commrace.Table, method string) bool {
	if s == nil {
		return true
	}
	use := s.use.Load()
	if use == 0 || use >= resultUnknown {
		source.Registered.Lock.Lock()
		if n := resultUnknown + source.Registered.N.Load(); use != n {
			use = s.askUse(t, method, n)
			s.use.Store(use)
		}
		source.Registered.Lock.Unlock()
	}
	return use != resultUsed
}

// askUse looks the call up in what is registered.
func (s *Stack) askUse(t *commrace.Table, method string, unknown uint32) uint32 {
	b := text.Buffers.Get()
	fr := s.Top(FrameOf(t, b))
	text.Buffers.Put(b)
	use := unknown
	source.Sites(fr, method, func(site *compiled.Site) {
		switch {
		case site.Unused:
			use = resultUnused
		case use == unknown:
			use = resultUsed
		}
	})
	return use
}
