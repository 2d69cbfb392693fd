// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package unmarked

import (
	"sync"
	"testing"
)

// Lost updates: what is written is computed from what was read.

type rates struct {
	mu  sync.Mutex
	m   map[string]int
	gen int
	sum int
}

func newRates() *rates { return &rates{m: map[string]int{"k": 1}} }

func (r *rates) get(k string) (int, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	v, ok := r.m[k]
	return v, ok
}

func (r *rates) put(k string, v int) {
	r.mu.Lock()
	r.m[k] = v
	r.mu.Unlock()
}

// raise has a section in each helper.
func (r *rates) raise(k string, pause func()) {
	v, _ := r.get(k)
	pause()
	r.put(k, v+1)
}

func TestRaceRaiseBetween(*testing.T) {
	r := newRates()
	between(func(pause func()) { r.raise("k", pause) }, func() { r.raise("k", nothing) })
}

func TestRaceRaiseAfter(*testing.T) {
	r := newRates()
	after(func(pause func()) { r.raise("k", pause) }, func() { r.raise("k", nothing) })
}

func TestRaceRaisePutBetween(*testing.T) {
	r := newRates()
	between(func(pause func()) { r.raise("k", pause) }, func() { r.put("k", 10) })
}

func TestNoRaceRaiseOtherKeyBetween(*testing.T) {
	r := newRates()
	between(func(pause func()) { r.raise("k", pause) }, func() { r.raise("l", nothing) })
}

func TestNoRaceRaiseOtherKeyAfter(*testing.T) {
	r := newRates()
	after(func(pause func()) { r.raise("k", pause) }, func() { r.raise("l", nothing) })
}

func TestNoRaceRaiseGetBetween(*testing.T) {
	r := newRates()
	between(func(pause func()) { r.raise("k", pause) }, func() { r.get("k") })
}

func TestNoRaceRaiseOtherObjectBetween(*testing.T) {
	r, o := newRates(), newRates()
	between(func(pause func()) { r.raise("k", pause) }, func() { o.raise("k", nothing) })
}

// bump has both sections in itself.
func (r *rates) bump(pause func()) {
	r.mu.Lock()
	v := r.sum
	r.mu.Unlock()
	pause()
	r.mu.Lock()
	r.sum = v + 1
	r.mu.Unlock()
}

func TestRaceBumpBetween(*testing.T) {
	r := newRates()
	between(r.bump, func() { r.bump(nothing) })
}

func TestRaceBumpAfter(*testing.T) {
	r := newRates()
	after(r.bump, func() { r.bump(nothing) })
}

// bumpLocked is bump in one section.
func (r *rates) bumpLocked(pause func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	v := r.sum
	pause()
	r.sum = v + 1
}

func TestNoRaceBumpLockedAfter(*testing.T) {
	r := newRates()
	after(r.bumpLocked, func() { r.bumpLocked(nothing) })
}

// An outer lock makes one of two sections.
func TestNoRaceRaiseOuterLockAfter(*testing.T) {
	r := newRates()
	var outer sync.Mutex
	raise := func(pause func()) {
		outer.Lock()
		defer outer.Unlock()
		r.raise("k", pause)
	}
	after(raise, func() { raise(nothing) })
}

// Handed on by a channel, the second comes after the first.
func TestNoRaceRaiseHandedOn(*testing.T) {
	r := newRates()
	turn := make(chan bool)
	both(func() {
		r.raise("k", nothing)
		turn <- true
	}, func() {
		<-turn
		r.raise("k", nothing)
	})
}

// raiseSame gives up if the generation has moved.
func (r *rates) raiseSame(k string, pause func()) bool {
	r.mu.Lock()
	gen, v := r.gen, r.m[k]
	r.mu.Unlock()
	pause()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.gen != gen {
		return false
	}
	r.m[k] = v + 1
	r.gen++
	return true
}

func TestNoRaceGenerationBetween(*testing.T) {
	r := newRates()
	between(func(pause func()) { r.raiseSame("k", pause) }, func() { r.raiseSame("k", nothing) })
}

func TestNoRaceGenerationAfter(*testing.T) {
	r := newRates()
	after(func(pause func()) { r.raiseSame("k", pause) }, func() { r.raiseSame("k", nothing) })
}

// A captured variable, with a lock of its own.
func TestRaceCapturedBetween(*testing.T) {
	var mu sync.Mutex
	n := 0
	add := func(pause func()) {
		mu.Lock()
		v := n
		mu.Unlock()
		pause()
		mu.Lock()
		n = v + 1
		mu.Unlock()
	}
	between(add, func() { add(nothing) })
}

var (
	totalLock sync.Mutex
	total     int
)

func addTotal(pause func()) {
	totalLock.Lock()
	v := total
	totalLock.Unlock()
	pause()
	totalLock.Lock()
	total = v + 1
	totalLock.Unlock()
}

func TestRaceGlobalBetween(*testing.T) { between(addTotal, func() { addTotal(nothing) }) }
func TestRaceGlobalAfter(*testing.T)   { after(addTotal, func() { addTotal(nothing) }) }
