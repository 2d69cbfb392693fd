// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package turn holds threads back in the middle of what they do. It is not watched: what it does
// is no conflict between transactions.
package turn

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// hook is what a thread does at Here. It changes only while one goroutine runs.
var hook func()

// Here is where a thread may be held back.
func Here() {
	if hook != nil {
		hook()
	}
}

// Interrupt runs first, and other where first comes to Here: it goes on when other is over.
func Interrupt(first, other func()) {
	between(first, other, nil)
}

// Invite is as Interrupt, but first goes on after a moment: it may hold what other needs.
func Invite(first, other func()) {
	between(first, other, time.After(5*time.Millisecond))
}

func between(first, other func(), moment <-chan time.Time) {
	half, over := make(chan bool), make(chan bool)
	var held atomic.Bool
	hook = func() {
		if held.Swap(true) {
			return
		}
		close(half)
		select {
		case <-over:
		case <-moment:
		}
	}
	defer func() { hook = nil }()
	Go(first, func() {
		<-half
		other()
		close(over)
	})
}

// Go runs functions side by side and waits for them.
func Go(fs ...func()) {
	var wg sync.WaitGroup
	for _, f := range fs {
		wg.Go(f)
	}
	wg.Wait()
}

// often is out of how many times a thread lets others go on at Here, in a natural run.
const often = 4

// Natural runs a program so that threads let others go on at times.
func Natural(run func()) {
	hook = func() {
		if rand.IntN(often) == 0 {
			runtime.Gosched()
		}
	}
	defer func() { hook = nil }()
	run()
}
