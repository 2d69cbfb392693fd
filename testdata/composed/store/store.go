// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package store has a type whose methods take its lock. None of them checks and acts in two
// sections.
package store

import "sync"

// A Store is a map with a lock.
type Store[V any] struct {
	mu sync.Mutex
	m  map[string]V
}

// New returns a store with nothing in it.
func New[V any]() *Store[V] { return &Store[V]{m: make(map[string]V)} }

// Has reports whether there is a value for a key.
func (s *Store[V]) Has(k string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.m[k]
	return ok
}

// Get returns the value for a key.
func (s *Store[V]) Get(k string) (V, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v, ok := s.m[k]
	return v, ok
}

// Put sets the value for a key.
func (s *Store[V]) Put(k string, v V) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.m[k] = v
}

// PutNew sets the value for a key that has none.
func (s *Store[V]) PutNew(k string, v V) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.m[k]; ok {
		return false
	}
	s.m[k] = v
	return true
}
