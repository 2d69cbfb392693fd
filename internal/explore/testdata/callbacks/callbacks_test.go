// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package callbacks

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestRightCalls(t *testing.T) {
	var wg sync.WaitGroup
	var mu sync.Mutex
	sum := 0
	for range 4 {
		wg.Go(func() {
			for range 5 {
				mu.Lock()
				sum = Add(sum, 1)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if sum != 20 {
		t.Error(sum)
	}
}

// While a thread of C lives, the time goes as the real one does. When it has ended nothing else can
// come, and the time jumps.
func TestRightStays(t *testing.T) {
	done := make(chan bool)
	StartAndStay(func() { done <- true }, 50)
	<-done
	time.Sleep(4 * time.Minute)
}

// A C call that blocks lets others run.
func TestRightBlocking(t *testing.T) {
	done := make(chan bool)
	go func() { Nap(60); done <- true }()
	var n atomic.Int32
	go func() { n.Add(1); done <- true }()
	<-done
	<-done
}

// A callback on the thread of the call.
func TestRightCallback(t *testing.T) {
	var wg sync.WaitGroup
	var mu sync.Mutex
	n := 0
	for range 3 {
		wg.Go(func() {
			Callback(func() {
				mu.Lock()
				n++
				mu.Unlock()
				Callback(func() { mu.Lock(); n++; mu.Unlock() })
			})
		})
	}
	wg.Wait()
	if n != 6 {
		t.Error(n)
	}
}

// C's lock is held while Go runs, others wait for it in C.
func TestRightLockedCallback(t *testing.T) {
	var wg sync.WaitGroup
	n := 0
	for range 3 {
		wg.Go(func() {
			var mu sync.Mutex
			CallbackLocked(func() { mu.Lock(); n++; mu.Unlock() })
		})
	}
	wg.Wait()
	if n != 3 {
		t.Error(n)
	}
}

// A callback on a thread of C, for which a call waits.
func TestRightOnThread(t *testing.T) {
	var wg sync.WaitGroup
	var mu sync.Mutex
	n := 0
	for range 2 {
		wg.Go(func() {
			OnThread(func() {
				mu.Lock()
				n++
				mu.Unlock()
			}, 5)
		})
	}
	wg.Wait()
	if n != 10 {
		t.Error(n)
	}
}

// Callbacks on threads of C that nobody waits for, but with a timeout: time must not jump.
func TestRightLater(t *testing.T) {
	c := make(chan int, 3)
	for i := range 3 {
		Start(func() { c <- i }, 1, 100)
	}
	for range 3 {
		select {
		case <-c:
		case <-time.After(30 * time.Second):
			t.Fatal("nobody has called")
		}
	}
}

// C spins until another goroutine has done something.
func TestRightSpin(t *testing.T) {
	SetFlag(0)
	done := make(chan bool)
	go func() { Spin(); done <- true }()
	go func() { SetFlag(1) }()
	<-done
}

// Callbacks that start goroutines, and that wait for them.
func TestRightWaits(t *testing.T) {
	for range 2 {
		c, d := make(chan int), make(chan int)
		Start(func() {
			go func() { c <- 1 }()
			d <- <-c + 1
		}, 1, 0)
		if <-d != 2 {
			t.Error("wrong")
		}
	}
}

// A thread of C's own that never calls.
func TestRightSleeper(t *testing.T) {
	StartSleeper()
	start := time.Now()
	time.Sleep(20 * time.Millisecond)
	if time.Since(start) < 20*time.Millisecond {
		t.Error("too soon")
	}
}

// A lost update, in callbacks.
func TestWrongCallback(t *testing.T) {
	var n atomic.Int32
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { Callback(func() { n.Store(n.Load() + 1) }) })
	}
	wg.Wait()
	if n.Load() != 2 {
		t.Error("lost")
	}
}
