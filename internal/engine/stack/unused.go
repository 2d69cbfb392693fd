// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package stack

import (
	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/engine/source"
	"github.com/commutego/commute/internal/engine/text"
)

// Values of stack.use. From resultUnknown on, the use is not known, and the value includes the
// number of registrations at that time.
const (
	resultUsed = 1 + iota
	resultUnused
	resultUnknown
)

// Unused reports whether the result of the call of a method of t that s ends in is not used. That
// may not be known: in a dependency, or if the calls on one line differ. Then the result is taken
// for unused, which may miss a race but raises no false alarm.
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
