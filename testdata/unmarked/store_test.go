// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package unmarked

import (
	"sync"
	"testing"
)

// Duplicate creation, deletion after others went on, limits and flags.

type conn struct{ key string }

// A pool makes what is not there. Its lock is embedded, and for reading as well.
type pool struct {
	sync.RWMutex
	conns  map[string]*conn
	limit  int
	events []string
}

func newPool() *pool { return &pool{conns: map[string]*conn{}, limit: 1} }

func (p *pool) get(key string, pause func()) *conn {
	p.RLock()
	c, ok := p.conns[key]
	p.RUnlock()
	if ok {
		return c
	}
	pause()
	c = &conn{key}
	p.Lock()
	p.conns[key] = c
	p.Unlock()
	return c
}

func TestRaceCreateBetween(*testing.T) {
	p := newPool()
	between(func(pause func()) { p.get("k", pause) }, func() { p.get("k", nothing) })
}

func TestNoRaceCreateOtherBetween(*testing.T) {
	p := newPool()
	between(func(pause func()) { p.get("k", pause) }, func() { p.get("l", nothing) })
}

// What was there is found.
func TestNoRaceCreateHitBetween(*testing.T) {
	p := newPool()
	p.get("k", nothing)
	after(func(pause func()) { p.get("k", pause) }, func() { p.get("k", nothing) })
}

// getAgain looks again under the lock.
func (p *pool) getAgain(key string, pause func()) *conn {
	p.RLock()
	c, ok := p.conns[key]
	p.RUnlock()
	if ok {
		return c
	}
	pause()
	p.Lock()
	defer p.Unlock()
	if c, ok := p.conns[key]; ok {
		return c
	}
	c = &conn{key}
	p.conns[key] = c
	return c
}

func TestNoRaceCreateAgainBetween(*testing.T) {
	p := newPool()
	between(func(pause func()) { p.getAgain("k", pause) }, func() { p.getAgain("k", nothing) })
}

func TestNoRaceCreateAgainAfter(*testing.T) {
	p := newPool()
	after(func(pause func()) { p.getAgain("k", pause) }, func() { p.getAgain("k", nothing) })
}

// fill takes one more than there is room for.
func (p *pool) fill(key string, pause func()) bool {
	p.RLock()
	room := len(p.conns) < p.limit
	p.RUnlock()
	if !room {
		return false
	}
	pause()
	p.Lock()
	p.conns[key] = &conn{key}
	p.Unlock()
	return true
}

func TestRaceLimitBetween(*testing.T) {
	p := newPool()
	between(func(pause func()) { p.fill("a", pause) }, func() { p.fill("b", nothing) })
}

func (p *pool) fillLocked(key string, pause func()) bool {
	p.Lock()
	defer p.Unlock()
	if len(p.conns) >= p.limit {
		return false
	}
	p.conns[key] = &conn{key}
	return true
}

func TestNoRaceLimitLockedAfter(*testing.T) {
	p := newPool()
	after(func(pause func()) { p.fillLocked("a", pause) }, func() { p.fillLocked("b", nothing) })
}

// dropIfOld deletes what it has found, whatever is there by now.
func (p *pool) dropIfOld(key string, old *conn, pause func()) {
	p.RLock()
	c := p.conns[key]
	p.RUnlock()
	if c != old {
		return
	}
	pause()
	p.Lock()
	delete(p.conns, key)
	p.Unlock()
}

func (p *pool) set(key string, c *conn) {
	p.Lock()
	p.conns[key] = c
	p.Unlock()
}

// Both have looked before either deletes, so the second delete changes nothing.
func TestRaceDeleteByBoth(*testing.T) {
	p, old := newPool(), &conn{"k"}
	p.set("k", old)
	var first, second flag
	both(func() {
		p.dropIfOld("k", old, func() { first.raise(); second.await() })
	}, func() {
		p.dropIfOld("k", old, func() { second.raise(); first.await() })
	})
}

// The second is told of the first delete, and repeats it all the same.
func TestNoRaceDeleteTold(*testing.T) {
	p, old := newPool(), &conn{"k"}
	p.set("k", old)
	var looked flag
	deleted := make(chan bool)
	both(func() {
		p.dropIfOld("k", old, looked.await)
		close(deleted)
	}, func() {
		p.dropIfOld("k", old, func() { looked.raise(); <-deleted })
	})
}

func TestRaceDeleteBetween(*testing.T) {
	p, old := newPool(), &conn{"k"}
	p.set("k", old)
	between(func(pause func()) { p.dropIfOld("k", old, pause) }, func() { p.set("k", &conn{"new"}) })
}

func TestNoRaceDeleteOtherBetween(*testing.T) {
	p, old := newPool(), &conn{"k"}
	p.set("k", old)
	between(func(pause func()) { p.dropIfOld("k", old, pause) }, func() { p.set("l", &conn{"new"}) })
}

// A starter does once what is to be done once.
type starter struct {
	mu      sync.Mutex
	started bool
	runs    []string
}

func (s *starter) start(pause func()) {
	s.mu.Lock()
	started := s.started
	s.mu.Unlock()
	if started {
		return
	}
	pause()
	s.mu.Lock()
	s.started = true
	s.runs = append(s.runs, "run")
	s.mu.Unlock()
}

func TestRaceFlagBetween(*testing.T) {
	s := new(starter)
	between(s.start, func() { s.start(nothing) })
}

func (s *starter) startOnce(pause func()) {
	s.mu.Lock()
	if s.started {
		s.mu.Unlock()
		return
	}
	s.started = true
	s.mu.Unlock()
	pause()
	s.mu.Lock()
	s.runs = append(s.runs, "run")
	s.mu.Unlock()
}

func TestNoRaceFlagClaimedBetween(*testing.T) {
	s := new(starter)
	between(s.startOnce, func() { s.startOnce(nothing) })
}

func TestNoRaceFlagClaimedAfter(*testing.T) {
	s := new(starter)
	after(s.startOnce, func() { s.startOnce(nothing) })
}

// A job is claimed by a flag that is taken back.
type jobs struct {
	mu   sync.Mutex
	busy map[string]bool
	done map[string]int
}

func (j *jobs) work(key string, pause func()) bool {
	j.mu.Lock()
	n := j.done[key]
	if j.busy[key] {
		j.mu.Unlock()
		return false
	}
	j.busy[key] = true
	j.mu.Unlock()
	pause()
	j.mu.Lock()
	j.done[key] = n + 1
	j.busy[key] = false
	j.mu.Unlock()
	return true
}

func newJobs() *jobs { return &jobs{busy: map[string]bool{}, done: map[string]int{}} }

func TestNoRaceClaimBetween(*testing.T) {
	j := newJobs()
	between(func(pause func()) { j.work("k", pause) }, func() { j.work("k", nothing) })
}

func TestNoRaceClaimAfter(*testing.T) {
	j := newJobs()
	after(func(pause func()) { j.work("k", pause) }, func() { j.work("k", nothing) })
}

// A lock for each key.
type keyed struct {
	mu    sync.Mutex
	locks map[string]*sync.Mutex
	m     map[string]int
}

func (k *keyed) lock(key string) *sync.Mutex {
	k.mu.Lock()
	defer k.mu.Unlock()
	l := k.locks[key]
	if l == nil {
		l = new(sync.Mutex)
		k.locks[key] = l
	}
	return l
}

func (k *keyed) raise(key string, pause func()) {
	l := k.lock(key)
	l.Lock()
	defer l.Unlock()
	k.mu.Lock()
	v := k.m[key]
	k.mu.Unlock()
	pause()
	k.mu.Lock()
	k.m[key] = v + 1
	k.mu.Unlock()
}

func TestNoRaceLockPerKeyAfter(*testing.T) {
	k := &keyed{locks: map[string]*sync.Mutex{}, m: map[string]int{}}
	after(func(pause func()) { k.raise("k", pause) }, func() { k.raise("k", nothing) })
}

// A closure is called with the lock held.
func (p *pool) locked(f func()) {
	p.Lock()
	defer p.Unlock()
	f()
}

func (p *pool) note(event string, pause func()) {
	n := 0
	p.locked(func() { n = len(p.events) })
	pause()
	p.locked(func() {
		if n == 0 {
			p.events = append(p.events, event)
		}
	})
}

func TestRaceClosuresBetween(*testing.T) {
	p := newPool()
	between(func(pause func()) { p.note("a", pause) }, func() { p.note("b", nothing) })
}
