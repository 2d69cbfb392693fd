// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package transactions

import (
	"runtime"
	"sync"
	"testing"
)

// A raised has a lock that is taken before there is a transaction.
type raised struct {
	mu   sync.Mutex
	a, b int
}

// atomic
func (r *raised) raise() {
	r.mu.Lock()
	defer r.mu.Unlock()
	v := r.a
	r.b++
	r.a = v + 1
}

func (r *raised) reset() {
	r.mu.Lock()
	r.a = 7
	r.mu.Unlock()
}

// Nothing but the lock orders a critical section before the first transaction.
func TestNoRaceSectionBefore(t *testing.T) {
	r, n := new(raised), runtime.NumGoroutine()
	go r.reset()
	for runtime.NumGoroutine() > n {
		runtime.Gosched()
	}
	done := make(chan bool)
	go func() {
		r.raise()
		close(done)
	}()
	<-done
}
