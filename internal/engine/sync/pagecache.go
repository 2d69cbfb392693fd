// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package sync

import "github.com/commutego/commute/internal/engine/offheap"

// A PageCache remembers the page that a goroutine looked up last, as its events come in clusters.
// An entry never gets stale, for pages and regions stay for ever.
type PageCache struct {
	number uintptr // of the page; its complement if there is no page there yet
	page   offheap.Ref[Page]
	// Where the page's region has it, or will have it once something is known of its memory.
	slot offheap.Ref[offheap.AtomicRef[Page]]
}

// Find is [PageAt], but looks at the last page first.
func (c *PageCache) Find(addr uintptr) *Page {
	if addr>>pageBits == c.number {
		return c.page.P()
	}
	return c.lookUp(addr)
}

func (c *PageCache) lookUp(addr uintptr) *Page {
	number := addr >> pageBits
	if c.number != ^number || c.slot.Nil() {
		r := findRegion(addr)
		if r == nil {
			return nil
		}
		c.slot = offheap.To(r.slot(addr))
	}
	p := c.slot.P().Load()
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
