// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package deadlocks

import (
	"sync"
	"sync/atomic"
	"testing"
)

func TestNoRaceStarted(t *testing.T) {
	var a, b sync.Mutex
	done := make(chan bool)
	nest(&a, &b)
	go func() {
		nest(&b, &a)
		close(done)
	}()
	<-done
}

func TestNoRaceWaitedFor(t *testing.T) {
	var a, b sync.Mutex
	var first sync.WaitGroup
	first.Go(func() { nest(&a, &b) })
	first.Wait()
	nest(&b, &a)
}

func TestNoRaceChannel(t *testing.T) {
	var a, b sync.Mutex
	c := make(chan int, 1)
	oneByOne(func() {
		nest(&a, &b)
		c <- 1
	}, func() {
		<-c
		nest(&b, &a)
	})
}

func TestRaceChannelBefore(t *testing.T) {
	var a, b sync.Mutex
	c := make(chan int, 1)
	oneByOne(func() {
		c <- 1
		nest(&a, &b)
	}, func() {
		<-c
		nest(&b, &a)
	})
}

func TestNoRaceOnce(t *testing.T) {
	var a, b sync.Mutex
	var once sync.Once
	f := func() { nest(&a, &b) }
	oneByOne(func() { once.Do(f) }, func() {
		once.Do(f)
		nest(&b, &a)
	})
}

func TestNoRaceAtomic(t *testing.T) {
	var a, b sync.Mutex
	var ready atomic.Bool
	oneByOne(func() {
		nest(&a, &b)
		ready.Store(true)
	}, func() {
		if ready.Load() {
			nest(&b, &a)
		}
	})
}

// An atomic operation in a critical section is known to nobody who doesn't make one himself.
func TestRaceAtomicInside(t *testing.T) {
	var a, b sync.Mutex
	var n atomic.Int32
	f := func(x, y *sync.Mutex) {
		x.Lock()
		y.Lock()
		n.Add(1)
		y.Unlock()
		x.Unlock()
	}
	oneByOne(func() { nest(&a, &b) }, func() { f(&a, &b) }, func() { f(&b, &a) })
}

func TestNoRaceMap(t *testing.T) {
	var a, b sync.Mutex
	var m sync.Map
	oneByOne(func() {
		nest(&a, &b)
		m.Store("ready", true)
	}, func() {
		if _, ok := m.Load("ready"); ok {
			nest(&b, &a)
		}
	})
}

// The second goroutine is started under a lock, and waits for it to be let go.
func TestNoRaceStartedUnderLock(t *testing.T) {
	var m, a, b sync.Mutex
	done := make(chan bool)
	m.Lock()
	go func() {
		m.Lock()
		m.Unlock()
		nest(&b, &a)
		close(done)
	}()
	nest(&a, &b)
	m.Unlock()
	<-done
}

// As before, but a third one does what the lock guards.
func TestNoRaceWaitedForUnderLock(t *testing.T) {
	var m, a, b, c sync.Mutex
	nest(&c, &a) // from here on there are clocks
	done := make(chan bool)
	m.Lock()
	go func() {
		m.Lock()
		m.Unlock()
		nest(&b, &a)
		close(done)
	}()
	first := make(chan bool)
	go func() {
		nest(&a, &b)
		close(first)
	}()
	<-first
	m.Unlock()
	<-done
}

// A lock that one goroutine takes, and another one lets go, is a signal.
func TestNoRaceSignal(t *testing.T) {
	var signal, a, b sync.Mutex
	signal.Lock()
	oneByOne(func() {
		nest(&a, &b)
		signal.Unlock()
	}, func() {
		signal.Lock()
		nest(&b, &a)
	})
}

// The first goroutine no longer holds what it has handed on.
func TestNoRaceHandedOn(t *testing.T) {
	var a, b sync.Mutex
	c := make(chan int, 1)
	oneByOne(func() {
		a.Lock()
		c <- 1
	}, func() {
		<-c
		a.Unlock()
	}, func() { nest(&b, &a) })
	oneByOne(func() {
		a.Lock()
		nest(&b)
		c <- 1
	}, func() {
		<-c
		a.Unlock()
	}, func() { nest(&b, &a) })
}

func TestNoRaceHandedOnLater(t *testing.T) {
	var a, b sync.Mutex
	var other, free flag
	oneByOne(func() {
		a.Lock()
		nest(&b)
		var all sync.WaitGroup
		all.Go(func() { a.Unlock() })
		all.Wait()
		free.raise()
	}, func() {
		free.await()
		nest(&b, &a)
		other.raise()
	})
}

// Who has handed on a lock holds none, and is still there.
func TestRaceHandedOnBefore(t *testing.T) {
	var m, a, b sync.Mutex
	nest(&m, &a) // from here on there are clocks
	var end flag
	c := make(chan int)
	var all sync.WaitGroup
	all.Go(func() {
		m.Lock()
		c <- 1
		end.await()
	})
	<-c
	m.Unlock()
	oneByOne(func() { nest(&a, &b) }, func() { nest(&b, &a) })
	end.raise()
	all.Wait()
}
