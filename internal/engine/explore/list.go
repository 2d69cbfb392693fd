// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
)

// A list is a list of numbers off the heap. Elements are added at its end, and taken out anywhere:
// the first and the last one at once, others by moving those before or those behind, whichever are
// fewer.
type list struct {
	p      offheap.Ref[uint32]
	head   uint32 // where the first element is
	n, max uint32
}

func (l *list) at(i uint32) *uint32 {
	return (*uint32)(unsafe.Add(unsafe.Pointer(l.p.P()), uintptr(l.head+i)*4))
}

// slice is the elements from index i, n of them.
func (l *list) slice(i, n uint32) []uint32 {
	if n == 0 {
		return nil
	}
	return unsafe.Slice(l.at(i), n)
}

// add adds an element. It takes constant time on average.
func (l *list) add(id uint32) {
	switch {
	case l.head+l.n < l.max:
	case l.head > l.max/2:
		old := l.slice(0, l.n)
		l.head = 0
		copy(l.slice(0, l.n), old)
	default:
		most := max(256, 2*l.max)
		p := host.Alloc(uintptr(most) * 4)
		grown := list{p: offheap.To((*uint32)(p)), n: l.n, max: most}
		copy(grown.slice(0, l.n), l.slice(0, l.n))
		*l = grown
	}
	*l.at(l.n) = id
	l.n++
}

// remove takes out the element at an index. The order of the others stays.
func (l *list) remove(i uint32) {
	l.n--
	if i < l.n-i {
		copy(l.slice(1, i), l.slice(0, i))
		l.head++
		return
	}
	copy(l.slice(i, l.n-i), l.slice(i+1, l.n-i))
}

// index is the index of an element. It looks from the end: who is asked for was added last.
func (l *list) index(id uint32) (i uint32, ok bool) {
	for i = l.n; i > 0; i-- {
		if *l.at(i - 1) == id {
			return i - 1, true
		}
	}
	return 0, false
}
