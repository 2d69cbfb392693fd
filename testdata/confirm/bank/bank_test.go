// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package bank

import (
	"os"
	"runtime"
	"sync"
	"testing"
)

// A flag is raised for others to see. No detector sees its accesses.
type flag struct{ up bool }

//go:norace
//go:noinline
func (f *flag) raise() { f.up = true }

//go:norace
//go:noinline
func (f *flag) raised() bool { return f.up }

// oneByOne runs two functions side by side, in an ordinary run the second when the first is over.
func oneByOne(f, g func()) { inOrder(os.Getenv("COMMUTE_EXPLORE") == "", f, g) }

func inOrder(ordered bool, f, g func()) {
	var over flag
	var wg sync.WaitGroup
	wg.Go(func() {
		f()
		over.raise()
	})
	wg.Go(func() {
		for ordered && !over.raised() {
			runtime.Gosched()
		}
		g()
	})
	wg.Wait()
}

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

//commute:atomic
func (a *account) deposit(n int) { a.set(a.get() + n) }

func TestDeposit(t *testing.T) {
	for range 3 { // now and then, on a busy machine, a prediction is not made
		var a account
		oneByOne(func() { a.deposit(1) }, func() { a.set(5) })
	}
}

//commute:atomic
func (a *account) withdraw(n int) {
	was := a.get()
	a.set(was - n)
}

func TestNever(t *testing.T) {
	for range 3 {
		var a account
		inOrder(true, func() { a.withdraw(1) }, func() { a.set(5) })
	}
}

func load(m *sync.Map) {
	if _, ok := m.Load("key"); !ok {
		m.Store("key", 1)
	}
}

func TestCache(t *testing.T) {
	t.Run("sub", func(t *testing.T) {
		var m sync.Map
		oneByOne(func() { load(&m) }, func() { m.Store("key", 2) })
	})
}

func transfer(from, to *account) {
	from.mu.Lock()
	defer from.mu.Unlock()
	to.mu.Lock()
	defer to.mu.Unlock()
	from.balance--
	to.balance++
}

func TestTransfer(t *testing.T) {
	var a, b account
	oneByOne(func() { transfer(&a, &b) }, func() { transfer(&b, &a) })
}
