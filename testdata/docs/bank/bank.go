// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package bank has an account whose deposits can be lost, without a data race.
package bank

import "sync"

// An Account has a balance.
type Account struct {
	mu      sync.Mutex
	balance int
}

// Balance returns the balance.
func (a *Account) Balance() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.balance
}

func (a *Account) set(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.balance = n
}

// Deposit adds an amount.
//
//commute:atomic no deposit is lost
func (a *Account) Deposit(amount int) {
	was := a.Balance()
	a.set(was + amount)
}
