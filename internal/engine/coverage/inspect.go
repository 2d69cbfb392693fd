// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build !commute_bundle

package coverage

import "github.com/commutego/commute/internal/engine/offheap"

// Forget has nothing be known. It is for tests.
func Forget() {
	known.types, known.ids = 0, 0
	known.numbers, known.operations, known.pairs = offheap.Memo{}, offheap.Memo{}, offheap.Memo{}
	known.first.Store(nil)
	known.firstPair.Store(nil)
}

// Each calls f for each pair that was run: the kinds and sites of its operations, and what was seen
// of the two. It is for tests.
func Each(f func(kinds [2]uint32, sites [2]uintptr, state uint32)) {
	for p := known.firstPair.Load(); p != nil; p = p.next.P() {
		a, b := p.first.P(), p.second.P()
		f([2]uint32{a.kind, b.kind}, [2]uintptr{a.site, b.site}, p.state.Load())
	}
}
