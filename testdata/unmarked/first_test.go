// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package unmarked

import "testing"

// First values: what is written if the check finds nothing, and an update is made if it finds
// something. Two goroutines that write the same first value have lost an update.

// count writes a constant, in a branch of its own.
func (r *rates) count(k string, pause func()) {
	if v, ok := r.get(k); ok {
		pause()
		r.put(k, v+1)
	} else {
		pause()
		r.put(k, 1)
	}
}

func TestRaceCountBetween(*testing.T) {
	r := newRates()
	between(func(pause func()) { r.count("new", pause) }, func() { r.count("new", nothing) })
}

func TestRaceCountAfter(*testing.T) {
	r := newRates()
	after(func(pause func()) { r.count("new", pause) }, func() { r.count("new", nothing) })
}

func TestNoRaceCountOtherKeyBetween(*testing.T) {
	r := newRates()
	between(func(pause func()) { r.count("new", pause) }, func() { r.count("next", nothing) })
}

// total writes what it is given, and returns early.
func (r *rates) total(k string, n int, pause func()) {
	r.mu.Lock()
	v, ok := r.m[k]
	r.mu.Unlock()
	pause()
	if !ok {
		r.mu.Lock()
		r.m[k] = n
		r.mu.Unlock()
		return
	}
	r.mu.Lock()
	r.m[k] = v + n
	r.mu.Unlock()
}

func TestRaceTotalBetween(*testing.T) {
	r := newRates()
	between(func(pause func()) { r.total("new", 5, pause) }, func() { r.total("new", 5, nothing) })
}

func TestRaceTotalAfter(*testing.T) {
	r := newRates()
	after(func(pause func()) { r.total("new", 5, pause) }, func() { r.total("new", 5, nothing) })
}

func (r *rates) level() (n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n = r.sum
	return
}

func (r *rates) setLevel(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sum = n
}

// climb compares what it has seen, and what it writes first makes the comparison fail.
func (r *rates) climb(pause func()) {
	n := r.level()
	pause()
	if n == 0 {
		r.setLevel(1)
	} else {
		r.setLevel(n + 1)
	}
}

func TestRaceClimbBetween(*testing.T) {
	r := newRates()
	between(func(pause func()) { r.climb(pause) }, func() { r.climb(nothing) })
}

func TestRaceClimbAfter(*testing.T) {
	r := newRates()
	after(func(pause func()) { r.climb(pause) }, func() { r.climb(nothing) })
}

// settle writes no update once it has seen what it writes first: 1 is below 2.
func (r *rates) settle(pause func()) {
	n := r.level()
	pause()
	if n < 2 {
		r.setLevel(1)
	} else {
		r.setLevel(n + 1)
	}
}

func TestNoRaceSettleBetween(*testing.T) {
	r := newRates()
	between(func(pause func()) { r.settle(pause) }, func() { r.settle(nothing) })
}

func TestNoRaceSettleAfter(*testing.T) {
	r := newRates()
	after(func(pause func()) { r.settle(pause) }, func() { r.settle(nothing) })
}

// renew updates only what has a value that the first one is not.
func (r *rates) renew(k string, pause func()) {
	v, ok := r.get(k)
	pause()
	if !ok {
		r.put(k, 0)
	} else if v < 0 {
		r.put(k, v+1)
	}
}

func TestNoRaceRenewBetween(*testing.T) {
	r := newRates()
	between(func(pause func()) { r.renew("new", pause) }, func() { r.renew("new", nothing) })
}

func TestNoRaceRenewAfter(*testing.T) {
	r := newRates()
	after(func(pause func()) { r.renew("new", pause) }, func() { r.renew("new", nothing) })
}

// seed has no update.
func (r *rates) seed(k string, pause func()) {
	_, ok := r.get(k)
	pause()
	if !ok {
		r.put(k, 1)
	}
}

func TestNoRaceSeedBetween(*testing.T) {
	r := newRates()
	between(func(pause func()) { r.seed("new", pause) }, func() { r.seed("new", nothing) })
}

func TestNoRaceSeedAfter(*testing.T) {
	r := newRates()
	after(func(pause func()) { r.seed("new", pause) }, func() { r.seed("new", nothing) })
}

func (r *rates) has(k string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, ok := r.m[k]
	return ok
}

// tally has one helper to look, one to look again for the update, and one to write both.
func (r *rates) tally(k string, found, seen func()) {
	if !r.has(k) {
		seen()
		r.put(k, 1)
		return
	}
	found()
	v, _ := r.get(k)
	seen()
	r.put(k, v+1)
}

func TestRaceTallyFirstBetween(*testing.T) {
	r := newRates()
	between(func(pause func()) { r.tally("new", nothing, pause) },
		func() { r.tally("new", nothing, nothing) })
}

func TestRaceTallyFirstAfter(*testing.T) {
	r := newRates()
	after(func(pause func()) { r.tally("new", nothing, pause) },
		func() { r.tally("new", nothing, nothing) })
}

func TestRaceTallyUpdateBetween(*testing.T) {
	r := newRates()
	between(func(pause func()) { r.tally("k", nothing, pause) }, func() { r.put("k", 10) })
}

// The tally looks again after the other's change. So does everybody who changes it later.
func TestNoRaceTallyLookedAgainBetween(*testing.T) {
	r := newRates()
	between(func(pause func()) { r.tally("k", pause, nothing) }, func() { r.put("k", 10) })
}
