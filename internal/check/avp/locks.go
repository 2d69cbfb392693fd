// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package avp

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/commutego/commute/internal/check/reorder"
)

// A guard is a lock that a thread holds.
type guard struct {
	lock   int32
	shared bool
}

// A lockTable numbers sets of locks. The empty one is 0.
type lockTable struct {
	sets   [][]guard
	number map[string]int32
	both   map[[2]int32]int32 // results of common
}

func newLockTable() lockTable {
	return lockTable{[][]guard{nil}, map[string]int32{"": 0}, make(map[[2]int32]int32)}
}

// of is the number of a set.
func (t *lockTable) of(list []guard) int32 {
	sorted := slices.Clone(list)
	slices.SortFunc(sorted, func(g, h guard) int { return cmp.Compare(g.lock, h.lock) })
	var key []byte
	for _, g := range sorted {
		n := uint32(g.lock) << 1
		if g.shared {
			n++
		}
		key = binary.LittleEndian.AppendUint32(key, n)
	}
	n, ok := t.number[string(key)]
	if !ok {
		n = int32(len(t.sets))
		t.sets = append(t.sets, sorted)
		t.number[string(key)] = n
	}
	return n
}

// common is a lock of two sets that two threads can't hold both, or None. Of several it is the one
// that was taken first in the segment: mostly the outermost. Which it is goes by the common ones
// alone, so that two steps have sections of the same lock.
func (t *lockTable) common(a, b int32) int32 {
	if a == 0 || b == 0 {
		return reorder.None
	}
	key := [2]int32{min(a, b), max(a, b)}
	lock, ok := t.both[key]
	if ok {
		return lock
	}
	lock = reorder.None
	for _, g := range t.sets[a] {
		if lock == reorder.None && slices.ContainsFunc(t.sets[b], func(h guard) bool {
			return g.lock == h.lock && !(g.shared && h.shared)
		}) {
			lock = g.lock
		}
	}
	t.both[key] = lock
	return lock
}
