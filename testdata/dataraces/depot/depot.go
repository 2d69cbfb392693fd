// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package depot has specified types that another package uses: one that is guarded by a lock, and one that isn't.
package depot

import "sync"

// A Guarded hands over what it is given.
//
//ecl:mutator Put(k, v)
//ecl:observer Get(k)/v
//ecl:arbiter Take(k)/v
//ecl:callback Update(_, f)
//ecl:default true
type Guarded[V any] struct {
	mu   sync.RWMutex
	m    map[string]V
	last string
}

// Put keeps v.
func (g *Guarded[V]) Put(k string, v V) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.m == nil {
		g.m = make(map[string]V)
	}
	g.m[k] = v
	g.last = k
}

// Get returns what is kept.
func (g *Guarded[V]) Get(k string) V {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.m[k]
}

// Take returns what is kept, and keeps it no longer.
func (g *Guarded[V]) Take(k string) V {
	g.mu.Lock()
	v := g.m[k]
	delete(g.m, k)
	g.mu.Unlock()
	return v
}

// Update calls f with the lock held.
func (g *Guarded[V]) Update(k string, f func(old V) V) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.m[k] = f(g.m[k])
}

// A Bare is a Guarded without a lock.
//
//ecl:mutator Put(k, v)
//ecl:observer Get(k)/v
//ecl:default true
type Bare struct {
	m    map[string]int
	last string
}

// Put keeps v.
func (b *Bare) Put(k string, v int) {
	if b.m == nil {
		b.m = make(map[string]int)
	}
	b.m[k] = v
	b.last = k
}

// Get returns what is kept.
func (b *Bare) Get(k string) int { return b.m[k] }
