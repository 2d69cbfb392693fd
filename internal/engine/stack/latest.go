// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package stack

import "github.com/commutego/commute/internal/engine/offheap"

// Most go statements are executed again and again with the same callers. To compare the frames with
// those of the last stack takes a few instructions each, and to look the stack up takes many.

const logLatest = 6

// latest are the last stacks, by a hash of their two innermost return addresses.
var latest [1 << logLatest]offheap.AtomicRef[Stack]

// Latest is where the last stack is kept whose two innermost return addresses are these, or are
// others with the same hash. All goroutines read and write there, as stacks stay for ever.
func Latest(inner, outer uintptr) *offheap.AtomicRef[Stack] {
	h := (uint64(inner) + uint64(outer)<<1) * 0x9E3779B97F4A7C15
	return &latest[h>>(64-logLatest)]
}

// Whole reports whether no frame of a stack is left out; a nil stack has none.
func (s *Stack) Whole() bool { return s != nil && s.Elided == 0 }
