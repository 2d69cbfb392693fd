// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package avp

import "math/bits"

// A key stands for a state. Two states may have one key, with a chance of 2^-128: then a prediction
// is lost, for each that is made is validated.
type key [2]uint64

// A seenSet is a set of keys: a hash table with open addressing.
type seenSet struct {
	table []key
	n     int
}

// add adds a key and reports whether it was not there.
func (s *seenSet) add(k key) bool {
	if k == (key{}) {
		k[0] = 1
	}
	if 4*(s.n+1) > 3*len(s.table) {
		old := s.table
		s.table = make([]key, max(64, 2*len(old)))
		s.n = 0
		for _, o := range old {
			if o != (key{}) {
				s.add(o)
			}
		}
	}
	mask := uint64(len(s.table) - 1)
	for i := k[0] & mask; ; i = (i + 1) & mask {
		switch s.table[i] {
		case key{}:
			s.table[i] = k
			s.n++
			return true
		case k:
			return false
		}
	}
}

// reset empties the set.
func (s *seenSet) reset() {
	clear(s.table)
	s.n = 0
}

// put adds a number to a key.
func (k *key) put(x uint64) {
	k[0] = (k[0] ^ x) * 0x9e3779b97f4a7c15
	k[0] ^= k[0] >> 32
	k[1] = bits.RotateLeft64(k[1], 27)*0xbf58476d1ce4e5b9 + x
}

// toggle adds a number to a key of a set of numbers, or takes it away.
func (k *key) toggle(x uint64) {
	z := mix(x)
	k[0] ^= z
	k[1] ^= mix(z)
}

// mix is the finalizer of splitmix64.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
