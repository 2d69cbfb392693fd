// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package inferred

import (
	"sync"
	"testing"

	"github.com/commutego/commute/testdata/inferred/turn"
)

// What was asked for, or waited for, is no interference.

func TestNoRaceWaited(t *testing.T) {
	var a account
	a.two(1, func() {
		var wg sync.WaitGroup
		wg.Go(func() { a.set(5) })
		wg.Wait()
	})
}

func TestNoRaceAsked(t *testing.T) {
	var a account
	ask, answer := make(chan int), make(chan bool)
	go func() {
		for n := range ask {
			a.set(n)
			answer <- true
		}
	}()
	a.two(1, func() {
		ask <- 5
		<-answer
	})
	close(ask)
}

func TestNoRaceAskedBuffered(t *testing.T) {
	var a account
	ask, answer := make(chan int, 1), make(chan bool, 1)
	go func() {
		a.set(<-ask)
		answer <- true
	}()
	a.helped(1, func() {
		ask <- 5
		<-answer
	})
}

// Who takes the lock again in between has heard of nothing but by the lock.
func TestRaceSameLock(t *testing.T) {
	var a account
	s := turn.New(t)
	turn.Go(func() {
		a.two(1, func() {
			pause(s)()
			a.mu.Lock()
			a.limit++
			a.mu.Unlock()
			a.mu.Lock()
			a.limit++
			a.mu.Unlock()
		})
	}, after(s, func() { a.set(5) }))
}

// Marked code keeps its meaning.

// atomic
func (a *account) marked(n int, step func()) {
	a.mu.Lock()
	was := a.balance
	a.mu.Unlock()
	step()
	a.mu.Lock()
	a.balance = was + n
	a.mu.Unlock()
}

// It is marked, and reported as such.
func TestRaceMarked(t *testing.T) {
	var a account
	s := turn.New(t)
	turn.Go(func() { a.marked(1, pause(s)) }, after(s, func() { a.set(5) }))
}

// notAtomic is said to be meant so.
//
//commute:notatomic the last one wins
func (a *account) notAtomic(n int, step func()) {
	a.mu.Lock()
	was := a.balance
	a.mu.Unlock()
	step()
	a.mu.Lock()
	a.balance = was + n
	a.mu.Unlock()
}

func TestNoRaceNotAtomic(t *testing.T) {
	var a account
	s := turn.New(t)
	turn.Go(func() { a.notAtomic(1, pause(s)) }, after(s, func() { a.set(5) }))
}

// audit reads two accounts. What it reads changes between the critical sections of a function that
// checks and acts, and audit is serializable all the same.
//
// atomic
func audit(a, b *account) int { return a.limitNow() + b.limitNow() }

func (a *account) limitNow() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.limit
}

// raise changes two limits, the second depending on a balance. The first is seen by audit, and the
// second is not.
func raise(a, b *account, step func()) {
	a.mu.Lock()
	a.limit = 1
	was := a.balance
	a.mu.Unlock()
	step()
	b.mu.Lock()
	b.limit = 1
	b.mu.Unlock()
	a.mu.Lock()
	a.balance = was + 1
	a.mu.Unlock()
}

func TestNoRaceMarkedBeside(t *testing.T) {
	a, b := new(account), new(account)
	s := turn.New(t)
	turn.Go(func() { raise(a, b, pause(s)) }, after(s, func() { audit(a, b) }))
}

// A marked transaction inside, which is fine, changes nothing.
//
// atomic
func (a *account) fine() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.limit++
}

func TestRaceMarkedInside(t *testing.T) {
	var a account
	s := turn.New(t)
	turn.Go(func() {
		a.two(1, func() {
			a.fine()
			pause(s)()
		})
	}, after(s, func() { a.set(5) }))
}
