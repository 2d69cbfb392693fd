// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package papers

import (
	"sync"
	"sync/atomic"

	"github.com/commutego/commute/testdata/papers/turn"
)

// A Tour is looked for by threads that take parts of it from a queue. The best length is read
// without the lock, to give up early, and looked at again under the lock.
type Tour struct {
	queue sync.Mutex
	next  int
	mu    sync.Mutex
	best  atomic.Int64
	path  [3]int
}

// long is more than a tour is long.
const long = 1000

//commute:atomic each part is taken once
func (t *Tour) Take() int {
	t.queue.Lock()
	defer t.queue.Unlock()
	t.next++
	return t.next - 1
}

// Solve gives up where the best tour is shorter, which it looks at again and again.
//
//commute:atomic it is not: the best one may change
func (t *Tour) Solve(part int) int {
	length := int64(long)
	for i := int64(1); i <= 3 && t.best.Load() > 900-i*int64(part); i++ {
		length = long - i*int64(part)
		turn.Here()
	}
	return int(length)
}

// SafeSolve looks at the best tour once.
//
//commute:atomic it looks once
func (t *Tour) SafeSolve(part int) int {
	best, length := t.best.Load(), int64(long)
	for i := int64(1); i <= 3 && best > 900-i*int64(part); i++ {
		length = long - i*int64(part)
		turn.Here()
	}
	return int(length)
}

// SetBest looks again under the lock: that the first look was at an old length is no mistake.
//
//commute:atomic the best one stays
func (t *Tour) SetBest(part, length int) {
	if int64(length) >= t.best.Load() {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if int64(length) < t.best.Load() {
		t.keep(part, length)
	}
}

// SetBestOnce doesn't look again.
//
//commute:atomic the best one stays
func (t *Tour) SetBestOnce(part, length int) {
	if int64(length) >= t.best.Load() {
		return
	}
	turn.Here()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.keep(part, length)
}

func (t *Tour) keep(part, length int) {
	turn.Here()
	t.best.Store(int64(length))
	for i := range t.path {
		t.path[i] = part + i
	}
}

func tsp(r run) {
	t := new(Tour)
	t.best.Store(long)
	r.workers(2, func(int) {
		part := t.Take()
		t.SetBest(part, t.Solve(part))
	})
}
