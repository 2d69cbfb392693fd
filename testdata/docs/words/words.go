// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package words counts words.
package words

import "sync"

// A Counter counts words.
//
//ecl:observer Count(word)/n, Len()/n
//ecl:commute Add(w1), Add(w2): true
//ecl:commute Add(w1), Count(w2): w1 != w2
//ecl:commute Add(w1), Len(): false
type Counter struct {
	mu sync.Mutex
	n  map[string]int
}

// New returns an empty counter.
func New() *Counter { return &Counter{n: make(map[string]int)} }

// Add counts a word.
func (c *Counter) Add(word string) { c.mu.Lock(); defer c.mu.Unlock(); c.n[word]++ }

// Count returns how often a word was added.
func (c *Counter) Count(word string) int { c.mu.Lock(); defer c.mu.Unlock(); return c.n[word] }

// Len returns the number of different words.
func (c *Counter) Len() int { c.mu.Lock(); defer c.mu.Unlock(); return len(c.n) }

// AddFew adds a word, unless there are ten already.
func AddFew(c *Counter, word string) {
	if c.Len() < 10 {
		c.Add(word)
	}
}
