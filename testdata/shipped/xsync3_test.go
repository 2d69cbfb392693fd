// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package shipped

import (
	"sync"
	"testing"

	"github.com/puzpuzpuz/xsync/v3"
)

func newXsync3Map() mapping {
	m := xsync.NewMap()
	return mapping{
		get:   m.Load,
		set:   m.Store,
		del:   m.Delete,
		add:   func(k string, v any) { m.LoadOrStore(k, v) },
		size:  func() { m.Size() },
		all:   func() { m.Range(func(string, any) bool { return true }) },
		clear: m.Clear,
	}
}

func newXsync3MapOf() mapping {
	m := xsync.NewMapOf[string, any]()
	return mapping{
		get:   m.Load,
		set:   func(k string, v any) { m.LoadAndStore(k, v) },
		del:   m.Delete,
		add:   func(k string, v any) { m.LoadOrCompute(k, func() any { return v }) },
		size:  func() { m.Size() },
		all:   func() { m.Range(func(string, any) bool { return true }) },
		clear: m.Clear,
	}
}

func TestRaceXsync3Map(t *testing.T)   { races(t, newXsync3Map) }
func TestRaceXsync3MapOf(t *testing.T) { races(t, newXsync3MapOf) }

func TestNoRaceXsync3Map(t *testing.T) {
	noRaces(t, newXsync3Map)
	noChange(t, newXsync3Map)
}

// TestNoRaceXsync3MapOf: a set that tells what was there does not commute with one of an equal value.
func TestNoRaceXsync3MapOf(t *testing.T) { noChange(t, newXsync3MapOf) }

func TestNoRaceXsync3Compute(t *testing.T) {
	m := xsync.NewMapOf[string, int]()
	both(func(i int) {
		m.Compute("k", func(old int, _ bool) (int, bool) { return old + i, false })
		m.Load("k")
	})
}

// TestNoRaceXsync3Callback has a value that is made in a callback and used by whoever finds it.
func TestNoRaceXsync3Callback(t *testing.T) {
	m := xsync.NewMapOf[string, *sync.Map]()
	both(func(i int) {
		found, _ := m.LoadOrCompute("k", func() *sync.Map {
			inner := new(sync.Map)
			inner.Store("owner", i)
			return inner
		})
		found.Load("owner")
	})
}

func TestRaceXsync3CounterValue(t *testing.T) {
	c := xsync.NewCounter()
	concurrently(func() { c.Inc() }, func() { c.Value() })
}

func TestRaceXsync3CounterReset(t *testing.T) {
	c := xsync.NewCounter()
	concurrently(func() { c.Inc() }, func() { c.Reset() })
}

func TestRaceXsync3CounterCheck(t *testing.T) {
	c := xsync.NewCounter()
	both(func(int) {
		if c.Value() < 10 {
			c.Add(1)
		}
	})
}

func TestNoRaceXsync3CounterAdds(t *testing.T) {
	c := xsync.NewCounter()
	both(func(i int) {
		c.Inc()
		c.Add(int64(i))
		c.Dec()
	})
	if c.Value() != 1 {
		t.Error("sum")
	}
}

func TestNoRaceXsync3CounterReaders(t *testing.T) {
	c := xsync.NewCounter()
	c.Inc()
	both(func(int) {
		c.Value()
		c.Add(0)
	})
}

func TestNoRaceXsync3CounterResets(t *testing.T) {
	c := xsync.NewCounter()
	c.Inc()
	both(func(int) { c.Reset() })
}
