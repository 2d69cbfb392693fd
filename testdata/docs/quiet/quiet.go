// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package quiet has nothing that commute watches without flags.
package quiet

import "sync"

// A Set is a set of words.
type Set struct {
	mu    sync.Mutex
	words map[string]bool
}

// Add adds a word.
func (s *Set) Add(word string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.words == nil {
		s.words = make(map[string]bool)
	}
	s.words[word] = true
}
