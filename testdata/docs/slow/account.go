// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package slow has an account whose deposits take so long that one is lost in each run.
package slow

import (
	"sync"
	"time"
)

// An Account has a balance.
type Account struct {
	mu      sync.Mutex
	balance int
}

// Deposit adds an amount.
func (a *Account) Deposit(amount int) {
	a.mu.Lock()
	was := a.balance
	a.mu.Unlock()
	time.Sleep(10 * time.Millisecond) // what takes time: the other goroutine goes on
	a.mu.Lock()
	a.balance = was + amount
	a.mu.Unlock()
}
