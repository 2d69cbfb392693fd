// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package cache has the mistakes that the findings of run.json are about.
package cache

import "sync"

// A Cache keeps what was made.
type Cache struct {
	values sync.Map
	mu     sync.Mutex
	hits   int
}

// Get looks, and then acts by what it saw.
func (c *Cache) Get(key string, make func() int) int {
	if v, ok := c.values.Load(key); ok {
		return v.(int) // `it` is "there"
	}
	v := make()
	c.values.Store(key, v)
	return v
}

// Hit counts in two critical sections.
func (c *Cache) Hit() {
	c.mu.Lock()
	n := c.hits
	c.mu.Unlock()

	c.mu.Lock()
	c.hits = n + 1
	c.mu.Unlock()
}
