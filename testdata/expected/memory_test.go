// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build !nomemory

package expected

import (
	"runtime"
	"sync"
	"testing"

	"github.com/commutego/commute/commutetest"
)

const (
	dataRace  = commutetest.DataRace
	violation = commutetest.AtomicityViolation
)

// write has two goroutines write to one new variable.
func write() {
	x := new(int)
	inTurn(func() { *x = 1 }, func() { *x = 2 }) // at one instant, they could miss each other
}

func TestNoRaceMemoryExpected(t *testing.T) { commutetest.Expect(t, dataRace, write) }
func TestNoRaceMemoryIgnored(t *testing.T)  { commutetest.Ignore(write) }
func TestRaceMemory(t *testing.T)           { write() }

func TestRaceMemoryAfter(t *testing.T) {
	commutetest.Expect(t, dataRace, write)
	commutetest.Ignore(write)
	write()
}

func TestRaceMemoryOtherKind(t *testing.T) {
	var f failing
	commutetest.Expect(&f, race, write)
}

func TestNoRaceMemoryBoth(t *testing.T) {
	commutetest.Expect(t, race, func() {
		commutetest.Expect(t, dataRace, func() {
			store()
			write()
		})
	})
}

// inTurn calls functions on goroutines of their own, each when the one before it has returned. To
// any detector, nothing orders them.
func inTurn(list ...func()) {
	flags := make([]flag, len(list)+1)
	flags[0].raise()
	var turns []func()
	for i, f := range list {
		turns = append(turns, func() {
			flags[i].await()
			f()
			flags[i+1].raise()
		})
	}
	both(turns...)
}

// The last access before the other goroutine's is inside, or it is not.
func TestNoRaceMemorySide(t *testing.T) {
	x := new(int)
	inTurn(func() {
		commutetest.Ignore(func() { *x = 1 })
	}, func() { *x = 2 })
	inTurn(func() { *x = 1 }, func() {
		commutetest.Ignore(func() { *x = 2 })
	})
}

func TestRaceMemorySide(t *testing.T) {
	x := new(int)
	inTurn(func() {
		commutetest.Ignore(func() { *x = 1 })
		*x = 1
	}, func() { *x = 2 })
}

// An account is guarded by a lock that is let go between a look and what depends on it.
type account struct {
	lock    sync.Mutex
	balance int
}

func (a *account) get() int {
	a.lock.Lock()
	defer a.lock.Unlock()
	return a.balance
}

func (a *account) set(n int) {
	a.lock.Lock()
	defer a.lock.Unlock()
	a.balance = n
}

// interrupt calls a function that another goroutine interrupts, which takes the account meanwhile.
// The function is to call half in its middle.
func interrupt(call func(a *account, half func())) {
	a := new(account)
	var half, other flag
	both(func() {
		call(a, func() {
			half.raise()
			other.await()
		})
	}, func() {
		half.await()
		a.set(7)
		other.raise()
	})
}

// deposit is a transaction, in several ways to say so.
func deposit(a *account, half func()) {
	commutetest.Atomic(func() {
		n := a.get()
		half()
		a.set(n + 1)
	})
}

func named(a *account, half func()) {
	n := a.get()
	half()
	a.set(n + 1)
}

func panicking(a *account, half func()) {
	defer func() { recover() }()
	commutetest.Atomic(func() {
		named(a, half)
		panic("so")
	})
}

func ending(a *account, half func()) {
	commutetest.Atomic(func() {
		named(a, half)
		runtime.Goexit()
	})
}

func nested(a *account, half func()) {
	commutetest.Atomic(func() {
		commutetest.Atomic(func() { a.get() })
		half()
		commutetest.Atomic(func() { a.set(1) })
	})
}

func TestRaceAtomic(t *testing.T)       { interrupt(deposit) }
func TestRaceAtomicPanics(t *testing.T) { interrupt(panicking) }
func TestRaceAtomicEnds(t *testing.T)   { interrupt(ending) }
func TestRaceAtomicNested(t *testing.T) { interrupt(nested) }
func TestNoRaceAtomicIgnored(t *testing.T) {
	commutetest.Ignore(func() { interrupt(deposit) })
}

func TestNoRaceAtomicExpected(t *testing.T) {
	for _, f := range []func(*account, func()){deposit, panicking, ending, nested} {
		commutetest.Expect(t, violation, func() { interrupt(f) })
	}
}

// Nobody comes in between: the lock is held, or each call is a transaction of its own, which has
// ended, by a panic even, when the other comes.
func TestNoRaceAtomic(t *testing.T) {
	interrupt(func(a *account, half func()) {
		commutetest.Atomic(func() { a.get() })
		half()
		commutetest.Atomic(func() { a.set(1) })
	})
	interrupt(func(a *account, half func()) {
		func() {
			defer func() { recover() }()
			commutetest.Atomic(func() {
				a.get()
				panic("so")
			})
		}()
		half()
		a.set(1)
	})
}

func TestNoRaceAtomicNil(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a call of nil does not panic")
		}
	}()
	commutetest.Atomic(nil)
}
