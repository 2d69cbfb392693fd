// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package drafts

import (
	"container/list"
	"sync"
)

// An LRU is a cache that forgets what was not used for longest.
type LRU struct {
	mu    sync.Mutex
	size  int
	order *list.List
	items map[string]*list.Element
}

type lruItem struct {
	key   string
	value int
}

// NewLRU makes a cache of at most size entries.
func NewLRU(size int) *LRU {
	return &LRU{size: size, order: list.New(), items: make(map[string]*list.Element)}
}

func (c *LRU) Get(key string) (value int, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.items[key]; ok {
		c.order.MoveToFront(e)
		return e.Value.(*lruItem).value, true
	}
	return 0, false
}

func (c *LRU) Add(key string, value int) (evicted bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.items[key]; ok {
		c.order.MoveToFront(e)
		e.Value.(*lruItem).value = value
		return false
	}
	c.items[key] = c.order.PushFront(&lruItem{key, value})
	if c.order.Len() <= c.size {
		return false
	}
	c.evict()
	return true
}

func (c *LRU) Remove(key string) (present bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.items[key]
	if ok {
		c.order.Remove(e)
		delete(c.items, key)
	}
	return ok
}

func (c *LRU) Len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.order.Len()
}

func (c *LRU) Keys() (keys []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for e := c.order.Back(); e != nil; e = e.Prev() {
		keys = append(keys, e.Value.(*lruItem).key)
	}
	return keys
}

func (c *LRU) evict() {
	e := c.order.Back()
	c.order.Remove(e)
	delete(c.items, e.Value.(*lruItem).key)
}
