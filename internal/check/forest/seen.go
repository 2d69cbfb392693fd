// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package forest

// A seen is a hash table of numbers that is emptied in O(1). Of a thread it has the accesses of the
// present unit, or those outside of units in the present stretch.
type seen struct {
	entries    []seenEntry // a power of two of them
	used       int
	generation uint32 // entries of another one are free
}

type seenEntry struct {
	key        seenKey
	generation uint32
	n          uint32
}

type seenKey struct{ within, item, kind uint32 }

// clear empties the table.
func (s *seen) clear() {
	s.used = 0
	if s.generation++; s.generation == 0 {
		clear(s.entries)
		s.generation = 1
	}
}

// at is the number of a key, 0 at first. It's good until the next call.
func (s *seen) at(k seenKey) *uint32 {
	if 2*s.used >= len(s.entries) {
		s.grow()
	}
	e := s.find(k)
	if e.generation != s.generation {
		*e = seenEntry{key: k, generation: s.generation}
		s.used++
	}
	return &e.n
}

func (s *seen) find(k seenKey) *seenEntry {
	mask := uint32(len(s.entries) - 1)
	h := (k.within*0x9e3779b1 ^ k.item*0x85ebca77 ^ k.kind*0xc2b2ae3d)
	for h ^= h >> 15; ; h++ {
		e := &s.entries[h&mask]
		if e.generation != s.generation || e.key == k {
			return e
		}
	}
}

func (s *seen) grow() {
	old := s.entries
	s.entries = make([]seenEntry, max(16, 2*len(old)))
	if s.generation == 0 {
		s.generation = 1
	}
	for i := range old {
		if old[i].generation == s.generation {
			*s.find(old[i].key) = old[i]
		}
	}
}
