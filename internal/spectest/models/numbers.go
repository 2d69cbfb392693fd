// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package models

import (
	"slices"
	"sync"
)

// An Account has no debts.
type Account struct {
	mu sync.Mutex
	n  int
}

func (a *Account) Deposit(n int) (ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if n < 0 {
		return false
	}
	a.n += n
	return true
}

func (a *Account) Withdraw(n int) (ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if n < 0 || n > a.n {
		return false
	}
	a.n -= n
	return true
}

func (a *Account) Balance() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.n
}

// A Max is the greatest number that it has been given.
type Max struct {
	mu sync.Mutex
	n  int
}

func (m *Max) Set(x int) (old int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	old = m.n
	m.n = max(m.n, x)
	return old
}

func (m *Max) Get() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.n
}

// A Heap gives its least element first.
type Heap struct {
	mu   sync.Mutex
	list []int // sorted
}

func (h *Heap) Push(x int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	i, _ := slices.BinarySearch(h.list, x)
	h.list = slices.Insert(h.list, i, x)
}

func (h *Heap) Pop() (x int, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.list) == 0 {
		return 0, false
	}
	x = h.list[0]
	h.list = slices.Clone(h.list[1:])
	return x, true
}

func (h *Heap) Peek() (x int, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.list) == 0 {
		return 0, false
	}
	return h.list[0], true
}
