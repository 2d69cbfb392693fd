// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package misspelt has a specification that names a method wrongly.
package misspelt

// A Counter counts words.
//
//ecl:observer Count(word)/n, Lenn()/n
//ecl:commute Add(w1), Add(w2): true
//ecl:commute Add(w1), Count(w2): w1 != w2
//ecl:commute Add(w1), Lenn(): false
type Counter struct{ n map[string]int }

// Add counts a word.
func (c *Counter) Add(word string) { c.n[word]++ }

// Count returns how often a word was added.
func (c *Counter) Count(word string) int { return c.n[word] }

// Len returns the number of different words.
func (c *Counter) Len() int { return len(c.n) }
