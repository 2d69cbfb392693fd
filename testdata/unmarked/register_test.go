// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package unmarked

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
)

// Who registers in two sections is told that he was the first, and so may others be.

type names struct {
	mu      sync.RWMutex
	used    map[string]int
	started atomic.Bool
}

var errUsed = errors.New("used")

func newNames() *names { return &names{used: make(map[string]int)} }

// take stores an equal value each time.
func (n *names) take(name string) bool {
	n.mu.RLock()
	_, ok := n.used[name]
	n.mu.RUnlock()
	if ok {
		return false
	}
	n.mu.Lock()
	n.used[name] = 1
	n.mu.Unlock()
	return true
}

// takeSlowly does so after a pause.
func (n *names) takeSlowly(name string, pause func()) bool {
	n.mu.RLock()
	_, ok := n.used[name]
	n.mu.RUnlock()
	if ok {
		return false
	}
	pause()
	n.mu.Lock()
	n.used[name] = 1
	n.mu.Unlock()
	return true
}

func (n *names) has(name string) bool {
	n.mu.RLock()
	defer n.mu.RUnlock()
	return n.used[name] != 0
}

func (n *names) put(name string, id int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.used[name] = id
}

func (n *names) register(name string, id int) error {
	if n.has(name) {
		return errUsed
	}
	n.put(name, id)
	return nil
}

// takeRight looks again.
func (n *names) takeRight(name string) bool {
	if n.has(name) {
		return false
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if _, ok := n.used[name]; ok {
		return false
	}
	n.used[name] = 1
	return true
}

// ensure tells nothing: it makes no difference who was the first.
func (n *names) ensure(name string) bool {
	if n.has(name) {
		return true
	}
	n.put(name, 1)
	return true
}

func (n *names) start() bool {
	if n.started.Load() {
		return false
	}
	n.started.Store(true)
	return true
}

func (n *names) startRight() bool {
	return !n.started.Load() && n.started.CompareAndSwap(false, true)
}

func TestRaceTakenTwice(*testing.T) {
	n := newNames()
	take := func(func()) { n.take("a") }
	after(take, func() { take(nothing) })
}

// The value that is there is stored once more, which changes nothing but what is told.
func TestRaceTakenInBetween(*testing.T) {
	n := newNames()
	between(func(pause func()) { n.takeSlowly("a", pause) }, func() { n.put("a", 1) })
}

func TestRaceRegisteredTwice(*testing.T) {
	n := newNames()
	after(func(func()) { n.register("a", 1) }, func() { n.register("a", 2) })
}

func TestRaceStartedTwice(*testing.T) {
	n := newNames()
	after(func(func()) { n.start() }, func() { n.start() })
}

func TestNoRaceOtherNames(*testing.T) {
	n := newNames()
	after(func(func()) { n.take("a") }, func() { n.take("b") })
}

func TestNoRaceTakenRight(*testing.T) {
	n := newNames()
	after(func(func()) { n.takeRight("a") }, func() { n.takeRight("a") })
}

func TestNoRaceEnsured(*testing.T) {
	n := newNames()
	after(func(func()) { n.ensure("a") }, func() { n.ensure("a") })
}

func TestNoRaceStartedRight(*testing.T) {
	n := newNames()
	after(func(func()) { n.startRight() }, func() { n.startRight() })
}

func TestNoRaceRegisteredUnderALock(*testing.T) {
	n := newNames()
	var all sync.Mutex
	register := func(func()) {
		all.Lock()
		defer all.Unlock()
		n.register("a", 1)
	}
	after(register, func() { register(nothing) })
}

func TestNoRaceRegisteredOneByOne(*testing.T) {
	n := newNames()
	done := make(chan bool)
	after(func(func()) {
		n.register("a", 1)
		close(done)
	}, func() {
		<-done
		n.register("a", 2)
	})
}
