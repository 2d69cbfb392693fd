// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package edges

import (
	"testing"
	"time"
)

const soon = time.Microsecond

// Starting a timer comes before what it does.

func timerReset() edge {
	timer := time.NewTimer(time.Hour)
	return edge{func() { timer.Reset(soon) }, func() { <-timer.C }}
}

func TestNoRaceTimerReset(t *testing.T) { ordered(timerReset()) }
func TestRaceTimerReset(t *testing.T)   { both(t, timerReset) }

func tickerReset() edge {
	ticker := time.NewTicker(time.Hour)
	return edge{func() { ticker.Reset(soon) }, func() { <-ticker.C; ticker.Stop() }}
}

func TestNoRaceTickerReset(t *testing.T) { ordered(tickerReset()) }
func TestRaceTickerReset(t *testing.T)   { both(t, tickerReset) }

// made is the start of a timer, by a function that is told to pass its channel on without an edge.
func made(start func() <-chan time.Time) edge {
	var ready flag
	var c <-chan time.Time
	return edge{
		func() { setChan(&c, start()); ready.raise() },
		func() { ready.await(); <-getChan(&c) },
	}
}

//go:norace
//go:noinline
func setChan(to *<-chan time.Time, c <-chan time.Time) { *to = c }

//go:norace
//go:noinline
func getChan(from *<-chan time.Time) <-chan time.Time { return *from }

func newTimer() edge {
	return made(func() <-chan time.Time { return time.NewTimer(soon).C })
}

func TestNoRaceNewTimer(t *testing.T) { ordered(newTimer()) }
func TestRaceNewTimer(t *testing.T)   { both(t, newTimer) }

func timeAfter() edge {
	return made(func() <-chan time.Time { return time.After(soon) })
}

func TestNoRaceTimeAfter(t *testing.T) { ordered(timeAfter()) }
func TestRaceTimeAfter(t *testing.T)   { both(t, timeAfter) }

func TestNoRaceAfterFunc(t *testing.T) {
	var o object
	done := make(chan int)
	o.write(1)
	time.AfterFunc(soon, func() { o.read(); close(done) })
	<-done
}

func TestRaceAfterFunc(t *testing.T) {
	var o object
	done := make(chan int)
	time.AfterFunc(soon, func() { o.read(); close(done) })
	o.write(1)
	<-done
}

func TestNoRaceAfterFuncReset(t *testing.T) {
	var o object
	done := make(chan int)
	timer := time.AfterFunc(time.Hour, func() { o.read(); close(done) })
	o.write(1)
	timer.Reset(soon)
	<-done
}

// Two functions of two timers aren't ordered, though one thread may run both.
func TestRaceAfterFuncSiblings(t *testing.T) {
	var o object
	done := make(chan int, 2)
	var first flag
	time.AfterFunc(soon, func() { o.write(1); first.raise(); done <- 1 })
	time.AfterFunc(soon, func() { first.await(); o.read(); done <- 1 })
	<-done
	<-done
}

// To stop a timer orders nothing after what its function did.
func TestRaceTimerStop(t *testing.T) {
	var o object
	var ran flag
	timer := time.AfterFunc(soon, func() { o.write(1); ran.raise() })
	ran.await()
	timer.Stop()
	o.read()
}
