// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package transactions

import (
	"sync"
	"testing"

	"github.com/commutego/commute/testdata/transactions/script"
)

// What there is only so much of: connections, tokens, numbers, seats.

// A pool opens a connection if there may be one more.
type pool struct {
	mu   sync.Mutex
	open int
}

func (p *pool) full() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.open == 1
}

func (p *pool) opened() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open++
}

// atomic
func (p *pool) getInTwo(s *script.Script) {
	if !p.full() {
		interrupt(s)
		p.opened()
	}
}

// atomic
func (p *pool) getInOne(s *script.Script) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open == 0 {
		invite(s)
		p.open++
	}
}

func TestRaceConnectionPool(t *testing.T) {
	var p pool
	interrupted(p.getInTwo, p.opened)
}

func TestNoRaceConnectionPool(t *testing.T) {
	var p pool
	interrupted(p.getInOne, p.opened)
}

// A limiter fills up, and then takes.
type limiter struct {
	mu            sync.Mutex
	tokens, ticks int
}

func (l *limiter) refill() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tokens = min(1, l.tokens+l.ticks)
	l.ticks = 0
}

func (l *limiter) take() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	ok := l.tokens > 0
	if ok {
		l.tokens--
	}
	return ok
}

// atomic
func (l *limiter) allowInTwo(s *script.Script) {
	l.refill()
	interrupt(s)
	l.take()
}

// atomic
func (l *limiter) allowInOne(s *script.Script) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tokens = min(1, l.tokens+l.ticks)
	invite(s)
	if l.tokens > 0 {
		l.tokens--
	}
}

func TestRaceRateLimiter(t *testing.T) {
	l := &limiter{ticks: 1}
	interrupted(l.allowInTwo, func() { l.take() })
}

func TestNoRaceRateLimiter(t *testing.T) {
	l := &limiter{ticks: 1}
	interrupted(l.allowInOne, func() { l.take() })
}

// A semaphore is a channel with room for as many as may go on.
type semaphore chan bool

func (c semaphore) within(f func()) {
	c <- true
	f()
	<-c
}

// atomic
func (c semaphore) twiceInTwo(s *script.Script) {
	c.within(func() {})
	interrupt(s)
	c.within(func() {})
}

// atomic
func (c semaphore) twiceInOne(s *script.Script) {
	c.within(func() { invite(s) })
}

func TestRaceSemaphore(t *testing.T) {
	c := make(semaphore, 1)
	interrupted(c.twiceInTwo, func() { c.within(func() {}) })
}

func TestNoRaceSemaphore(t *testing.T) {
	c := make(semaphore, 1)
	interrupted(c.twiceInOne, func() { c.within(func() {}) })
}

// Numbers are looked at under a read lock, and given away under a write lock.
type numbers struct {
	mu   sync.RWMutex
	next int
}

// atomic
func (n *numbers) giveInTwo(s *script.Script) int {
	n.mu.RLock()
	id := n.next
	n.mu.RUnlock()
	interrupt(s)
	n.mu.Lock()
	n.next = id + 1
	n.mu.Unlock()
	return id
}

// atomic
func (n *numbers) giveInOne(s *script.Script) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	id := n.next
	invite(s)
	n.next = id + 1
	return id
}

func (n *numbers) give() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.next++
	return n.next - 1
}

func TestRaceNumbers(t *testing.T) {
	var n numbers
	interrupted(func(s *script.Script) { n.giveInTwo(s) }, func() { n.give() })
}

func TestNoRaceNumbers(t *testing.T) {
	var n numbers
	interrupted(func(s *script.Script) { n.giveInOne(s) }, func() { n.give() })
}

// A row has seats, each with a lock; two are booked together or not at all.
type seat struct {
	mu    sync.Mutex
	taken bool
}

func (p *seat) book() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	was := p.taken
	p.taken = true
	return !was
}

// atomic
func bookOneByOne(a, b *seat, s *script.Script) bool {
	ok := a.book()
	interrupt(s)
	return b.book() && ok
}

// atomic
func bookTogether(a, b *seat, s *script.Script) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	b.mu.Lock()
	defer b.mu.Unlock()
	ok := !a.taken && !b.taken
	invite(s)
	a.taken, b.taken = true, true
	return ok
}

func TestRaceSeats(t *testing.T) {
	var a, b seat
	interrupted(func(s *script.Script) { bookOneByOne(&a, &b, s) }, func() { a.book(); b.book() })
}

func TestNoRaceSeats(t *testing.T) {
	var a, b seat
	interrupted(func(s *script.Script) { bookTogether(&a, &b, s) }, func() { a.book(); b.book() })
}
