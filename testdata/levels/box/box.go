// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package box has a type that its user has specified.
package box

import "sync"

// A Box is a map behind a lock.
//
//ecl:observer Get(k)/v, Len()/n
//ecl:commute Put(k1, v1), Put(k2, v2): k1 != k2
//ecl:commute Put(k1, v1), Get(k2): k1 != k2
//ecl:commute Put(k1, v1), Len(): false
type Box struct {
	mu sync.Mutex
	m  map[string]int
}

// Put puts a value in.
func (b *Box) Put(k string, v int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.m == nil {
		b.m = make(map[string]int)
	}
	b.m[k] = v
}

// Get returns a value, 0 for none.
func (b *Box) Get(k string) (v int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.m[k]
}

// Len is the number of values.
func (b *Box) Len() (n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.m)
}
