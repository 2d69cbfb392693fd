// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explain

import (
	"sync"
	"testing"
)

type entry struct{ old bool }

func (e *entry) expired() bool { return e.old }

func clean(cache *sync.Map, key string) {
	if v, ok := cache.Load(key); ok && v.(*entry).expired() {
		cache.Delete(key) // or what another goroutine has stored here since
	}
}

func cleanExpired(cache *sync.Map, key string) {
	if v, ok := cache.Load(key); ok && v.(*entry).expired() {
		cache.CompareAndDelete(key, v) // nothing if it is another one by now
	}
}

type cached struct {
	mu      sync.Mutex
	entries map[string]*entry
}

func newEntry(string) *entry { return &entry{} }

func (c *cached) get(key string) *entry {
	c.mu.Lock()
	e, ok := c.entries[key]
	c.mu.Unlock()
	if !ok {
		e = newEntry(key) // two goroutines can be here
		c.mu.Lock()
		c.entries[key] = e
		c.mu.Unlock()
	}
	return e
}

func TestRaceCheckThenActInSections(t *testing.T) {
	for range rounds {
		c := &cached{entries: make(map[string]*entry)}
		both(func() { c.get("a") }, func() { c.get("a") })
	}
}

func TestRaceCheckThenAct(t *testing.T) {
	for range rounds {
		var cache sync.Map
		cache.Store("a", &entry{true})
		oneByOne(func() { clean(&cache, "a") }, func() { cache.Store("a", &entry{}) })
	}
}

func TestNoRaceCheckThenAct(t *testing.T) {
	for range rounds {
		var cache sync.Map
		cache.Store("a", &entry{true})
		both(func() { cleanExpired(&cache, "a") }, func() { cleanExpired(&cache, "a") })
	}
}
