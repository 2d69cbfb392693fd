// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package unmarked

import (
	"sync"
	"testing"
)

// A plain value that is computed twice is no bug by itself: only level all reports that.

type sizes struct {
	mu    sync.Mutex
	m     map[string]int
	scale int
}

func (s *sizes) of(k string, pause func()) int {
	s.mu.Lock()
	n, ok := s.m[k]
	s.mu.Unlock()
	if ok {
		return n
	}
	pause()
	s.mu.Lock()
	n = len(k) * s.scale
	s.m[k] = n
	s.scale++
	s.mu.Unlock()
	return n
}

func TestNoRaceComputedBetween(*testing.T) {
	s := &sizes{m: make(map[string]int), scale: 1}
	between(func(pause func()) { s.of("k", pause) }, func() { s.of("k", nothing) })
}

func TestNoRaceComputedAfter(*testing.T) {
	s := &sizes{m: make(map[string]int), scale: 1}
	after(func(pause func()) { s.of("k", pause) }, func() { s.of("k", nothing) })
}
