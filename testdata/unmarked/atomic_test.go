// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package unmarked

import (
	"sync"
	"sync/atomic"
	"testing"
)

// Atomics that are loaded and then stored, with something done in between.

// A service is started once, as its author thinks.
type service struct {
	started atomic.Bool
	claimed atomic.Bool
	once    sync.Once
	mu      sync.Mutex
	loops   atomic.Int32
	total   atomic.Int64
	raw     int32
	limits  atomic.Pointer[limits]
	any     atomic.Value
}

type limits struct{ max int }

func (s *service) loop() { s.loops.Add(1) }

func (s *service) start(pause func()) {
	if s.started.Load() {
		return
	}
	pause()
	go s.loop()
	s.started.Store(true)
}

func TestRaceAtomicFlagBetween(*testing.T) {
	var s service
	between(s.start, func() { s.start(nothing) })
}

func TestRaceAtomicFlagAfter(*testing.T) {
	var s service
	after(s.start, func() { s.start(nothing) })
}

// The other goroutine has been told that the service is started.
func TestNoRaceAtomicFlagTold(*testing.T) {
	var s service
	told := make(chan bool)
	both(func() {
		s.start(nothing)
		close(told)
	}, func() {
		<-told
		s.start(nothing)
	})
}

// One goroutine alone starts it, others only look.
func TestNoRaceAtomicFlagOneWriter(*testing.T) {
	var s service
	after(s.start, func() { s.started.Load() })
}

// Who looks again after it has seen that it is started has learned of it.
func TestNoRaceAtomicFlagAwaited(*testing.T) {
	var s service
	both(func() { s.start(nothing) }, func() {
		for !s.started.Load() {
		}
		s.start(nothing)
	})
}

// startRaw is start with a function of sync/atomic.
func (s *service) startRaw(pause func()) {
	if atomic.LoadInt32(&s.raw) != 0 {
		return
	}
	pause()
	go s.loop()
	atomic.StoreInt32(&s.raw, 1)
}

func TestRaceAtomicFlagRawBetween(*testing.T) {
	var s service
	between(s.startRaw, func() { s.startRaw(nothing) })
}

func TestRaceAtomicFlagRawAfter(*testing.T) {
	var s service
	after(s.startRaw, func() { s.startRaw(nothing) })
}

// startClaimed lets one goroutine go on.
func (s *service) startClaimed(pause func()) {
	if s.started.Load() || !s.claimed.CompareAndSwap(false, true) {
		return
	}
	pause()
	go s.loop()
	s.started.Store(true)
}

func TestNoRaceAtomicFlagClaimedBetween(*testing.T) {
	var s service
	between(s.startClaimed, func() { s.startClaimed(nothing) })
}

func TestNoRaceAtomicFlagClaimedAfter(*testing.T) {
	var s service
	after(s.startClaimed, func() { s.startClaimed(nothing) })
}

// startSwapped looks and sets in one.
func (s *service) startSwapped(pause func()) {
	if !s.started.CompareAndSwap(false, true) {
		return
	}
	pause()
	go s.loop()
}

func TestNoRaceAtomicFlagSwappedBetween(*testing.T) {
	var s service
	between(s.startSwapped, func() { s.startSwapped(nothing) })
}

// startOnce has a fast path around a sync.Once.
func (s *service) startOnce(func()) {
	if !s.started.Load() {
		s.once.Do(func() { go s.loop() })
		s.started.Store(true)
	}
}

func TestNoRaceAtomicFlagOnceAfter(*testing.T) {
	var s service
	after(s.startOnce, func() { s.startOnce(nothing) })
}

// startLocked looks again under the lock.
func (s *service) startLocked(pause func()) {
	if s.started.Load() {
		return
	}
	pause()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.started.Load() {
		return
	}
	go s.loop()
	s.started.Store(true)
}

func TestNoRaceAtomicFlagLockedBetween(*testing.T) {
	var s service
	between(s.startLocked, func() { s.startLocked(nothing) })
}

func TestNoRaceAtomicFlagLockedAfter(*testing.T) {
	var s service
	after(s.startLocked, func() { s.startLocked(nothing) })
}

// startHeld is called with a lock held.
func TestNoRaceAtomicFlagHeldAfter(*testing.T) {
	var s service
	held := func(pause func()) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.start(pause)
	}
	after(held, func() { held(nothing) })
}

// idle sets a flag and does nothing else.
func (s *service) idle(func()) {
	if !s.started.Load() {
		s.started.Store(true)
	}
}

func TestNoRaceAtomicFlagIdleAfter(*testing.T) {
	var s service
	after(s.idle, func() { s.idle(nothing) })
}

// add loses updates.
func (s *service) add(pause func()) {
	v := s.total.Load()
	pause()
	s.total.Store(v + 1)
}

func TestRaceAtomicLostBetween(*testing.T) {
	var s service
	between(s.add, func() { s.add(nothing) })
}

func TestRaceAtomicLostAfter(*testing.T) {
	var s service
	after(s.add, func() { s.add(nothing) })
}

// Another function of the package stores in between.
func TestRaceAtomicLostToStoreBetween(*testing.T) {
	var s service
	between(s.add, func() { s.total.Store(70) })
}

// It has stored what was there.
func TestNoRaceAtomicSameBetween(*testing.T) {
	var s service
	between(s.add, func() { s.total.Store(0) })
}

// addSwapped looks again.
func (s *service) addSwapped(pause func()) {
	for {
		v := s.total.Load()
		pause()
		pause = nothing
		if s.total.CompareAndSwap(v, v+1) {
			return
		}
	}
}

func TestNoRaceAtomicSwappedBetween(*testing.T) {
	var s service
	between(s.addSwapped, func() { s.addSwapped(nothing) })
}

// An addition is one step, so two of them come out right in any order.
func TestNoRaceAtomicAdded(*testing.T) {
	var s service
	after(func(func()) { s.total.Add(1) }, func() { s.total.Add(1) })
}

// acquire goes beyond the limit.
func (s *service) acquire(pause func()) bool {
	if s.total.Load() >= 1 {
		return false
	}
	pause()
	s.total.Add(1)
	return true
}

func TestRaceAtomicLimitBetween(*testing.T) {
	var s service
	between(func(pause func()) { s.acquire(pause) }, func() { s.acquire(nothing) })
}

// acquireBack takes it back.
func (s *service) acquireBack(pause func()) bool {
	pause()
	if s.total.Add(1) > 1 {
		s.total.Add(-1)
		return false
	}
	return true
}

func TestNoRaceAtomicLimitBackBetween(*testing.T) {
	var s service
	between(func(pause func()) { s.acquireBack(pause) }, func() { s.acquireBack(nothing) })
}

// widen copies what it replaces.
func (s *service) widen(pause func()) {
	next := limits{max: 1}
	if old := s.limits.Load(); old != nil {
		next.max += old.max
	}
	pause()
	s.limits.Store(&next)
}

func TestRaceAtomicCopyBetween(*testing.T) {
	var s service
	s.limits.Store(new(limits))
	between(s.widen, func() { s.widen(nothing) })
}

func TestRaceAtomicCopyAfter(*testing.T) {
	var s service
	s.limits.Store(new(limits))
	after(s.widen, func() { s.widen(nothing) })
}

// widenAny does the same to an atomic.Value.
func (s *service) widenAny(pause func()) {
	old, _ := s.any.Load().(limits)
	pause()
	s.any.Store(limits{max: old.max + 1})
}

func TestRaceAtomicValueBetween(*testing.T) {
	var s service
	s.any.Store(limits{})
	between(s.widenAny, func() { s.widenAny(nothing) })
}

func TestRaceAtomicValueFirstAfter(*testing.T) {
	var s service
	after(s.widenAny, func() { s.widenAny(nothing) })
}

// cached computes a value that is the same for all.
func (s *service) cached(pause func()) int {
	if l := s.limits.Load(); l != nil {
		return l.max
	}
	pause()
	s.limits.Store(&limits{max: 7})
	return 7
}

func TestNoRaceAtomicCacheBetween(*testing.T) {
	var s service
	between(func(pause func()) { s.cached(pause) }, func() { s.cached(nothing) })
}

// A gauge is read and set by methods.
type gauge struct{ n atomic.Int64 }

//go:noinline
func (g *gauge) get() int64 { return g.n.Load() }

func (g *gauge) set(n int64) { g.n.Store(n) }

func (g *gauge) raiseTo(n int64, pause func()) {
	if g.get() < n {
		pause()
		g.set(n)
	}
}

func TestRaceGaugeBetween(*testing.T) {
	g := new(gauge)
	between(func(pause func()) { g.raiseTo(1, pause) }, func() { g.raiseTo(2, nothing) })
}

func TestRaceGaugeAfter(*testing.T) {
	g := new(gauge)
	after(func(pause func()) { g.raiseTo(1, pause) }, func() { g.raiseTo(2, nothing) })
}

// swapTo is raiseTo mended.
func (g *gauge) swapTo(n int64, pause func()) {
	for old := g.get(); old < n && !g.n.CompareAndSwap(old, n); old = g.get() {
		pause()
	}
}

func TestNoRaceGaugeSwap(*testing.T) {
	g := new(gauge)
	after(func(pause func()) { g.swapTo(1, pause) }, func() { g.swapTo(2, nothing) })
}
