// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package split has a counter that loses counts.
package split

import "sync"

// A Counter counts.
type Counter struct {
	mu sync.Mutex
	n  int
}

// Add adds to the counter.
func (c *Counter) Add(n int) {
	c.mu.Lock()
	was := c.n
	c.mu.Unlock()
	c.mu.Lock()
	c.n = was + n
	c.mu.Unlock()
}
