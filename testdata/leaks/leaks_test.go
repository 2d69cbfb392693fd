// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package leaks

import (
	"os"
	"runtime"
	"sync"
	"testing"
	"unsafe"
	"weak"
)

// TestMain runs the tests twice if LEAKS_RUNS says so.
func TestMain(m *testing.M) {
	code := m.Run()
	if os.Getenv("LEAKS_RUNS") == "again" {
		code = m.Run()
	}
	os.Exit(code)
}

func TestLeakSend(t *testing.T) {
	c := make(chan int)
	for i := range 3 {
		go func() { c <- i }()
	}
	<-c
}

func TestLeakReceive(t *testing.T) {
	c := make(chan int)
	go func() { <-c }()
}

func TestLeakSelect(t *testing.T) {
	a, b := make(chan int), make(chan int)
	go func() {
		select {
		case <-a:
		case b <- 1:
		}
	}()
}

func TestLeakNil(t *testing.T) {
	var c chan int
	go func() { c <- 1 }()
}

// A locked has a pointer: what has none may share a block of memory with something that lives.
type locked struct {
	mu   sync.Mutex
	next *locked
}

func TestLeakLock(t *testing.T) {
	l := new(locked)
	l.mu.Lock()
	go func() { l.mu.Lock() }()
}

func TestLeakGroup(t *testing.T) {
	var wg sync.WaitGroup
	wg.Add(1)
	go func() { wg.Wait() }()
}

func TestLeakCond(t *testing.T) {
	c := sync.NewCond(new(sync.Mutex))
	go func() {
		c.L.Lock()
		c.Wait()
	}()
}

func TestLeakIgnored(t *testing.T) {
	c := make(chan int)
	go func() { <-c }() //commute:ignore it is meant to stay
}

var global = make(chan int)

func TestNoLeakGlobal(t *testing.T) { go func() { <-global }() }

func TestNoLeakAsked(t *testing.T) { go func() { select {} }() }

// A server stops what it has started when nobody has it any more.
type server struct{ stop chan int }

func TestNoLeakFinalizer(t *testing.T) {
	s := &server{make(chan int)}
	runtime.SetFinalizer(s, func(s *server) { close(s.stop) })
	stop := s.stop
	go func() { <-stop }()
}

// A cache has the server by a weak pointer alone, and stops it if somebody has it still.
var cache weak.Pointer[server]

func TestNoLeakWeak(t *testing.T) {
	s := &server{make(chan int)}
	cache = weak.Make(s)
	go func() {
		<-s.stop
		runtime.KeepAlive(s)
	}()
}

// The number of a channel is no pointer, so the goroutine counts as leaked. A finalizer that the
// search has run wakes it, and it waits again before the search is over: that yields for each span
// of the ballast, after it has found the object without a reference. Goroutines take turns.
func TestNoLeakWoken(t *testing.T) {
	runtime.GOMAXPROCS(1)
	for range 200 {
		ballast = append(ballast, new([32 << 10]byte))
	}
	c := make(chan int)
	number := ^uintptr(unsafe.Pointer(&c))
	go func() {
		for range c {
		}
		runtime.KeepAlive(&c)
	}()
	finalize(func() { *(*chan int)(unsafe.Add(nil, ^number)) <- 1 })
}

var ballast []*[32 << 10]byte

// finalize has f called by the next collection of garbage.
//
//go:noinline
func finalize(f func()) { runtime.SetFinalizer(new(server), func(*server) { f() }) }

// TestLeakSubtest has package testing run a subtest that nobody waits for. That waits, in a
// goroutine of package testing, and so does who has started it.
func TestLeakSubtest(t *testing.T) {
	c, begun := make(chan int), make(chan int)
	go t.Run("sub", func(*testing.T) {
		close(begun)
		<-c
	})
	<-begun
}
