// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package datarace

import (
	"sync/atomic"
	"unsafe"

	"github.com/commutego/commute/internal/engine/host"
)

// The words of a page get memory from the system when there are to be some for the first time. A
// page fault takes as long as a hundred accesses. Where the first look finds nothing there are two:
// the system gives the second one for the first write. So where pages are accessed in a row, the
// system is asked for those of the next pages as well, before anything looks at them.

// aheadPages is how many pages are backed at once, aligned; a power of two.
const aheadPages = 16

// pageWords is what a page may have whose words get memory here.
const pageWords = pageWritten | pageRead | pageOther | pageEarlier | pageAllocs

// prefault has the system back the words of a page that will be written. Otherwise the first write
// of one takes a page fault between its look at the word and its change of it. Then two goroutines
// that race for fresh memory mostly see nothing there.
func (r *region) prefault(addr uintptr, what uint32) {
	if what &= pageWords; what == 0 {
		return
	}
	page := addr >> pageBits & (pages - 1)
	first, ahead := r.ahead(page, what)
	for _, l := range [...]struct {
		has  uint32
		of   unsafe.Pointer // what all pages have
		size uintptr        // for a page
	}{
		{pageWritten, unsafe.Pointer(&r.writes), pageSize},
		{pageRead, unsafe.Pointer(&r.reads), pageSize},
		{pageOther, unsafe.Pointer(&r.others), pageSize},
		{pageEarlier, unsafe.Pointer(&r.earliers), pageSize},
		{pageAllocs, unsafe.Pointer(&r.allocSites), pageSize / 4},
	} {
		if what&l.has == 0 {
			continue
		}
		if ahead {
			host.Back(unsafe.Add(l.of, first*l.size), aheadPages*l.size)
		}
		// That adds nothing, be it to half of a word.
		(*atomic.Uint32)(unsafe.Add(l.of, page*l.size)).Add(0)
	}
}

// ahead reports whether pages are accessed in a row, upwards or downwards, and have come to the
// next ones that are backed at once. The first of these is returned.
func (r *region) ahead(page uintptr, what uint32) (first uintptr, ahead bool) {
	first = page &^ (aheadPages - 1)
	switch page {
	case first:
		return first, page > 0 && r.pages[page-1].Load()&what == what
	case first + aheadPages - 1:
		return first, page+1 < pages && r.pages[page+1].Load()&what == what
	}
	return first, false
}
