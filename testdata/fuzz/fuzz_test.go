// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package fuzz has a target of a fuzzer with a broken check and act for some inputs.
package fuzz

import (
	"sync"
	"testing"
)

// A cache computes each value once, or should.
type cache struct{ values sync.Map }

func (c *cache) get(key string) int {
	if v, ok := c.values.Load(key); ok {
		return v.(int)
	}
	c.values.Store(key, len(key))
	return len(key)
}

func FuzzGet(f *testing.F) {
	f.Add("")
	f.Fuzz(func(t *testing.T, key string) {
		if len(key) < 2 {
			return
		}
		var c cache
		var wg sync.WaitGroup
		for range 2 {
			wg.Go(func() { c.get(key) })
		}
		wg.Wait()
	})
}
