// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package other has a type with a lock of its own.
package other

import "sync"

// A Counter counts.
type Counter struct {
	mu sync.Mutex
	n  int
}

// Get returns the count.
func (c *Counter) Get() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n
}

// Set sets it.
func (c *Counter) Set(n int) {
	c.mu.Lock()
	c.n = n
	c.mu.Unlock()
}

// Double is no step.
func (c *Counter) Double() { c.Set(2 * c.Get()) }

// Plain looks at nothing that others have.
func Plain(n int) int { return n + 1 }

// Unknown calls what it gets.
func Unknown(f func()) { f() }
