// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package sync

import "github.com/commutego/commute/internal/engine/offheap"

// A PageCache remembers the page that a goroutine has looked up last, as its events come in
// clusters. It also has the last three regions: objects that it makes one after the other lie in
// many pages, but of few regions, mostly one of the heap, one that has the program's variables, and
// one that has what the engine keeps of descriptors. An entry never gets stale, for pages and
// regions stay for ever.
type PageCache struct {
	number              uintptr // of the page, 0 for none
	page                offheap.Ref[Page]
	last, other, oldest cachedRegion
}

type cachedRegion struct {
	not    uintptr // the complement of the region's number, 0 for none
	region offheap.Ref[region]
}

// Find is [PageAt], but looks at the last ones first.
func (c *PageCache) Find(addr uintptr) *Page {
	if addr>>pageBits == c.number {
		return c.page.P()
	}
	return c.lookUp(addr)
}

func (c *PageCache) lookUp(addr uintptr) *Page {
	var r *region
	switch not := ^(addr >> regionBits); not {
	case c.last.not:
		r = c.last.region.P()
	case c.other.not:
		r = c.other.region.P()
	case c.oldest.not:
		r = c.oldest.region.P()
	default:
		if r = findRegion(addr); r == nil {
			return nil
		}
		c.oldest, c.other = c.other, c.last
		c.last = cachedRegion{not, offheap.To(r)}
	}
	p := r.slot(addr).Load()
	if p != nil {
		c.number, c.page = addr>>pageBits, offheap.To(p)
	}
	return p
}

// Make is Find, but makes the page if there is none.
func (c *PageCache) Make(addr uintptr) *Page {
	if p := c.Find(addr); p != nil {
		return p
	}
	return makePageAt(addr)
}
