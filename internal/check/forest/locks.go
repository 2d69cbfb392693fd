// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package forest

import (
	"encoding/binary"
	"slices"
)

// A lockSet is the number of a set of locks that a thread holds. 0 is the empty one.
type lockSet uint32

// A held is a lock that a thread holds, from one acquire to the release of it.
type held struct {
	lock   uint32
	read   bool   // it excludes writers only
	serial uint32 // the section, among those of the thread
	under  *frame // what was held when it was taken
}

// excludes reports whether two threads can't hold h and o at once.
func (h held) excludes(o held) bool { return h.lock == o.lock && !(h.read && o.read) }

// A lockTable numbers sets of locks.
type lockTable struct {
	sets   [][]held           // by number, in the order in which they were first taken
	number map[string]lockSet // by the sorted locks
	moves  map[move]lockSet   // known results of of
	common map[[2]lockSet]int64
	chosen map[string]uint32 // of a set of common locks: the one by which nodes are made
}

// A move is from a set of locks to that with one more, or one less.
type move struct {
	from lockSet
	lock uint32
	read bool
}

func newLockTable() lockTable {
	return lockTable{
		sets: [][]held{nil}, number: map[string]lockSet{"": 0}, moves: make(map[move]lockSet),
		common: make(map[[2]lockSet]int64), chosen: make(map[string]uint32),
	}
}

// keyOf is a key for a set of locks, in whatever order.
func keyOf(list []held) string {
	var buf [64]byte
	sorted := slices.Clone(list)
	slices.SortFunc(sorted, func(a, b held) int { return int(a.lock) - int(b.lock) })
	key := buf[:0]
	for _, h := range sorted {
		key = binary.LittleEndian.AppendUint32(key, h.lock)
		if h.read {
			key = append(key, 1)
		} else {
			key = append(key, 0)
		}
	}
	return string(key)
}

// of is the number of a set of locks, which is another one with h added or taken away.
func (t *lockTable) of(list []held, from lockSet, h held) lockSet {
	m := move{from, h.lock, h.read}
	n, ok := t.moves[m]
	if ok {
		return n
	}
	key := keyOf(list)
	n, ok = t.number[key]
	if !ok {
		n = lockSet(len(t.sets))
		t.number[key] = n
		t.sets = append(t.sets, slices.Clone(list))
	}
	t.moves[m] = n
	return n
}

// choose is the lock by which accesses under a and b have nodes, if they have a common lock.
func (t *lockTable) choose(a, b lockSet) (lock uint32, ok bool) {
	if a == 0 || b == 0 {
		return 0, false
	}
	if a > b {
		a, b = b, a
	}
	key := [2]lockSet{a, b}
	c, known := t.common[key]
	if !known {
		c = t.find(a, b)
		t.common[key] = c
	}
	return uint32(c), c >= 0
}

// find is choose for two sets that were not compared before; -1 stands for no lock. The choice
// depends on the set of common locks only.
func (t *lockTable) find(a, b lockSet) int64 {
	var both []held
	for _, h := range t.sets[a] {
		if slices.ContainsFunc(t.sets[b], h.excludes) {
			both = append(both, held{lock: h.lock})
		}
	}
	if both == nil {
		return -1
	}
	key := keyOf(both)
	lock, ok := t.chosen[key]
	if !ok {
		lock = both[0].lock
		t.chosen[key] = lock
	}
	return int64(lock)
}
