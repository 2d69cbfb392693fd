// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package runtime

import "github.com/commutego/commute/internal/engine/commrace"

// Values of stack.use; from here on, it is not known, and the number of registrations at that time is added.
const (
	resultUsed = 1 + iota
	resultUnused
	resultUnknown
)

// unused reports whether the result of the call of a method of t that s ends in is not used. Where that
// isn't known, in a dependency, or of calls on one line only for some, it is taken for unused: rather miss
// a race than cry wolf.
func (s *stack) unused(t *commrace.Table, method string) bool {
	if s == nil {
		return true
	}
	use := s.use.Load()
	if use == 0 || use >= resultUnknown {
		registered.lock.Lock()
		if n := resultUnknown + registered.n.Load(); use != n {
			use = s.askUse(t, method, n)
			s.use.Store(use)
		}
		registered.lock.Unlock()
	}
	return use != resultUsed
}

// askUse looks the call up in what is registered.
func (s *stack) askUse(t *commrace.Table, method string, unknown uint32) uint32 {
	b := buffers.Get()
	fr := s.top(frameOf(t, b))
	buffers.Put(b)
	use := unknown
	sites("site", fr, method, func(string) { use = resultUsed })
	sites("unused", fr, method, func(string) { use = resultUnused })
	return use
}
