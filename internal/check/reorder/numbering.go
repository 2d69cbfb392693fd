// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package reorder

// A numbering gives local numbers, from 0 on, in the order in which they are asked for. It is a
// hash table with open addressing: there are very many segments, most of them small.
type numbering struct {
	keys  []uint32
	local []int32 // 1 and the number; 0 where there is none
	n     int     // how many there are
}

// find is the place of a number of the trace, or that where it would be.
func (t *numbering) find(global uint32) int {
	mask := len(t.keys) - 1
	i := int(global*0x9e3779b1>>7) & mask
	for t.local[i] != 0 && t.keys[i] != global {
		i = (i + 1) & mask
	}
	return i
}

// of is the local number of one of the trace, which may be a new one.
func (t *numbering) of(global uint32) int32 {
	if 2*(t.n+1) > len(t.keys) {
		t.grow()
	}
	i := t.find(global)
	if t.local[i] == 0 {
		t.n++
		t.keys[i], t.local[i] = global, int32(t.n)
	}
	return t.local[i] - 1
}

// get is of without a new one.
func (t *numbering) get(global uint32) (n int32, ok bool) {
	if t.n == 0 {
		return 0, false
	}
	n = t.local[t.find(global)] - 1
	return n, n >= 0
}

func (t *numbering) grow() {
	old := *t
	size := max(16, 2*len(old.keys))
	t.keys, t.local = make([]uint32, size), make([]int32, size)
	for i, n := range old.local {
		if n != 0 {
			at := t.find(old.keys[i])
			t.keys[at], t.local[at] = old.keys[i], n
		}
	}
}
