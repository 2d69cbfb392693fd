// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package refuted has a specification that is wrong: Add changes what Count returns.
package refuted

// A Counter counts words.
//
//ecl:observer Count(word)/n
//ecl:commute Add(w1), Add(w2): true
//ecl:commute Add(w1), Count(w2): true
type Counter struct{ n map[string]int }

// NewCounter returns an empty counter.
func NewCounter() *Counter { return &Counter{make(map[string]int)} }

// Add counts a word.
func (c *Counter) Add(word string) { c.n[word]++ }

// Count returns how often a word was added.
func (c *Counter) Count(word string) int { return c.n[word] }
