// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package sets has a type without a specification.
package sets

import "sync"

// A Set has each element once.
type Set struct {
	mu sync.Mutex
	m  map[string]bool
}

// New returns an empty set.
func New() *Set { return &Set{m: make(map[string]bool)} }

// Add adds an element, and reports whether it was not there.
func (s *Set) Add(x string) (added bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	added = !s.m[x]
	s.m[x] = true
	return added
}

// Remove takes an element out, and reports whether it was there.
func (s *Set) Remove(x string) (removed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	removed = s.m[x]
	delete(s.m, x)
	return removed
}

// Len returns the number of elements.
func (s *Set) Len() int { s.mu.Lock(); defer s.mu.Unlock(); return len(s.m) }
