// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package dep is a dependency, whose lock has a pair that is covered.
package dep

import "sync"

// A Counter counts.
type Counter struct {
	mu sync.Mutex
	n  int
}

// Add adds one.
func (c *Counter) Add() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++
}
