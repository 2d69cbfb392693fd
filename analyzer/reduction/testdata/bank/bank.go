// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package bank has functions that are marked as atomic.
package bank

import (
	"fmt"
	"sync"
	"sync/atomic"

	"example.com/testdata/other"
)

type account struct {
	mu      sync.Mutex
	rw      sync.RWMutex
	n       int            // under mu
	m       map[string]int // under rw
	fixed   int            // set when it is made
	mixed   int            // sometimes under mu
	count   atomic.Int64
	c       chan int
	cond    *sync.Cond
	counter other.Counter
}

func make1(n int) *account { return &account{fixed: n, m: map[string]int{}} }

// atomic
func (a *account) deposit(n int) { // want `deposit is proven atomic`
	a.mu.Lock()
	defer a.mu.Unlock()
	a.n += n + a.fixed
}

// atomic
func (a *account) reads(k string) int { // want `reads is proven atomic`
	a.rw.RLock()
	defer a.rw.RUnlock()
	return a.m[k]
}

// atomic
func (a *account) writes(k string) { // want `writes is proven atomic`
	a.rw.Lock()
	a.m[k]++
	a.rw.Unlock()
}

// atomic
func (a *account) twice(n int) {
	a.mu.Lock()
	a.n += n
	a.mu.Unlock()
	a.mu.Lock() // want `twice is not shown to be atomic: another goroutine can come between this \(account.mu is taken\) and line 55 \(account.mu is let go\)`
	a.n += n
	a.mu.Unlock()
}

// atomic
func (a *account) inLoop(list []int) {
	for _, n := range list {
		a.mu.Lock() // want `inLoop is not shown to be atomic: .*this \(account.mu is taken\) and line 66`
		a.n += n
		a.mu.Unlock()
	}
}

// atomic
func (a *account) nested(k string) { // want `nested is proven atomic`
	a.mu.Lock()
	a.rw.Lock()
	a.m[k] = a.n
	a.rw.Unlock()
	a.n = 0
	a.mu.Unlock()
}

// atomic
func (a *account) lateLock(k string) {
	a.mu.Lock()
	n := a.n
	a.mu.Unlock()
	a.rw.Lock() // want `lateLock is not shown to be atomic`
	a.m[k] = n
	a.rw.Unlock()
}

// atomic
func (a *account) oneAtomic() { // want `oneAtomic is proven atomic`
	a.mu.Lock()
	a.count.Add(1)
	a.n++
	a.mu.Unlock()
}

// atomic
func (a *account) twoAtomics() {
	if a.count.Load() < 3 {
		a.count.Add(1) // want `twoAtomics is not shown to be atomic: .* this \(the atomic Add\) and line \d+ \(the atomic Load\)`
	}
}

// atomic
func (a *account) either(x bool) { // want `either is proven atomic`
	if x {
		a.count.Add(1)
	} else {
		a.count.Store(0)
	}
}

// atomic
func (a *account) channels() {
	n := <-a.c
	a.c <- n // want `channels is not shown to be atomic: .*\(a value is sent\) and line \d+ \(a value is received\)`
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

// atomic
func (a *account) throughHelpers() {
	a.set(a.get() + 1) // want `throughHelpers is not shown to be atomic: .* this \(the call of set\) and line \d+ \(the call of get\)`
}

// Helper is called with the lock held.
func (a *account) helper() { a.n++ }

// atomic
func (a *account) underLock() { // want `underLock is proven atomic`
	a.mu.Lock()
	a.helper()
	a.mu.Unlock()
}

// atomic
func (a *account) waits() {
	a.mu.Lock()
	for a.n == 0 {
		a.cond.Wait() // want `waits is not shown to be atomic: another goroutine can come into Wait, which lets the lock go`
	}
	a.mu.Unlock()
}

// atomic
func (a *account) split() {
	a.helperThatSplits() // want `split is not shown to be atomic: another goroutine can come into the call of helperThatSplits`
}

func (a *account) helperThatSplits() {
	a.set(1)
	a.set(2)
}

func (a *account) mixes() {
	a.mu.Lock()
	a.mixed++
	a.mu.Unlock()
}

// atomic
func (a *account) racy() {
	a.mu.Lock()
	a.n++
	a.mu.Unlock()
	a.mixed++ // want `racy is not shown to be atomic: .*account.mixed is .* without a lock`
}

// atomic
func (a *account) callsUnknown(f func()) { // want `callsUnknown is neither proven atomic nor broken: it calls a function value`
	a.mu.Lock()
	f()
	a.mu.Unlock()
}

// atomic
func (a *account) prints() { // want `prints is neither proven atomic nor broken: it calls Println`
	fmt.Println()
}

// atomic
func (a *account) oneOther() int { // want `oneOther is proven atomic`
	return other.Plain(a.counter.Get())
}

// atomic
func (a *account) twoOthers() {
	a.counter.Set(a.counter.Get() + 1) // want `twoOthers is not shown to be atomic: .*\(the call of Set\) and line \d+ \(the call of Get\)`
}

// atomic
func (a *account) brokenOther() {
	a.counter.Double() // want `brokenOther is not shown to be atomic: another goroutine can come into the call of Double`
}

// atomic
func (a *account) unknownOther() { // want `unknownOther is neither proven atomic nor broken: it calls Unknown`
	other.Unknown(nil)
}

// atomic
func (a *account) starts() { // want `starts is proven atomic`
	a.mu.Lock()
	a.n++
	a.mu.Unlock()
	go a.deposit(1)
}

type pair struct {
	mu sync.Mutex
	n  int
}

// atomic
func (p *pair) add() { // want `add is neither proven atomic nor broken: pair.n is not always accessed under one lock`
	p.mu.Lock()
	p.n++
	p.mu.Unlock()
}

// Cross holds the lock of another object.
func cross(p, q *pair) {
	p.mu.Lock()
	q.n++
	p.mu.Unlock()
}

// atomic
func (a *account) recurses(n int) { // want `recurses is neither proven atomic nor broken: .*it calls itself`
	if n > 0 {
		a.recurses(n - 1)
	}
}
