// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package transactions

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/commutego/commute/testdata/transactions/script"
)

// A store is a map with a lock.
type store struct {
	mu sync.RWMutex
	m  map[string]int
	n  int
}

func newStore() *store { return &store{m: map[string]int{}} }

func (c *store) get(k string) (int, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	v, ok := c.m[k]
	return v, ok
}

func (c *store) put(k string, v int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.m[k] = v
	c.n = len(c.m)
}

func (c *store) len() int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.n
}

// getOrCreate creates twice.
//
// atomic
func (c *store) getOrCreate(k string, v int, s *script.Script, mine, other string) int {
	if v, ok := c.get(k); ok {
		return v
	}
	s.Done(mine)
	s.Await(other)
	c.put(k, v)
	return v
}

// atomic
func (c *store) getOrCreateLocked(k string, v int, s *script.Script, mine, other string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if v, ok := c.m[k]; ok {
		return v
	}
	s.Done(mine)
	s.Try(other)
	c.m[k] = v
	return v
}

func TestRaceDoubleCreation(t *testing.T) {
	c := newStore()
	var s script.Script
	script.Go(func() { c.getOrCreate("k", 1, &s, "1", "2") }, func() { c.getOrCreate("k", 2, &s, "2", "1") })
}

func TestNoRaceDoubleCreation(t *testing.T) {
	c := newStore()
	var s script.Script
	script.Go(func() { c.getOrCreateLocked("k", 1, &s, "1", "2") }, func() { c.getOrCreateLocked("k", 2, &s, "2", "1") })
}

// putIfRoom decides by a length that is out of date.
//
// atomic
func (c *store) putIfRoom(k string, s *script.Script) {
	if c.len() < 1 {
		s.Done("looked")
		s.Await("other")
		c.put(k, 1)
	}
}

// atomic
func (c *store) putIfRoomLocked(k string, s *script.Script) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n < 1 {
		s.Done("looked")
		s.Try("other")
		c.m[k] = 1
		c.n = len(c.m)
	}
}

func TestRaceStaleLen(t *testing.T) {
	c := newStore()
	var s script.Script
	script.Go(func() { c.putIfRoom("a", &s) }, func() { s.Await("looked"); c.put("b", 1); s.Done("other") })
}

func TestNoRaceStaleLen(t *testing.T) {
	c := newStore()
	var s script.Script
	script.Go(func() { c.putIfRoomLocked("a", &s) }, func() { s.Await("looked"); c.put("b", 1); s.Done("other") })
}

// rename keeps two maps that must agree.
//
// atomic
func rename(byName, byID *store, s *script.Script) {
	byName.put("new", 1)
	s.Done("half")
	s.Await("other")
	byID.put("new", 1)
}

// both sees one changed and the other not.
//
// atomic
func both(byName, byID *store) (a, b bool) {
	_, a = byName.get("new")
	_, b = byID.get("new")
	return a, b
}

// atomic
func renameUnder(mu *sync.Mutex, byName, byID *store, s *script.Script) {
	mu.Lock()
	defer mu.Unlock()
	byName.put("new", 1)
	s.Done("half")
	s.Try("other")
	byID.put("new", 1)
}

// atomic
func bothUnder(mu *sync.Mutex, byName, byID *store) (a, b bool) {
	mu.Lock()
	defer mu.Unlock()
	_, a = byName.get("new")
	_, b = byID.get("new")
	return a, b
}

func TestRaceTwoMaps(t *testing.T) {
	a, b := newStore(), newStore()
	var s script.Script
	script.Go(func() { rename(a, b, &s) }, func() { s.Await("half"); both(a, b); s.Done("other") })
}

func TestNoRaceTwoMaps(t *testing.T) {
	a, b := newStore(), newStore()
	var mu sync.Mutex
	var s script.Script
	script.Go(func() { renameUnder(&mu, a, b, &s) }, func() { s.Await("half"); bothUnder(&mu, a, b); s.Done("other") })
}

// readers do not conflict with each other.
//
// atomic
func (c *store) twice(s *script.Script) {
	c.get("a")
	s.Done("once")
	s.Await("other")
	c.get("a")
}

func TestRaceTwice(t *testing.T) {
	c := newStore()
	var s script.Script
	script.Go(func() { c.twice(&s) }, func() { s.Await("once"); c.put("a", 1); s.Done("other") })
}

func TestNoRaceReaders(t *testing.T) {
	c := newStore()
	var s script.Script
	script.Go(func() { c.twice(&s) }, func() { s.Await("once"); c.get("a"); s.Done("other") })
}

// A counter that is read and written by two atomic operations.
//
// atomic
func bumpInTwo(n *atomic.Int64, s *script.Script) {
	was := n.Load()
	s.Done("looked")
	s.Await("other")
	n.Store(was + 1)
}

// atomic
func bumpInOne(n *atomic.Int64, s *script.Script) {
	s.Done("looked")
	s.Try("other")
	n.Add(1)
}

func TestRaceAtomics(t *testing.T) {
	var n atomic.Int64
	var s script.Script
	script.Go(func() { bumpInTwo(&n, &s) }, func() { s.Await("looked"); n.Add(1); s.Done("other") })
}

func TestNoRaceAtomics(t *testing.T) {
	var n atomic.Int64
	var s script.Script
	script.Go(func() { bumpInOne(&n, &s) }, func() { s.Await("looked"); n.Add(1); s.Done("other") })
}

func TestNoRaceAtomicReaders(t *testing.T) {
	var n atomic.Int64
	var s script.Script
	script.Go(func() { bumpInTwo(&n, &s) }, func() { s.Await("looked"); n.Load(); s.Done("other") })
}

// release ends what has no users any more, as it looked.
type counted struct {
	mu   sync.Mutex
	refs int
	dead bool
}

// atomic
func (c *counted) releaseInTwo(s *script.Script) {
	c.mu.Lock()
	c.refs--
	last := c.refs == 0
	c.mu.Unlock()
	s.Done("counted")
	s.Await("other")
	if last {
		c.mu.Lock()
		c.dead = true
		c.mu.Unlock()
	}
}

// atomic
func (c *counted) releaseInOne(s *script.Script) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.refs--
	s.Done("counted")
	s.Try("other")
	if c.refs == 0 {
		c.dead = true
	}
}

// atomic
func (c *counted) acquire() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.dead {
		return false
	}
	c.refs++
	return true
}

func TestRaceRefcount(t *testing.T) {
	c := &counted{refs: 1}
	var s script.Script
	script.Go(func() { c.releaseInTwo(&s) }, func() { s.Await("counted"); c.acquire(); s.Done("other") })
}

func TestNoRaceRefcount(t *testing.T) {
	c := &counted{refs: 1}
	var s script.Script
	script.Go(func() { c.releaseInOne(&s) }, func() { s.Await("counted"); c.acquire(); s.Done("other") })
}
