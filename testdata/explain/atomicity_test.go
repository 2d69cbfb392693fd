// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explain

import (
	"sync"
	"testing"
)

type account struct {
	mu sync.Mutex
	n  int
}

func (a *account) get() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.n
}

func (a *account) set(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.n = n
}

//commute:atomic no deposit is lost
func (a *account) deposit(n int) {
	was := a.get() // locks and unlocks
	a.set(was + n) // locks and unlocks: a deposit that came in between is lost
}

//commute:atomic no deposit is lost
func (a *account) depositLocked(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.n += n
}

func TestRaceAtomicity(t *testing.T) {
	var a account
	for range rounds {
		both(func() { a.deposit(1) }, func() { a.deposit(2) })
	}
}

func TestNoRaceAtomicity(t *testing.T) {
	var a account
	for range rounds {
		both(func() { a.depositLocked(1) }, func() { a.depositLocked(2) })
	}
}
