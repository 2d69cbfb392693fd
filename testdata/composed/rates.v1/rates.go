// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package rates is another module's. The last element of its path has a dot.
package rates

import "sync"

// Rates are numbers by name.
type Rates struct {
	mu sync.RWMutex
	m  map[string]int
}

// New returns rates that are all 0.
func New() *Rates { return &Rates{m: make(map[string]int)} }

// Get returns a rate.
func (r *Rates) Get(name string) int {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.m[name]
}

// Set sets a rate.
func (r *Rates) Set(name string, rate int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.m[name] = rate
}

// Add changes a rate.
func (r *Rates) Add(name string, by int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.m[name] += by
}
