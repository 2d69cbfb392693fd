// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package datarace

import (
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/commutego/commute/internal/engine/host"
)

// TestAhead has pages come to have words in a row, upwards and downwards, and at random. Those that
// the system backs at once are aligned, have the page among them, and a neighbour has words; in a
// row it backs each but the first ones, once.
func TestAhead(t *testing.T) {
	const n = 8 * aheadPages
	up := make([]uintptr, n)
	for i := range up {
		up[i] = uintptr(i)
	}
	down := slices.Clone(up)
	slices.Reverse(down)
	sparse := make([]uintptr, 0, n)
	for i := uintptr(0); i < n; i += 2 {
		sparse = append(sparse, i)
	}
	for i, test := range []struct {
		name        string
		order       []uintptr
		least, most int // how often pages are backed at once
	}{
		{"up", up, 7, 7}, {"down", down, 7, 7}, {"every other", sparse, 0, 0},
		{"random", nil, 1, 8},
	} {
		t.Run(test.name, func(t *testing.T) {
			order := test.order
			if order == nil {
				for _, i := range rand.New(rand.NewPCG(1, 5)).Perm(n) {
					order = append(order, uintptr(i))
				}
			}
			for k, what := range []uint32{
				pageWritten, pageRead, pageOther, pageEarlier, pageAllocs,
			} {
				base := (uintptr(1<<12 + 5*n*i + n*k)) * pageSize
				if got := back(t, 9*regionSize+base, order, what); got < test.least ||
					got > test.most {
					t.Errorf("what %d: pages are backed at once %d times, want %d to %d", what, got,
						test.least, test.most)
				}
			}
		})
	}
}

// back notes that pages have words, and counts how often several are backed.
func back(t *testing.T, base uintptr, order []uintptr, what uint32) (times int) {
	r := makeRegion(base)
	word := map[uint32]func(uintptr) unsafe.Pointer{
		pageWritten: func(a uintptr) unsafe.Pointer { return unsafe.Pointer(r.write(a)) },
		pageRead:    func(a uintptr) unsafe.Pointer { return unsafe.Pointer(r.read(a)) },
		pageOther:   func(a uintptr) unsafe.Pointer { return unsafe.Pointer(r.other(a)) },
		pageEarlier: func(a uintptr) unsafe.Pointer { return unsafe.Pointer(r.earlier(a)) },
		pageAllocs: func(a uintptr) unsafe.Pointer {
			return unsafe.Pointer(&r.allocSites[a>>4&(granules-1)])
		},
	}[what]
	size := uintptr(aheadPages * pageSize)
	if what == pageAllocs {
		size /= 4
	}
	var at uintptr
	done := map[uintptr]bool{}
	host.Backed = func(p unsafe.Pointer, n uintptr) {
		times++
		first := at &^ (aheadPages*pageSize - 1)
		if p != word(first) || n != size {
			t.Errorf("at page %#x, %d bytes of others are backed", at, n)
		}
		if !done[at-pageSize] && !done[at+pageSize] {
			t.Errorf("at page %#x, with no neighbour, pages are backed at once", at)
		}
	}
	t.Cleanup(func() { host.Backed = nil })
	for _, i := range order {
		at = base + i*pageSize
		r.notePage(at, what)
		done[at] = true
	}
	for at := range done {
		if what&(pageWritten|pageRead) != 0 {
			shadow.count.Add(^uint32(0))
		}
		r.page(at).Store(0)
	}
	return times
}

// TestAheadAtTheEnds has the first and the last page of a region, whose neighbours are another's.
func TestAheadAtTheEnds(t *testing.T) {
	r := makeRegion(9 * regionSize)
	for _, page := range []uintptr{0, pages - 1} {
		if _, ahead := r.ahead(page, pageWritten); ahead {
			t.Errorf("page %d has a neighbour", page)
		}
	}
}
