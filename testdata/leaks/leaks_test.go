// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package leaks

import (
	"os"
	"runtime"
	"sync"
	"testing"
)

func TestMain(m *testing.M) { os.Exit(m.Run()) }

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
