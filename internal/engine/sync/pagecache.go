// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package sync

import "github.com/commutego/commute/internal/engine/offheap"

// A PageCache remembers the two pages that a goroutine looked up last, as its events come in
// clusters, mostly of two objects in turn. An entry never gets stale, for pages and regions stay
// for ever.
type PageCache struct {
	number uintptr // of the page; its complement if there is no page there yet
	page   offheap.Ref[Page]

	region       offheap.Ref[region] // the one of the last page that was in neither place; or nil
	regionNumber uintptr

	// The page before, nil if there is none.
	otherNumber uintptr
	other       offheap.Ref[Page]
}

// Find is [PageAt], but looks at the last pages first.
func (c *PageCache) Find(addr uintptr) *Page {
	if addr>>pageBits == c.number {
		return c.page.P()
	}
	return c.lookUp(addr)
}

func (c *PageCache) lookUp(addr uintptr) *Page {
	number := addr >> pageBits
	if p := c.other.P(); p != nil && number == c.otherNumber {
		// The last one takes its place, if there is a page.
		if c.page.P() != nil {
			c.otherNumber, c.other = c.number, c.page
		}
		c.number, c.page = number, offheap.To(p)
		return p
	}
	r := c.region.P()
	if r == nil || c.regionNumber != addr>>regionBits {
		if r = findRegion(addr); r == nil {
			return nil
		}
		c.region, c.regionNumber = offheap.To(r), addr>>regionBits
	}
	p := r.slot(addr).Load()
	if c.page.P() != nil {
		c.otherNumber, c.other = c.number, c.page
	}
	c.page, c.number = offheap.To(p), number
	if p == nil {
		c.number = ^number
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
