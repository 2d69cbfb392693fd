// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package drafts

import "sync"

// A Counters counts words.
type Counters struct {
	mu    sync.Mutex
	n     map[string]int
	total int
}

// NewCounters makes counters that are all zero.
func NewCounters() *Counters { return &Counters{n: make(map[string]int)} }

func (c *Counters) Inc(word string) {
	c.mu.Lock()
	c.n[word]++
	c.total++
	c.mu.Unlock()
}

func (c *Counters) Count(word string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n[word]
}

func (c *Counters) Total() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.total
}

func (c *Counters) Set(word string, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.total += n - c.n[word]
	c.n[word] = n
}
