// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package speed

import (
	"sync"
	"testing"
)

// A cache is a type with a specification of its own: figure 6 of the paper, with a lock.
//
//ecl:observer Get(k)/v, Size()/n
//ecl:commute Put(k1, v1), Put(k2, v2): k1 != k2
//ecl:commute Put(k1, v1), Get(k2)/v2: k1 != k2
//ecl:commute Put(k1, v1), Size()/n2: false
type cache struct {
	mu sync.Mutex
	m  map[string]int
}

func (c *cache) Get(k string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.m[k]
}

func (c *cache) Put(k string, v int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.m[k] = v
}

func (c *cache) Size() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.m)
}

func BenchmarkAnnotatedGet(b *testing.B) {
	c := cache{m: map[string]int{"key": 1}}
	for b.Loop() {
		c.Get("key")
	}
}

func BenchmarkAnnotatedPut(b *testing.B) {
	c := cache{m: map[string]int{}}
	for b.Loop() {
		c.Put("key", 1)
	}
}

// BenchmarkAnnotatedMixed writes and reads in turn, so that no call repeats the last one.
func BenchmarkAnnotatedMixed(b *testing.B) {
	c := cache{m: map[string]int{}}
	for b.Loop() {
		c.Put("key", 1)
		c.Get("key")
		c.Size()
	}
}
