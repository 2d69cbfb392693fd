// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package shipped

import (
	"sync"
	"testing"

	"github.com/puzpuzpuz/xsync/v4"
)

func newXsync4Map() mapping {
	m := xsync.NewMap[string, any]()
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

func newXsync4Exchange() mapping {
	m := xsync.NewMap[string, any]()
	return mapping{
		get:   m.Load,
		set:   func(k string, v any) { m.LoadAndStore(k, v) },
		del:   m.Delete,
		add:   func(k string, v any) { m.LoadOrCompute(k, func() (any, bool) { return v, false }) },
		size:  func() { m.Size() },
		all:   func() { m.Range(func(string, any) bool { return true }) },
		clear: m.Clear,
	}
}

func TestRaceXsync4Map(t *testing.T)      { races(t, newXsync4Map) }
func TestRaceXsync4Exchange(t *testing.T) { races(t, newXsync4Exchange) }

func TestNoRaceXsync4Map(t *testing.T) {
	noRaces(t, newXsync4Map)
	noChange(t, newXsync4Map)
}

// TestNoRaceXsync4Exchange: a set that tells what was there does not commute with one of an equal value.
func TestNoRaceXsync4Exchange(t *testing.T) { noChange(t, newXsync4Exchange) }

func TestNoRaceXsync4Compute(t *testing.T) {
	m := xsync.NewMap[string, int]()
	both(func(i int) {
		m.Compute("k", func(old int, _ bool) (int, xsync.ComputeOp) { return old + i, xsync.UpdateOp })
		m.Load("k")
	})
}

// TestNoRaceXsync4Callback has a value that is made in a callback and used by whoever finds it.
func TestNoRaceXsync4Callback(t *testing.T) {
	m := xsync.NewMap[string, *sync.Map]()
	both(func(i int) {
		found, _ := m.LoadOrCompute("k", func() (*sync.Map, bool) {
			inner := new(sync.Map)
			inner.Store("owner", i)
			return inner, false
		})
		found.Load("owner")
	})
}

func TestRaceXsync4CounterValue(t *testing.T) {
	c := xsync.NewCounter()
	concurrently(func() { c.Inc() }, func() { c.Value() })
}

func TestRaceXsync4CounterReset(t *testing.T) {
	c := xsync.NewCounter()
	concurrently(func() { c.Inc() }, func() { c.Reset() })
}

func TestRaceXsync4CounterCheck(t *testing.T) {
	c := xsync.NewCounter()
	both(func(int) {
		if c.Value() < 10 {
			c.Add(1)
		}
	})
}

func TestNoRaceXsync4CounterAdds(t *testing.T) {
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

func TestNoRaceXsync4CounterReaders(t *testing.T) {
	c := xsync.NewCounter()
	c.Inc()
	both(func(int) {
		c.Value()
		c.Add(0)
	})
}

func TestNoRaceXsync4CounterResets(t *testing.T) {
	c := xsync.NewCounter()
	c.Inc()
	both(func(int) { c.Reset() })
}
