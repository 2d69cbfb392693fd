// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package unmarked

import (
	"sync"
	"sync/atomic"
	"testing"
)

// A plain value that is computed twice is no bug by itself: only level all reports that.

type sizes struct {
	mu    sync.Mutex
	m     map[string]int
	scale int
}

func (s *sizes) of(k string, pause func()) int {
	s.mu.Lock()
	n, ok := s.m[k]
	s.mu.Unlock()
	if ok {
		return n
	}
	pause()
	s.mu.Lock()
	n = len(k) * s.scale
	s.m[k] = n
	s.scale++
	s.mu.Unlock()
	return n
}

func TestNoRaceComputedBetween(*testing.T) {
	s := &sizes{m: make(map[string]int), scale: 1}
	between(func(pause func()) { s.of("k", pause) }, func() { s.of("k", nothing) })
}

func TestNoRaceComputedAfter(*testing.T) {
	s := &sizes{m: make(map[string]int), scale: 1}
	after(func(pause func()) { s.of("k", pause) }, func() { s.of("k", nothing) })
}

// Two fields that belong together, and are set one by one.
type bounds struct {
	mu       sync.Mutex
	from, to int
}

func (b *bounds) set(from, to int, pause func()) {
	b.mu.Lock()
	b.from = from
	b.mu.Unlock()
	pause()
	b.mu.Lock()
	b.to = to
	b.mu.Unlock()
}

func (b *bounds) get() (from, to int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.from, b.to
}

func TestNoRaceTornBetween(*testing.T) {
	b := new(bounds)
	between(func(pause func()) { b.set(3, 4, pause) }, func() { b.get() })
}

func TestNoRaceTornAfter(*testing.T) {
	b := new(bounds)
	b.get()
	after(func(pause func()) { b.set(3, 4, pause) }, func() { b.get() })
}

// Who is told in the middle is meant to look then.
func TestNoRaceTornTold(*testing.T) {
	b := new(bounds)
	set := make(chan bool, 1)
	both(func() { b.set(3, 4, func() { set <- true }) }, func() {
		<-set
		b.get()
	})
}

// Margins are set in one section.
type margins struct{ bounds }

func (l *margins) set(from, to int, pause func()) {
	pause()
	l.mu.Lock()
	l.from = from
	l.to = to
	l.mu.Unlock()
}

func TestNoRaceWholeAfter(*testing.T) {
	l := new(margins)
	after(func(pause func()) { l.set(3, 4, pause) }, func() { l.get() })
}

// What a lock guards is done twice, if a flag is loaded and stored after that.
type notice struct {
	said atomic.Bool
	mu   sync.Mutex
	text []string
}

func (n *notice) say(text string) {
	if !n.said.Load() {
		n.add(text)
		n.said.Store(true)
	}
}

func (n *notice) add(text string) {
	n.mu.Lock()
	n.text = append(n.text, text)
	n.mu.Unlock()
}

func TestNoRaceAtomicGuardedAfter(*testing.T) {
	n := new(notice)
	after(func(func()) { n.say("one") }, func() { n.say("two") })
}

// The second has been told.
func TestNoRaceAtomicGuardedTold(*testing.T) {
	n := new(notice)
	done := make(chan bool)
	both(func() {
		n.say("one")
		close(done)
	}, func() {
		<-done
		n.say("two")
	})
}
