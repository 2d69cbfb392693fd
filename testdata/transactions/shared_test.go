// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package transactions

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/commutego/commute/testdata/transactions/script"
)

// What many read and few write: configurations, caches, figures.

// A config is never changed: a new one takes its place.
type config struct{ a, b int }

type holder struct {
	mu  sync.Mutex // who writes holds it
	now atomic.Pointer[config]
}

func newHolder() *holder {
	h := new(holder)
	h.now.Store(&config{})
	return h
}

// atomic
func (h *holder) setUnlocked(s *script.Script) {
	c := *h.now.Load()
	c.a = 1
	interrupt(s)
	h.now.Store(&c)
}

// atomic
func (h *holder) setLocked(s *script.Script) {
	h.mu.Lock()
	defer h.mu.Unlock()
	c := *h.now.Load()
	c.a = 1
	invite(s)
	h.now.Store(&c)
}

// atomic
func (h *holder) setB() {
	h.mu.Lock()
	defer h.mu.Unlock()
	c := *h.now.Load()
	c.b = 1
	h.now.Store(&c)
}

func TestRaceConfig(t *testing.T) {
	h := newHolder()
	interrupted(h.setUnlocked, h.setB)
}

func TestNoRaceConfig(t *testing.T) {
	h := newHolder()
	interrupted(h.setLocked, h.setB)
}

// A reader of a configuration looks once.
//
// atomic
func (h *holder) readTwice(s *script.Script) bool {
	a := h.now.Load().a
	interrupt(s)
	return a == h.now.Load().b
}

// atomic
func (h *holder) readOnce(s *script.Script) bool {
	c := h.now.Load()
	interrupt(s)
	return c.a == c.b
}

func TestRaceConfigReader(t *testing.T) {
	h := newHolder()
	interrupted(func(s *script.Script) { h.readTwice(s) }, h.setB)
}

func TestNoRaceConfigReader(t *testing.T) {
	h := newHolder()
	interrupted(func(s *script.Script) { h.readOnce(s) }, h.setB)
}

// A value that isn't in the cache is got from behind it, where it may have been changed until it gets there.
type readThrough struct {
	cache, behind *store
	mu            sync.Mutex
}

func newReadThrough() *readThrough { return &readThrough{cache: newStore(), behind: newStore()} }

// atomic
func (c *readThrough) getInThree(k string, s *script.Script) int {
	v, ok := c.cache.get(k)
	if !ok {
		v, _ = c.behind.get(k)
		interrupt(s)
		c.cache.put(k, v)
	}
	return v
}

// atomic
func (c *readThrough) set(k string, v int) {
	c.behind.put(k, v)
	c.cache.put(k, v)
}

// atomic
func (c *readThrough) getLocked(k string, s *script.Script) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	v, ok := c.cache.get(k)
	if !ok {
		v, _ = c.behind.get(k)
		invite(s)
		c.cache.put(k, v)
	}
	return v
}

// atomic
func (c *readThrough) setLocked(k string, v int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.set(k, v)
}

func TestRaceUpdateThroughCache(t *testing.T) {
	c := newReadThrough()
	interrupted(func(s *script.Script) { c.getInThree("k", s) }, func() { c.set("k", 1) })
}

func TestNoRaceUpdateThroughCache(t *testing.T) {
	c := newReadThrough()
	interrupted(func(s *script.Script) { c.getLocked("k", s) }, func() { c.setLocked("k", 1) })
}

// An lru has an order of use, and drops the oldest when it is full.
type lru struct {
	mu    sync.Mutex
	order []string
}

func (l *lru) oldest() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.order[0]
}

func (l *lru) drop(k string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, o := range l.order {
		if o == k {
			l.order = append(l.order[:i], l.order[i+1:]...)
			return
		}
	}
}

func (l *lru) use(k string) {
	l.drop(k)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.order = append(l.order, k)
}

// atomic
func (l *lru) evictInTwo(s *script.Script) {
	k := l.oldest()
	interrupt(s)
	l.drop(k)
}

// atomic
func (l *lru) evictInOne(s *script.Script) {
	l.mu.Lock()
	defer l.mu.Unlock()
	invite(s)
	l.order = l.order[1:]
}

func TestRaceEviction(t *testing.T) {
	l := &lru{order: []string{"a", "b"}}
	interrupted(l.evictInTwo, func() { l.use("a") })
}

func TestNoRaceEviction(t *testing.T) {
	l := &lru{order: []string{"a", "b"}}
	interrupted(l.evictInOne, func() { l.use("a") })
}

// Figures are counted by one atomic operation each, and read together.
type figures struct {
	requests, failures atomic.Int64
	mu                 sync.RWMutex
}

func (f *figures) count() {
	f.requests.Add(1)
	f.failures.Add(1)
}

// atomic
func (f *figures) snapshot(s *script.Script) (requests, failures int64) {
	requests = f.requests.Load()
	interrupt(s)
	return requests, f.failures.Load()
}

// atomic
func (f *figures) countLocked() {
	f.mu.RLock()
	defer f.mu.RUnlock()
	f.count()
}

// atomic
func (f *figures) snapshotLocked(s *script.Script) (requests, failures int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	requests = f.requests.Load()
	invite(s)
	return requests, f.failures.Load()
}

func TestRaceSnapshot(t *testing.T) {
	var f figures
	interrupted(func(s *script.Script) { f.snapshot(s) }, f.count)
}

func TestNoRaceSnapshot(t *testing.T) {
	var f figures
	interrupted(func(s *script.Script) { f.snapshotLocked(s) }, f.countLocked)
}

// Two limits that belong together are set one by one.
type limits struct {
	low, high atomic.Int64
	both      atomic.Pointer[config]
}

// atomic
func (l *limits) setApart(s *script.Script) {
	l.low.Store(10)
	interrupt(s)
	l.high.Store(20)
}

// atomic
func (l *limits) setTogether(s *script.Script) {
	c := &config{10, 20}
	interrupt(s)
	l.both.Store(c)
}

func TestRaceTwoAtomics(t *testing.T) {
	var l limits
	interrupted(l.setApart, func() { l.low.Load(); l.high.Load() })
}

func TestNoRaceTwoAtomics(t *testing.T) {
	var l limits
	interrupted(l.setTogether, func() { l.both.Load(); l.both.Load() })
}

// A flag says whether somebody has begun already.
//
// atomic
func beginIfNot(begun *atomic.Bool, s *script.Script) bool {
	if begun.Load() {
		return false
	}
	interrupt(s)
	begun.Store(true)
	return true
}

// atomic
func beginOnce(begun *atomic.Bool, s *script.Script) bool {
	interrupt(s)
	return begun.CompareAndSwap(false, true)
}

func TestRaceFlag(t *testing.T) {
	var begun atomic.Bool
	interrupted(func(s *script.Script) { beginIfNot(&begun, s) }, func() { begun.CompareAndSwap(false, true) })
}

func TestNoRaceFlag(t *testing.T) {
	var begun atomic.Bool
	interrupted(func(s *script.Script) { beginOnce(&begun, s) }, func() { begun.CompareAndSwap(false, true) })
}

// A session is valid, and then used.
type session struct {
	mu      sync.Mutex
	revoked bool
	uses    int
}

func (x *session) valid() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return !x.revoked
}

func (x *session) use() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.uses++
}

func (x *session) revoke() (uses int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.revoked = true
	return x.uses
}

// atomic
func (x *session) useInTwo(s *script.Script) {
	if x.valid() {
		interrupt(s)
		x.use()
	}
}

// atomic
func (x *session) useInOne(s *script.Script) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.revoked {
		invite(s)
		x.uses++
	}
}

func TestRaceSession(t *testing.T) {
	var x session
	interrupted(x.useInTwo, func() { x.revoke() })
}

func TestNoRaceSession(t *testing.T) {
	var x session
	interrupted(x.useInOne, func() { x.revoke() })
}

// Who tries until it succeeds was interfered with before, and did no harm: it's none.
//
// atomic
func raise(n *atomic.Int64, to int64, s *script.Script) {
	for first := true; ; first = false {
		was := n.Load()
		if first {
			interrupt(s)
		}
		if n.CompareAndSwap(was, max(was, to)) {
			return
		}
	}
}

// A round that begins anew is another.
func raiseInRounds(n *atomic.Int64, to int64, s *script.Script) {
	was := n.Load()
	interrupt(s)
	for !n.CompareAndSwap(was, max(was, to)) {
		//atomic
		{
			was = n.Load()
		}
	}
}

func TestRaceCompareLoop(t *testing.T) {
	n := new(struct {
		atomic.Int64
		_ [2]int64
	})
	interrupted(func(s *script.Script) { raise(&n.Int64, 5, s) }, func() { n.Add(1) })
}

func TestNoRaceCompareLoop(t *testing.T) {
	var n atomic.Int64
	interrupted(func(s *script.Script) { raiseInRounds(&n, 5, s) }, func() { n.Add(1) })
}
