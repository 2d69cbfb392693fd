// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package visits counts the visits of a site.
package visits

import (
	"sync"
	"sync/atomic"
)

// A Site counts the visits of each of its pages, and of all.
type Site struct {
	pages sync.Map // the counters, by page
	mu    sync.Mutex
	total int64
}

// Visit counts a visit.
func (s *Site) Visit(page string) {
	n, _ := s.pages.LoadOrStore(page, new(atomic.Int64))
	n.(*atomic.Int64).Add(1)
	s.mu.Lock()
	s.total++
	s.mu.Unlock()
}

// Forget takes a page out, with its visits.
func (s *Site) Forget(page string) {
	n, ok := s.pages.LoadAndDelete(page)
	if !ok {
		return
	}
	s.mu.Lock()
	s.total -= n.(*atomic.Int64).Load()
	s.mu.Unlock()
}
