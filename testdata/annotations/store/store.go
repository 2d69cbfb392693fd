// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package store has a type with a specification.
package store

import "sync"

// A Cache remembers values.
//
//ecl:observer Get(k)/(v, ok), Len()/n
//ecl:arbiter GetOrCreate(k, create)/v
//ecl:callback GetOrCreate(_, create)
//ecl:commute Get(k1), Put(k2, v2): k1 != k2
//ecl:commute Get(k1), Delete(k2): k1 != k2
//ecl:commute Get(k1), GetOrCreate(k2, _): k1 != k2
//ecl:commute Put(k1, v1), Put(k2, v2): k1 != k2
//ecl:commute Put(k1, v1), Len()/n2:      false
//ecl:commute Put(k1, v1), Delete(k2): k1 != k2
//ecl:commute Put(k1, v1), GetOrCreate(k2, _): k1 != k2
//ecl:commute Delete(k1), Delete(k2): true
//ecl:commute Delete(k1), GetOrCreate(k2, _): k1 != k2
//ecl:commute GetOrCreate(k1, _), GetOrCreate(k2, _): k1 != k2
//ecl:default false
type Cache[K comparable, V any] struct {
	mu sync.Mutex
	m  map[K]V
}

func New[K comparable, V any]() *Cache[K, V] { return &Cache[K, V]{m: make(map[K]V)} }

func (c *Cache[K, V]) Get(k K) (V, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	v, ok := c.m[k]
	return v, ok
}

func (c *Cache[K, V]) Put(k K, v V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.m[k] = v
}

func (c *Cache[K, V]) Len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.m)
}

func (c *Cache[K, V]) Delete(keys K) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.m, keys)
}

// GetOrCreate calls create with no lock held.
//
//commute:notatomic two callers may both create a value, and the last one's stays
func (c *Cache[K, V]) GetOrCreate(k K, create func(K) V) V {
	if v, ok := c.Get(k); ok {
		return v
	}
	v := create(k)
	c.Put(k, v)
	return v
}
