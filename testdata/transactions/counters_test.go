// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package transactions

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/commutego/commute/testdata/transactions/script"
)

// Counters that decide nothing: additions commute with each other, and not with what reads them.
type counters struct {
	mu, stats  sync.Mutex
	hits, adds int
	n          int
	sent       int
	received   int
	m          map[string]int
	atomicHits atomic.Int64
	old        int64
	inUse      atomic.Int64
	used       atomic.Int64
}

func newCounters() *counters { return &counters{m: make(map[string]int)} }

// atomic
func (c *counters) addAndCount(s *script.Script) {
	c.atomicHits.Add(1)
	interrupt(s)
	atomic.AddInt64(&c.old, 1)
}

func (c *counters) countBoth() {
	c.atomicHits.Add(1)
	atomic.AddInt64(&c.old, 1)
}

func TestNoRaceCountersAtomic(t *testing.T) {
	c := newCounters()
	interrupted(c.addAndCount, c.countBoth)
}

// What an addition returns may decide something.
//
// atomic
func (c *counters) addAndUse(s *script.Script) int64 {
	n := c.used.Add(1)
	interrupt(s)
	return n + c.used.Add(1)
}

func TestRaceCountersUsed(t *testing.T) {
	c := newCounters()
	interrupted(func(s *script.Script) { c.addAndUse(s) }, func() { c.used.Add(1) })
}

// A counter that is shown is one all the same.
type counts struct{ hits, adds int }

func (c *counters) shown() counts {
	c.stats.Lock()
	defer c.stats.Unlock()
	return counts{hits: c.hits, adds: c.adds}
}

func TestNoRaceCountersShown(t *testing.T) {
	c := newCounters()
	interrupted(c.fields, func() { c.shown() })
}

func TestRaceCountersRead(t *testing.T) {
	c := newCounters()
	interrupted(c.torn, func() { c.open() })
}

// open is how many there are: another package may decide by it.
func (c *counters) open() int64 { return c.inUse.Load() }

// atomic
func (c *counters) torn(s *script.Script) {
	c.inUse.Add(1)
	interrupt(s)
	c.inUse.Add(1)
}

// Fields that are counted up under a lock.
//
// atomic
func (c *counters) fields(s *script.Script) {
	c.hit()
	interrupt(s)
	c.stats.Lock()
	c.adds++
	c.stats.Unlock()
}

func (c *counters) hit() {
	c.stats.Lock()
	defer c.stats.Unlock()
	c.hits++
}

func TestNoRaceCountersFields(t *testing.T) {
	c := newCounters()
	interrupted(c.fields, func() { c.hit(); c.stats.Lock(); c.adds++; c.stats.Unlock() })
}

// What is subtracted from each other is more than shown.
//
// atomic
func (c *counters) pair(s *script.Script) {
	c.stats.Lock()
	c.sent++
	c.stats.Unlock()
	interrupt(s)
	c.stats.Lock()
	c.received++
	c.stats.Unlock()
}

func (c *counters) lag() int {
	c.stats.Lock()
	defer c.stats.Unlock()
	return c.sent - c.received
}

func TestRaceCountersFields(t *testing.T) {
	c := newCounters()
	interrupted(c.pair, func() { c.lag() })
}

// One under the lock of what counts, and one under its own.
//
// atomic
func (c *counters) get(s *script.Script, k string) int {
	c.mu.Lock()
	v := c.m[k]
	c.mu.Unlock()
	interrupt(s)
	c.hit()
	return v
}

func (c *counters) set(k string) {
	c.mu.Lock()
	c.m[k] = 1
	c.mu.Unlock()
	c.hit()
}

func TestNoRaceCountersGet(t *testing.T) {
	c := newCounters()
	interrupted(func(s *script.Script) { c.get(s, "k") }, func() { c.set("k") })
}

// A number that decides whether it grows is no such counter.
//
// atomic
func (c *counters) limited(s *script.Script) {
	if c.count() < 3 {
		interrupt(s)
		c.grow()
	}
}

func (c *counters) grow() {
	c.stats.Lock()
	defer c.stats.Unlock()
	c.n++
}

func (c *counters) count() int {
	c.stats.Lock()
	defer c.stats.Unlock()
	return c.n
}

func TestRaceCountersLimited(t *testing.T) {
	c := newCounters()
	interrupted(c.limited, c.grow)
}

// Neither is one that is set to what was read before.
//
// atomic
func (c *counters) inTwo(s *script.Script) {
	n := c.count()
	interrupt(s)
	c.stats.Lock()
	c.n = n + 1
	c.stats.Unlock()
}

func TestRaceCountersInTwo(t *testing.T) {
	c := newCounters()
	interrupted(c.inTwo, c.grow)
}
