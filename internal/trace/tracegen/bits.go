// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package tracegen

// A bits is a set of small numbers: events or transactions.
type bits struct{ words []uint64 }

func (b *bits) add(i int) {
	for len(b.words) <= i/64 {
		b.words = append(b.words, 0)
	}
	b.words[i/64] |= 1 << (i % 64)
}

func (b *bits) has(i int) bool {
	return i/64 < len(b.words) && b.words[i/64]&(1<<(i%64)) != 0
}

func (b *bits) addAll(c bits) {
	for len(b.words) < len(c.words) {
		b.words = append(b.words, 0)
	}
	for i, w := range c.words {
		b.words[i] |= w
	}
}

// intersects reports whether two sets have a common element.
func (b *bits) intersects(c bits) bool {
	for i := range min(len(b.words), len(c.words)) {
		if b.words[i]&c.words[i] != 0 {
			return true
		}
	}
	return false
}
