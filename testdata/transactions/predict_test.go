// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package transactions

import (
	"runtime"
	"sync"
	"testing"
)

// In these tests nothing interferes: one goroutine is over with its transaction before the other begins. In the faulty ones only
// an accident has them in that order, which is forced by a flag that nobody sees.

// A flag is raised for others to see. No detector sees its accesses.
type flag struct{ up bool }

//go:norace
//go:noinline
func (f *flag) raise() { f.up = true }

//go:norace
//go:noinline
func (f *flag) raised() bool { return f.up }

func (f *flag) await() {
	for !f.raised() {
		runtime.Gosched()
	}
}

// thrice runs a faulty test three times: now and then, on a busy machine, a prediction is not made.
func thrice(f func()) {
	for range 3 {
		f()
	}
}

// inTurn runs functions side by side, but each when the one before it is over.
func inTurn(fs ...func()) {
	flags := make([]flag, len(fs)+1)
	flags[0].raise()
	var wg sync.WaitGroup
	for i, f := range fs {
		wg.Add(1)
		go func() {
			defer wg.Done()
			flags[i].await()
			f()
			flags[i+1].raise()
		}()
	}
	wg.Wait()
}

// atomic
func (a *account) increment(n int) { a.set(a.get() + n) }

// atomic
func (a *account) incrementIf(n int) {
	if was := a.get(); was >= 0 {
		a.set(was + n)
	}
}

func TestRacePredictedLostUpdate(t *testing.T) {
	thrice(func() {
		var a account
		inTurn(func() { a.incrementIf(1) }, func() { a.set(5) })
	})
}

// Both read what they write, but what they do doesn't depend on it.
func TestRacePredictedTwoIncrements(t *testing.T) {
	thrice(func() {
		var a account
		inTurn(func() { a.increment(1) }, func() { a.increment(1) })
	})
}

// What the second one does may depend on what it reads, which the first has written. But it has read
// what sends it the same way: had it come before the first one's write, it would have gone on too.
func TestRacePredictedTwoConditions(t *testing.T) {
	var a account
	inTurn(func() { a.incrementIf(1) }, func() { a.incrementIf(1) })
}

// atomic
func (a *account) twice() {
	a.set(1)
	a.set(2)
}

func TestRacePredictedDirtyRead(t *testing.T) {
	thrice(func() {
		var a account
		inTurn(a.twice, func() { a.get() })
	})
}

func TestRacePredictedOverwritten(t *testing.T) {
	thrice(func() {
		var a account
		inTurn(a.twice, func() { a.set(3) })
	})
}

// atomic
func (a *account) setAndGet() int {
	a.set(1)
	return a.get()
}

func TestRacePredictedOwnWriteLost(t *testing.T) {
	thrice(func() {
		var a account
		inTurn(func() { a.setAndGet() }, func() { a.set(3) })
	})
}

func TestNoRacePredictedOwnWriteRead(t *testing.T) {
	var a account
	inTurn(func() { a.setAndGet() }, func() { a.get() })
}

// atomic
func (a *account) getTwice() (change int) {
	was := a.get()
	return a.get() - was
}

func TestRacePredictedUnrepeatableRead(t *testing.T) {
	thrice(func() {
		var a account
		inTurn(func() { a.getTwice() }, func() { a.set(3) })
	})
}

func TestNoRacePredictedReaders(t *testing.T) {
	var a account
	inTurn(func() { a.getTwice() }, func() { a.getTwice() }, func() { a.get() })
}

// atomic
func (a *account) incrementAtOnce(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.balance += n
}

func TestNoRacePredictedAtOnce(t *testing.T) {
	var a account
	inTurn(func() { a.incrementAtOnce(1) }, func() { a.incrementAtOnce(1) }, func() { a.set(1) })
}

// A lock around it all, taken inside of the transaction or before it.

var outer sync.Mutex

// atomic
func (a *account) incrementUnder(n int) {
	outer.Lock()
	defer outer.Unlock()
	a.increment(n)
}

func TestNoRacePredictedOuterLock(t *testing.T) {
	var a account
	inTurn(func() { a.incrementUnder(1) }, func() { a.incrementUnder(1) })
}

func TestNoRacePredictedLockBefore(t *testing.T) {
	var a account
	under := func() {
		outer.Lock()
		defer outer.Unlock()
		a.increment(1)
	}
	inTurn(under, under)
}

// The second doesn't take that lock.
func TestNoRacePredictedOuterLockHeld(t *testing.T) {
	var a account
	inTurn(func() { a.incrementUnder(1) }, func() { outer.Lock(); a.set(5); outer.Unlock() })
}

// Locks of which one is taken inside of the other, by both, in what the second interferes with.
func TestRacePredictedOtherLock(t *testing.T) {
	thrice(func() {
		var a, b account
		inTurn(func() {
			a.incrementIf(1)
			b.set(1)
		}, func() {
			b.mu.Lock()
			a.set(5)
			b.mu.Unlock()
		})
	})
}

// The first goes on for long, as others do.
func TestRacePredictedLate(t *testing.T) {
	thrice(func() {
		var a account
		var others [100]account
		inTurn(func() {
			a.incrementIf(1)
			for i := range others {
				others[i].incrementAtOnce(1)
				a.get()
			}
		}, func() {
			for i := range others {
				others[i].incrementAtOnce(1)
			}
		}, func() { a.set(5) })
	})
}

// A block, and rounds of a loop.
func TestRacePredictedBlock(t *testing.T) {
	thrice(func() {
		var a account
		inTurn(func() {
			{ //atomic
				if a.get() == 0 {
					a.set(1)
				}
			}
		}, func() { a.set(5) })
	})
}

func TestRacePredictedRounds(t *testing.T) {
	thrice(func() {
		var a account
		inTurn(func() {
			for range 10 { //atomic
				if a.get() >= 0 {
					a.set(1)
				}
			}
		}, func() { a.set(5) })
	})
}

// The two sections are of two rounds.
func TestNoRacePredictedRounds(t *testing.T) {
	var a account
	inTurn(func() {
		for i := range 10 { //atomic
			if i%2 == 0 {
				a.get()
			} else {
				a.set(1)
			}
		}
	}, func() { a.set(5) })
}

// A store with a RWMutex (cache_test.go).

// atomic
func (c *store) create(k string) {
	if _, ok := c.get(k); !ok {
		c.put(k, 1)
	}
}

// atomic
func (c *store) createTwiceChecked(k string) {
	if _, ok := c.get(k); ok {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.m[k]; !ok {
		c.m[k] = 1
		c.n = len(c.m)
	}
}

func TestRacePredictedCheckThenAct(t *testing.T) {
	thrice(func() {
		c := newStore()
		inTurn(func() { c.create("k") }, func() { c.put("k", 2) })
	})
}

func TestNoRacePredictedDoubleChecked(t *testing.T) {
	c := newStore()
	inTurn(func() { c.createTwiceChecked("k") }, func() { c.put("k", 2) }, func() { c.createTwiceChecked("j") })
}

func TestNoRacePredictedOnlyReads(t *testing.T) {
	c := newStore()
	inTurn(func() { c.create("k") }, func() { c.get("k"); c.len() }, func() { c.get("k") })
}

// A guard beside the variable.

type guarded struct {
	mu    sync.Mutex
	done  bool
	value int
}

// atomic
func (l *guarded) get(v int) int {
	l.mu.Lock()
	done, was := l.done, l.value
	l.mu.Unlock()
	if done {
		return was
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.done {
		l.value = v
		l.done = true
	}
	return l.value
}

func (l *guarded) force(v int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.value = v
	l.done = true
}

func (l *guarded) clobber(v int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.value = v
}

func TestNoRacePredictedGuard(t *testing.T) {
	var l guarded
	inTurn(func() { l.get(1) }, func() { l.force(2) })
}

// Who doesn't set the guard isn't kept out by it.
func TestRacePredictedGuard(t *testing.T) {
	thrice(func() {
		var l guarded
		inTurn(func() { l.get(1) }, func() { l.clobber(2) })
	})
}

// A branch makes what a transaction does depend on what it has read. That two runs of it can both
// take the branch is known all the same, if the second has.
type purse struct {
	mu  sync.Mutex
	sum int
}

// atomic
func (p *purse) withdraw(n int) bool {
	p.mu.Lock()
	sum := p.sum
	p.mu.Unlock()
	if sum < n {
		return false
	}
	p.mu.Lock()
	p.sum = sum - n
	p.mu.Unlock()
	return true
}

// atomic
func (p *purse) withdrawAtOnce(n int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.sum < n {
		return false
	}
	p.sum -= n
	return true
}

func TestRacePredictedWithdraw(*testing.T) {
	p := &purse{sum: 10}
	inTurn(func() { p.withdraw(2) }, func() { p.withdraw(3) })
}

func TestNoRacePredictedWithdraw(*testing.T) {
	p := &purse{sum: 10}
	inTurn(func() { p.withdrawAtOnce(2) }, func() { p.withdrawAtOnce(3) })
}

// The second has seen what the first has left.
func TestNoRacePredictedWithdrawOrdered(*testing.T) {
	p := &purse{sum: 10}
	p.withdraw(2)
	var wg sync.WaitGroup
	wg.Go(func() { p.withdraw(3) })
	wg.Wait()
}
