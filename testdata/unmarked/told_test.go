// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package unmarked

import (
	"sync"
	"testing"
)

// What fails as somebody else has come first tells that he has.

func TestNoRaceToldByTryLock(*testing.T) {
	r := newRates()
	var mu sync.Mutex
	var taken, tried flag
	both(func() {
		r.raise("k", nothing)
		mu.Lock()
		taken.raise()
		tried.await()
		mu.Unlock()
	}, func() {
		taken.await()
		if !mu.TryLock() {
			r.put("k", 10)
		}
		tried.raise()
	})
}

func TestNoRaceToldByFullChannel(*testing.T) {
	r := newRates()
	c := make(chan int, 1)
	after(func(func()) {
		r.raise("k", nothing)
		c <- 1
	}, func() {
		select {
		case c <- 2:
		default:
			r.put("k", 10)
		}
	})
}

func TestNoRaceToldByEmptyChannel(*testing.T) {
	r := newRates()
	c := make(chan int, 1)
	c <- 1
	after(func(func()) {
		r.raise("k", nothing)
		<-c
	}, func() {
		select {
		case <-c:
		default:
			r.put("k", 10)
		}
	})
}

func TestNoRaceToldByOneOfTwo(*testing.T) {
	r := newRates()
	c, done := make(chan int, 1), make(chan bool)
	after(func(func()) {
		r.raise("k", nothing)
		c <- 1
	}, func() {
		select {
		case <-done:
		case c <- 2:
		default:
			r.put("k", 10)
		}
	})
}

// A channel that nobody else has used tells nothing, such as that of a context that is not done.

func TestRaceNotDone(t *testing.T) {
	r := newRates()
	after(func(func()) { r.raise("k", nothing) }, func() {
		select {
		case <-t.Context().Done():
		default:
			r.put("k", 10)
		}
	})
}

func TestRaceOwnChannelFull(*testing.T) {
	r := newRates()
	done := make(chan bool)
	after(func(func()) { r.raise("k", nothing) }, func() {
		c := make(chan int, 1)
		for {
			select {
			case c <- 1:
				continue
			case <-done:
			default:
				r.put("k", 10)
			}
			break
		}
	})
}

// A lock that is free tells nothing.
func TestRaceTryLockFree(*testing.T) {
	r := newRates()
	var mu sync.Mutex
	after(func(func()) { r.raise("k", nothing) }, func() {
		if mu.TryLock() {
			r.put("k", 10)
			mu.Unlock()
		}
	})
}

// What a function sets at last is nothing that it has looked at.
func (r *rates) raiseAndReset(k string, raised chan<- bool) {
	v, _ := r.get(k)
	r.put(k, v+1)
	close(raised)
	r.put(k, 7)
}

func TestNoRaceReset(*testing.T) {
	r := newRates()
	raised := make(chan bool)
	after(func(func()) { r.raiseAndReset("k", raised) }, func() {
		<-raised
		r.put("k", 10)
	})
}
