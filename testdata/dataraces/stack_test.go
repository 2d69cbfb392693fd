// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package dataraces

import (
	"runtime"
	"testing"
)

// deepen keeps a goroutine's stack deep, with a pointer into it that is passed down.
//
//go:noinline
func deepen(n int, p *int64) int64 {
	var own [64]int64
	own[n%64] = *p
	*p++
	if n == 0 {
		return own[n%64]
	}
	q := &own[(n+1)%64]
	*q = int64(n)
	total := deepen(n-1, q)
	*p += *q // the stack may have moved
	return total + own[n%64]
}

func deepenOnce(n int) func() {
	return func() {
		var x int64
		keep(deepen(n, &x))
		keep(x)
	}
}

// A stack is its goroutine's, and afterwards another's.
func TestNoRaceStackReused(t *testing.T) {
	for range 20 {
		apart(deepenOnce(5), deepenOnce(40), deepenOnce(5), deepenOnce(300))
		together(deepenOnce(100), deepenOnce(100), deepenOnce(20))
	}
}

// Stacks that were grown are made small by the collector, and left behind.
func TestNoRaceStackShrunk(t *testing.T) {
	shrink := func() {
		for range 3 {
			deepenOnce(200)()
			runtime.GC()
		}
	}
	apart(shrink, shrink)
	together(shrink, shrink, deepenOnce(100))
}

// A pointer to a variable on the own stack survives the stack's move.
func TestNoRaceStackMoved(t *testing.T) {
	move := func() {
		var x [4]int64
		p, s := &x[1], x[1:3]
		*p = 1
		deepenOnce(500)()
		*p++
		s[1] = 2
		descend(200, func() { keep(len(s)) })
		keep(x)
	}
	together(move, move, move)
	apart(move, move)
}

// Arguments, results and variables in the frames of one goroutine are where another's were.
func TestNoRaceStackFrames(t *testing.T) {
	frames := func() {
		l := large{head: 1}
		for i := range 50 {
			l = pass(l, i)
			s := small{a: int8(i)}
			change(&s)
			list := [8]string{3: s.c}
			fill(list[:])
			keep(list)
		}
	}
	together(frames, frames, frames)
	apart(frames, frames)
}

//go:noinline
func pass(l large, i int) large {
	l.body[i%20] = int32(i)
	return l
}

//go:noinline
func change(s *small) { s.b, s.c = 1, "a" }

//go:noinline
func fill(list []string) {
	for i := range list {
		list[i] = "a"
	}
}

// A channel writes into the stack of who waits at it.
func TestNoRaceStackReceive(t *testing.T) {
	c := make(chan large)
	for range 20 {
		together(
			func() { var l large; keep(l); l = <-c; change(&l.other); keep(l) },
			func() { var l large; change(&l.other); c <- l; l.head = 2; keep(l) },
		)
	}
}

// What was moved to the heap because two share it is shared, though it looks like a variable on a stack.
func TestRaceStackEscaped(t *testing.T) {
	for range 2 {
		var x int64
		use := func() { keep(deepen(60, &x)) }
		apart(use, use)
	}
}

// A stack that grows between doesn't hide what is shared.
func TestRaceStackGrown(t *testing.T) {
	pairs{
		"Before": func() (a, b func()) {
			c := new(cargo)
			return func() { c.load(); deepenOnce(500)() }, func() { c.unload(); deepenOnce(500)() }
		},
		"Between": func() (a, b func()) {
			c := new(cargo)
			return func() { deepenOnce(500)(); c.load() }, func() { deepenOnce(500)(); c.unload() }
		},
		"Within": func() (a, b func()) {
			c := new(cargo)
			return func() { descend(400, c.load) }, func() { descend(400, c.unload) }
		},
	}.races(t)
}

// Goroutines that have ended leave their stacks to those that start.
func TestNoRaceStackOfEnded(t *testing.T) {
	for range 50 {
		done := make(chan int)
		for range 4 {
			go func() { deepenOnce(30)(); done <- 1 }()
		}
		for range 4 {
			<-done
		}
	}
	var ended [20]flag
	for i := range ended {
		go func() { deepenOnce(30)(); ended[i].raise() }() // nothing orders them
	}
	for i := range ended {
		ended[i].await()
	}
}
