// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package deadlocks

import (
	"runtime"
	"sync"
	"testing"
)

// A drawer is generic, so the names of its methods are put together where they are printed.
type drawer[T any] struct {
	mu, inner sync.RWMutex
	value     T
}

func (s *drawer[T]) put(v T) {
	s.mu.Lock()
	s.inner.Lock()
	s.value = v
	s.inner.Unlock()
	s.mu.Unlock()
}

// TestNoRaceHeap takes locks inside of others, each for the first time. A program that is watched
// takes no more memory of Go's heap than it would otherwise.
func TestNoRaceHeap(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	drawers := make([]drawer[int], 100)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for i := range drawers {
		drawers[i].put(i)
	}
	runtime.ReadMemStats(&after)
	if n := after.Mallocs - before.Mallocs; n > 10 {
		t.Errorf("%d allocations, want none", n)
	}
}
