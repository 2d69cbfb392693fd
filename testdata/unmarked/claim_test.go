// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package unmarked

import (
	"sync"
	"testing"
)

// Sets that claim work: what is put into a map stands for work that is done once.

type fetched struct {
	mu sync.Mutex
	m  map[string]bool
}

func newFetched() *fetched { return &fetched{m: map[string]bool{"known": true}} }

func (v *fetched) has(k string) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.m[k]
}

func (v *fetched) add(k string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.m[k] = true
}

// visit fetches what was not fetched yet.
func (v *fetched) visit(k string, fetch func(), pause func()) {
	if v.has(k) {
		return
	}
	pause()
	v.add(k)
	fetch()
}

func TestRaceVisitBetween(*testing.T) {
	v := newFetched()
	between(func(pause func()) { v.visit("k", nothing, pause) },
		func() { v.visit("k", nothing, nothing) })
}

func TestRaceVisitAfter(*testing.T) {
	v := newFetched()
	after(func(pause func()) { v.visit("k", nothing, pause) },
		func() { v.visit("k", nothing, nothing) })
}

func TestNoRaceVisitOtherKeyBetween(*testing.T) {
	v := newFetched()
	between(func(pause func()) { v.visit("k", nothing, pause) },
		func() { v.visit("l", nothing, nothing) })
}

func TestNoRaceVisitKnownBetween(*testing.T) {
	v := newFetched()
	between(func(pause func()) { v.visit("k", nothing, pause) },
		func() { v.visit("known", nothing, nothing) })
}

// check remembers what it has checked: it may do so twice.
func (v *fetched) check(k string, validate func(), pause func()) {
	if v.has(k) {
		return
	}
	validate()
	pause()
	v.add(k)
}

func TestNoRaceMemoBetween(*testing.T) {
	v := newFetched()
	between(func(pause func()) { v.check("k", nothing, pause) },
		func() { v.check("k", nothing, nothing) })
}

func TestNoRaceMemoAfter(*testing.T) {
	v := newFetched()
	after(func(pause func()) { v.check("k", nothing, pause) },
		func() { v.check("k", nothing, nothing) })
}

// claim takes what it marks in one section.
func (v *fetched) claim(k string, fetch func(), pause func()) {
	if v.has(k) {
		return
	}
	pause()
	v.mu.Lock()
	if v.m[k] {
		v.mu.Unlock()
		return
	}
	v.m[k] = true
	v.mu.Unlock()
	fetch()
}

func TestNoRaceOnceBetween(*testing.T) {
	v := newFetched()
	between(func(pause func()) { v.claim("k", nothing, pause) },
		func() { v.claim("k", nothing, nothing) })
}

func TestNoRaceOnceAfter(*testing.T) {
	v := newFetched()
	after(func(pause func()) { v.claim("k", nothing, pause) },
		func() { v.claim("k", nothing, nothing) })
}
