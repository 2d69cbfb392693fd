// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package drafts

import (
	"sync"
	"time"
)

// A TTL is a cache whose entries expire.
type TTL struct {
	mu    sync.RWMutex
	ttl   time.Duration
	items map[string]ttlItem
}

type ttlItem struct {
	value   string
	expires time.Time
}

// NewTTL makes a cache whose entries live that long.
func NewTTL(ttl time.Duration) *TTL {
	return &TTL{ttl: ttl, items: make(map[string]ttlItem)}
}

func (c *TTL) Get(key string) (string, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.get(key)
}

func (c *TTL) get(key string) (string, bool) {
	it, ok := c.items[key]
	if !ok || time.Now().After(it.expires) {
		return "", false
	}
	return it.value, true
}

func (c *TTL) Set(key, value string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.set(key, value)
}

func (c *TTL) set(key, value string) {
	c.items[key] = ttlItem{value, time.Now().Add(c.ttl)}
}

func (c *TTL) Add(key, value string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.get(key); ok {
		return false
	}
	c.set(key, value)
	return true
}

func (c *TTL) Delete(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.items, key)
}

func (c *TTL) Purge() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.items = make(map[string]ttlItem)
}
