// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package drafts

import "sync"

// A Set is a set of anything.
type Set[T comparable] struct {
	mu sync.Mutex
	m  map[T]struct{}
}

// NewSet makes an empty set.
func NewSet[T comparable]() *Set[T] { return &Set[T]{m: make(map[T]struct{})} }

func (s *Set[T]) Has(x T) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.m[x]
	return ok
}

func (s *Set[T]) Add(x T) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.m[x]; ok {
		return false
	}
	s.m[x] = struct{}{}
	return true
}

func (s *Set[T]) Put(x T) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.m[x] = struct{}{}
}

func (s *Set[T]) Remove(x T) (removed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, removed = s.m[x]
	delete(s.m, x)
	return removed
}

func (s *Set[T]) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.m)
}
