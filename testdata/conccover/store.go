// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package conccover has operations whose pairs are run in all ways.
package conccover

import "sync"

// A Bag has things.
//
//ecl:commute Put(x), Put(y): true
//ecl:commute Put(x), Size()/n: false
//ecl:commute Size()/m, Size()/n: true
type Bag struct {
	mu     sync.Mutex
	things []int
}

// Put puts a thing in.
func (b *Bag) Put(x int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.things = append(b.things, x)
}

// Size is how many things there are.
func (b *Bag) Size() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.things)
}

// A Store has a map, a bag and a lock.
type Store struct {
	names sync.Map
	bag   Bag
	lock  sync.RWMutex
	n     int
}

// Name names a key.
func (s *Store) Name(key, name string) { s.names.Store(key, name) }

// Named is the name of a key.
func (s *Store) Named(key string) any { v, _ := s.names.Load(key); return v }

// Forget takes a key's name.
func (s *Store) Forget(key string) { s.names.Delete(key) }

// Count counts.
func (s *Store) Count() {
	s.lock.Lock()
	s.n++
	s.lock.Unlock()
}

// Reset counts anew.
func (s *Store) Reset() {
	s.lock.Lock()
	s.n = 0
	s.lock.Unlock()
}

// Counted is how often it was counted.
func (s *Store) Counted() int {
	s.lock.RLock()
	defer s.lock.RUnlock()
	return s.n
}
