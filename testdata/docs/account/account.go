// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package account has an account whose deposits can be lost. Nothing is marked.
package account

import "sync"

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
	a.mu.Lock()
	a.balance = was + amount
	a.mu.Unlock()
}
