// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package transactions

import (
	"sync"
	"testing"
)

// In these tests one goroutine has a critical section, and then another one has a transaction of two. Whether the first can come
// between depends on what they do with channels in their sections. Only what looks at a recorded trace puts off what came first.

// A post is written under a lock.
type post struct {
	mu sync.Mutex
	n  int
}

func (p *post) write(n int, first func()) {
	p.mu.Lock()
	first()
	p.n = n
	p.mu.Unlock()
}

// atomic
func (p *post) twice(first, second func()) {
	p.write(1, first)
	p.write(2, second)
}

// between has one goroutine write, and then another one write twice.
func between(once, first, second func()) {
	p := new(post)
	inTurn(func() { p.write(5, once) }, func() { p.twice(first, second) })
}

func nothing() {}

// The two send to different channels.
func TestNoRacePredictedChannels(t *testing.T) {
	a, b := make(chan int, 2), make(chan *int, 2)
	between(func() { a <- 1 }, func() { b <- new(int) }, nothing)
}

// The second one receives what the first has sent.
func TestNoRacePredictedOneChannel(t *testing.T) {
	a := make(chan int, 2)
	between(func() { a <- 1 }, func() { <-a }, nothing)
}

// The two wait for WaitGroups of their own.
func TestNoRacePredictedGroups(t *testing.T) {
	wait := func() {
		var wg sync.WaitGroup
		wg.Go(nothing)
		wg.Wait()
	}
	between(wait, wait, nothing)
}

// The second one's Wait returns as the first has called Done.
func TestNoRacePredictedOneGroup(t *testing.T) {
	var a sync.WaitGroup
	a.Add(1)
	between(a.Done, a.Wait, nothing)
}

// The second one looks whether there is something in a channel that others use, too.
func TestNoRacePredictedAttempt(t *testing.T) {
	a, done := make(chan int, 1), make(chan bool)
	go func() {
		a <- 1
		close(done)
	}()
	<-done
	<-a
	between(nothing, func() {
		select {
		case <-a:
		default:
		}
	}, nothing)
}

// The second one finds a channel empty, as the first has received what was in it.
func TestNoRacePredictedAttemptAfter(t *testing.T) {
	a := make(chan int, 1)
	a <- 1
	between(func() { <-a }, func() {
		select {
		case <-a:
		default:
		}
	}, nothing)
}

// isOpen looks whether a channel is closed.
func isOpen(c chan bool) {
	select {
	case <-c:
	default:
	}
}

// The second section finds a channel open that another goroutine closes when it writes.
func TestNoRacePredictedOpen(t *testing.T) {
	p, c := new(post), make(chan bool)
	inTurn(func() { p.twice(nothing, func() { isOpen(c) }) },
		func() { p.write(5, func() { close(c) }) })
}

// The first section does.
func TestRacePredictedOpenBefore(t *testing.T) {
	p, c := new(post), make(chan bool)
	inTurn(func() { p.twice(func() { isOpen(c) }, nothing) },
		func() { p.write(5, func() { close(c) }) })
}
