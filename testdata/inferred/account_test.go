// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package inferred

import (
	"testing"

	"sync"

	"github.com/commutego/commute/testdata/inferred/turn"
)

type account struct {
	mu      sync.Mutex
	rw      sync.RWMutex
	balance int
	limit   int
	state   string
	owner   *account
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

// two looks and acts in two critical sections, step being between.
func (a *account) two(n int, step func()) {
	a.mu.Lock()
	was := a.balance
	a.mu.Unlock()
	step()
	a.mu.Lock()
	a.balance = was + n
	a.mu.Unlock()
}

func (a *account) one(n int, step func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	was := a.balance
	step()
	a.balance = was + n
}

// pause is the step of one goroutine of two.
func pause(s *turn.Turns) func() {
	return func() {
		s.Done("looked")
		s.Await("other")
	}
}

// after runs a function when the other has looked.
func after(s *turn.Turns, f func()) func() {
	return func() {
		s.Await("looked")
		f()
		s.Done("other")
	}
}

func TestRaceData(t *testing.T) {
	var a account
	s := turn.New(t)
	turn.Go(func() { a.two(1, pause(s)) }, after(s, func() { a.set(5) }))
}

func TestNoRaceData(t *testing.T) {
	var a account
	s := turn.New(t)
	turn.Go(func() { a.one(1, pause(s)) }, after(s, func() { a.set(5) }))
}

// Both do the same.
func TestRaceDeposits(t *testing.T) {
	var a account
	s := turn.New(t)
	turn.Go(func() { a.two(1, pause(s)) }, after(s, func() { a.two(2, func() {}) }))
}

func TestNoRaceDeposits(t *testing.T) {
	var a account
	s := turn.New(t)
	turn.Go(func() { a.one(1, pause(s)) }, after(s, func() { a.one(2, func() {}) }))
}

func (a *account) helped(n int, step func()) {
	was := a.get()
	step()
	a.set(was + n)
}

func TestRaceHelpers(t *testing.T) {
	var a account
	s := turn.New(t)
	turn.Go(func() { a.helped(1, pause(s)) }, after(s, func() { a.helped(2, func() {}) }))
}

// Another goroutine only looks.
func TestNoRaceHelpersRead(t *testing.T) {
	var a account
	s := turn.New(t)
	turn.Go(func() { a.helped(1, pause(s)) }, after(s, func() { a.get() }))
}

// The other one writes before the first looks, and after it has acted. But for the lock nothing
// forces that: the second write could have come between.
func TestRaceBeforeAndAfter(t *testing.T) {
	var a account
	s := turn.New(t)
	turn.Go(func() {
		s.Await("before")
		a.helped(1, func() {})
		s.Done("after")
	}, func() {
		a.set(3)
		s.Done("before")
		s.Await("after")
		a.set(4)
	})
}

// Another account is no matter.
func TestNoRaceOther(t *testing.T) {
	var a, b account
	s := turn.New(t)
	turn.Go(func() { a.two(1, pause(s)) }, after(s, func() { b.set(5) }))
}

// start decides by a state that is out of date.
func (a *account) start(step func()) bool {
	a.rw.RLock()
	state := a.state
	a.rw.RUnlock()
	if state != "" {
		return false
	}
	step()
	a.rw.Lock()
	a.state = "started"
	a.rw.Unlock()
	return true
}

func (a *account) startChecked(step func()) bool {
	a.rw.RLock()
	state := a.state
	a.rw.RUnlock()
	if state != "" {
		return false
	}
	step()
	a.rw.Lock()
	defer a.rw.Unlock()
	if a.state != "" {
		return false
	}
	a.state = "started"
	return true
}

func TestRaceControl(t *testing.T) {
	var a account
	s := turn.New(t)
	turn.Go(func() { a.start(pause(s)) }, after(s, func() { a.start(func() {}) }))
}

func TestNoRaceDoubleChecked(t *testing.T) {
	var a account
	s := turn.New(t)
	turn.Go(func() { a.startChecked(pause(s)) }, after(s, func() { a.startChecked(func() {}) }))
}

// A pointer that is created twice.
func (a *account) lazy(step func()) *account {
	a.mu.Lock()
	o := a.owner
	a.mu.Unlock()
	if o == nil {
		step()
		o = new(account)
		a.mu.Lock()
		a.owner = o
		a.mu.Unlock()
	}
	return o
}

func (a *account) lazyChecked(step func()) *account {
	a.mu.Lock()
	o := a.owner
	a.mu.Unlock()
	if o == nil {
		step()
		a.mu.Lock()
		defer a.mu.Unlock()
		if a.owner == nil {
			a.owner = new(account)
		}
		o = a.owner
	}
	return o
}

func TestRaceLazy(t *testing.T) {
	var a account
	s := turn.New(t)
	turn.Go(func() { a.lazy(pause(s)) }, after(s, func() { a.lazy(func() {}) }))
}

func TestNoRaceLazy(t *testing.T) {
	var a account
	s := turn.New(t)
	turn.Go(func() { a.lazyChecked(pause(s)) }, after(s, func() { a.lazyChecked(func() {}) }))
}

var (
	configLock sync.Mutex
	config     string
)

func reload(step func()) {
	configLock.Lock()
	old := config
	configLock.Unlock()
	step()
	configLock.Lock()
	config = old + "x"
	configLock.Unlock()
}

func TestRaceGlobal(t *testing.T) {
	s := turn.New(t)
	turn.Go(func() { reload(pause(s)) }, after(s, func() { reload(func() {}) }))
}

func TestNoRaceGlobal(t *testing.T) {
	s := turn.New(t)
	reload(func() {})
	turn.Go(func() {}, after(s, func() { reload(func() {}) }))
	reload(func() {})
}

func TestRaceCaptured(t *testing.T) {
	var mu sync.Mutex
	n := 0
	s := turn.New(t)
	turn.Go(func() {
		mu.Lock()
		was := n
		mu.Unlock()
		pause(s)()
		mu.Lock()
		n = was + 1
		mu.Unlock()
	}, after(s, func() {
		mu.Lock()
		n = 7
		mu.Unlock()
	}))
}

// In a loop, every round is for itself.
func (a *account) rounds(n int, step func(int)) {
	for i := range n {
		a.mu.Lock()
		was := a.balance
		a.mu.Unlock()
		step(i)
		a.mu.Lock()
		a.balance = was + 1
		a.mu.Unlock()
	}
}

func TestRaceRounds(t *testing.T) {
	var a account
	s := turn.New(t)
	turn.Go(func() {
		a.rounds(5, func(i int) {
			if i == 3 {
				pause(s)()
			}
		})
	}, after(s, func() { a.set(5) }))
}

func (a *account) roundsApart(s *turn.Turns) {
	for i := range 5 {
		a.mu.Lock()
		was := a.balance
		a.mu.Unlock()
		a.mu.Lock()
		a.balance = was + 1
		a.mu.Unlock()
		if i == 3 {
			pause(s)()
		}
	}
}

// Here, too, the write could have come between.
func TestRaceRoundsApart(t *testing.T) {
	var a account
	s := turn.New(t)
	turn.Go(func() { a.roundsApart(s) }, after(s, func() { a.set(5) }))
}

// nested has a run of another inside, and of itself.
func (a *account) nested(depth int, b *account, step func()) {
	a.mu.Lock()
	was := a.balance
	a.mu.Unlock()
	if depth > 0 {
		b.nested(depth-1, a.owner, step)
	} else {
		step()
	}
	a.mu.Lock()
	a.balance = was + 1
	a.mu.Unlock()
}

func TestRaceNested(t *testing.T) {
	a, b := new(account), new(account)
	a.owner = new(account)
	s := turn.New(t)
	turn.Go(func() { a.nested(2, b, pause(s)) }, after(s, func() { a.set(5) }))
}

func TestNoRaceNested(t *testing.T) {
	a, b := new(account), new(account)
	a.owner = new(account)
	s := turn.New(t)
	turn.Go(func() { a.nested(2, b, pause(s)) }, after(s, func() { new(account).set(5) }))
}

// What never returns is seen all the same.
func TestRaceEndless(t *testing.T) {
	var a account
	s := turn.New(t)
	acted := make(chan bool)
	go func() {
		a.mu.Lock()
		was := a.balance
		a.mu.Unlock()
		pause(s)()
		a.mu.Lock()
		a.balance = was + 1
		a.mu.Unlock()
		acted <- true
		select {}
	}()
	after(s, func() { a.set(5) })()
	<-acted
}

// A panic ends it, and what comes later is not part of it.
func TestNoRacePanic(t *testing.T) {
	var a account
	s := turn.New(t)
	turn.Go(func() {
		func() {
			defer func() { recover() }()
			a.two(1, func() { panic("x") })
		}()
		pause(s)()
		a.set(9)
	}, after(s, func() { a.set(5) }))
}
