// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package aerodrome

import "math/bits"

// A threadSet is a set of threads, with a bit for each. The first 64 are in a word of their own, so
// that most sets need no memory beside the struct.
type threadSet struct {
	low  uint64
	high []uint64 // from thread 64
}

// add adds a thread.
func (s *threadSet) add(t uint32) {
	if t < 64 {
		s.low |= 1 << t
		return
	}
	i := int(t/64) - 1
	for len(s.high) <= i {
		s.high = append(s.high, 0)
	}
	s.high[i] |= 1 << (t % 64)
}

// has reports whether t is in the set.
func (s *threadSet) has(t uint32) bool {
	if t < 64 {
		return s.low>>t&1 != 0
	}
	i := int(t/64) - 1
	return i < len(s.high) && s.high[i]>>(t%64)&1 != 0
}

// remove removes a thread. The words stay, as the thread will mostly be added again.
func (s *threadSet) remove(t uint32) {
	if t < 64 {
		s.low &^= 1 << t
	} else if i := int(t/64) - 1; i < len(s.high) {
		s.high[i] &^= 1 << (t % 64)
	}
}

func (s *threadSet) addAll(other *threadSet) { other.addMissing(s, func(uint32) {}) }

// each calls yield for the threads of s.
func (s *threadSet) each(yield func(uint32)) {
	each(s.low, 0, yield)
	for i, word := range s.high {
		each(word, uint32(i+1)*64, yield)
	}
}

// anyHigh reports whether ok holds for a thread of s that is 64 or more.
func (s *threadSet) anyHigh(ok func(uint32) bool) bool {
	found := false
	for i, word := range s.high {
		each(word, uint32(i+1)*64, func(t uint32) { found = found || ok(t) })
	}
	return found
}

func (s *threadSet) empty() bool { return s.low == 0 && s.noHigh() }

// noHigh reports whether all threads of the set are below 64.
func (s *threadSet) noHigh() bool {
	for _, word := range s.high {
		if word != 0 {
			return false
		}
	}
	return true
}

// addMissing adds the threads of s to other, and calls yield for those that other didn't have.
func (s *threadSet) addMissing(other *threadSet, yield func(uint32)) {
	each(s.low&^other.low, 0, yield)
	other.low |= s.low
	for i, word := range s.high {
		if word == 0 {
			continue
		}
		for len(other.high) <= i {
			other.high = append(other.high, 0)
		}
		each(word&^other.high[i], uint32(i+1)*64, yield)
		other.high[i] |= word
	}
}

// each calls yield for the bits of a word; bit 0 is thread base.
func each(word uint64, base uint32, yield func(uint32)) {
	for ; word != 0; word &= word - 1 {
		yield(base + uint32(bits.TrailingZeros64(word)))
	}
}
