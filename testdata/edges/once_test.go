// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package edges

import (
	"sync"
	"testing"
)

// onceEdge is the end of a function that is run once, before every other call returns.
func onceEdge(do func()) edge {
	var first flag
	return edge{
		func() { do(); first.raise() },
		func() { first.await(); do() },
	}
}

// inOnce writes in the function that newOnce makes a run-once function of, then reads after calls of it.
func inOnce(newOnce func(f func()) func()) {
	var o object
	do := newOnce(func() { o.write(1) })
	together(
		func() { do(); o.read() },
		func() { do(); o.read() },
	)
}

// inOnceFast is the same, with the last call certain to find the work done.
func inOnceFast(newOnce func(f func()) func()) {
	var o object
	var done flag
	do := newOnce(func() { o.write(1) })
	together(
		func() { do(); done.raise() },
		func() { done.await(); do(); o.read() },
	)
}

func newOnce(f func()) func() {
	once := new(sync.Once)
	return func() { once.Do(f) }
}

func newOnceFunc(f func()) func() { return sync.OnceFunc(f) }

func newOnceValue(f func()) func() {
	get := sync.OnceValue(func() int { f(); return 1 })
	return func() { get() }
}

func newOnceValues(f func()) func() {
	get := sync.OnceValues(func() (int, error) { f(); return 1, nil })
	return func() { _, _ = get() }
}

func TestNoRaceOnce(t *testing.T)           { inOnce(newOnce) }
func TestNoRaceOnceFast(t *testing.T)       { inOnceFast(newOnce) }
func TestNoRaceOnceFunc(t *testing.T)       { inOnce(newOnceFunc) }
func TestNoRaceOnceFuncFast(t *testing.T)   { inOnceFast(newOnceFunc) }
func TestNoRaceOnceValue(t *testing.T)      { inOnce(newOnceValue) }
func TestNoRaceOnceValueFast(t *testing.T)  { inOnceFast(newOnceValue) }
func TestNoRaceOnceValues(t *testing.T)     { inOnce(newOnceValues) }
func TestNoRaceOnceValuesFast(t *testing.T) { inOnceFast(newOnceValues) }

func TestRaceOnce(t *testing.T) {
	both(t, func() edge { return onceEdge(newOnce(func() {})) })
}

func TestRaceOnceFunc(t *testing.T) {
	both(t, func() edge { return onceEdge(newOnceFunc(func() {})) })
}

func TestRaceOnceValue(t *testing.T) {
	both(t, func() edge { return onceEdge(newOnceValue(func() {})) })
}

// A call that found the work done comes before nothing: not before a later call.
func TestRaceOnceDone(t *testing.T) {
	do := newOnce(func() {})
	do()
	var o object
	var first flag
	together(
		func() { o.write(1); do(); first.raise() },
		func() { first.await(); do(); o.read() },
	)
}
