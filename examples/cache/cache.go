// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package cache remembers what a function returned, with a mistake: Get checks and then acts. Two
// goroutines that ask for a key at once both call the function, and get different values.
package cache

import "sync"

// A Cache remembers the results of one function.
type Cache struct {
	compute func(key string) any
	values  sync.Map
}

// New returns an empty cache for compute.
func New(compute func(key string) any) *Cache {
	return &Cache{compute: compute}
}

// Get returns the value of key, computing it if it has not been asked for before.
func (c *Cache) Get(key string) any {
	if v, ok := c.values.Load(key); ok {
		return v
	}
	v := c.compute(key)
	c.values.Store(key, v) // LoadOrStore would keep the first one
	return v
}
