// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package transactions

import (
	"sync"
	"testing"

	"github.com/commutego/commute/testdata/transactions/script"
)

// An account has a balance that its lock guards.
type account struct {
	mu      sync.Mutex
	balance int
}

func (a *account) get() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.balance
}

func (a *account) set(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.balance = n
}

// Deposit looks and acts in two critical sections.
//
// atomic
func (a *account) depositInTwo(n int, s *script.Script) {
	was := a.get()
	s.Done("looked")
	s.Await("other")
	a.set(was + n)
}

// atomic
func (a *account) depositInOne(n int, s *script.Script) {
	a.mu.Lock()
	defer a.mu.Unlock()
	was := a.balance
	s.Done("looked")
	s.Try("other")
	a.balance = was + n
}

func TestRaceDeposit(t *testing.T) {
	var a account
	var s script.Script
	script.Go(func() { a.depositInTwo(1, &s) }, func() {
		s.Await("looked")
		a.set(5)
		s.Done("other")
	})
}

func TestNoRaceDeposit(t *testing.T) {
	var a account
	var s script.Script
	script.Go(func() { a.depositInOne(1, &s) }, func() {
		s.Await("looked")
		a.set(5)
		s.Done("other")
	})
}

// Transfer between two accounts: who adds them up in between sees money that is nowhere.
//
// atomic
func transferInTwo(from, to *account, n int, s *script.Script) {
	from.set(from.balance - n)
	s.Done("taken")
	s.Await("other")
	to.set(to.balance + n)
}

// atomic
func transferInOne(from, to *account, n int, s *script.Script) {
	from.mu.Lock()
	defer from.mu.Unlock()
	to.mu.Lock()
	defer to.mu.Unlock()
	from.balance -= n
	s.Done("taken")
	s.Try("other")
	to.balance += n
}

func total(a, b *account) int { return a.get() + b.get() }

func totalInOne(a, b *account) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	b.mu.Lock()
	defer b.mu.Unlock()
	return a.balance + b.balance
}

// atomic
func audit(a, b *account) int { return total(a, b) }

func TestRaceTransfer(t *testing.T) {
	a, b := &account{balance: 10}, &account{}
	var s script.Script
	script.Go(func() { transferInTwo(a, b, 5, &s) }, func() {
		s.Await("taken")
		_ = audit(a, b)
		s.Done("other")
	})
}

func TestNoRaceTransfer(t *testing.T) {
	a, b := &account{balance: 10}, &account{}
	var s script.Script
	script.Go(func() { transferInOne(a, b, 5, &s) }, func() {
		s.Await("taken")
		_ = totalInOne(a, b)
		s.Done("other")
	})
}

// Two accounts, each of two goroutines adds up while the other goes on: neither ends before the cycle is closed.

// atomic
func sumWhile(first, second *account, s *script.Script, mine, other string) int {
	n := first.get()
	first.set(n + 1)
	s.Done(mine)
	s.Await(other)
	return n + second.get()
}

func TestRaceTwoRunning(t *testing.T) {
	a, b := &account{}, &account{}
	var s script.Script
	script.Go(func() { sumWhile(a, b, &s, "a", "b") }, func() { sumWhile(b, a, &s, "b", "a") })
}

func TestNoRaceTwoRunning(t *testing.T) {
	a, b := &account{}, &account{}
	var s script.Script
	script.Go(func() { sumWhile(a, a, &s, "a", "b") }, func() { sumWhile(b, b, &s, "b", "a") })
}

// Through three goroutines, two of whose transactions are still running: first -> second -> third -> first.

// atomic
func pass(out, in *account, s *script.Script, mine, other string) {
	out.set(1)
	s.Done(mine)
	s.Await(other)
	in.get()
	s.Done(mine + " over")
}

func TestRaceThree(t *testing.T) {
	a, b, c := &account{}, &account{}, &account{}
	var s script.Script
	script.Go(
		func() { pass(a, c, &s, "a", "c") },
		func() { pass(b, a, &s, "b", "a") },
		func() { pass(c, b, &s, "c", "b") })
}

func TestNoRaceThree(t *testing.T) {
	a, b, c, d := &account{}, &account{}, &account{}, &account{}
	var s script.Script
	script.Go(
		func() { pass(a, d, &s, "a", "c") },
		func() { pass(b, a, &s, "b", "a") },
		func() { pass(c, b, &s, "c", "b") })
}
