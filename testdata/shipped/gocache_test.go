// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package shipped

import (
	"testing"
	"time"

	"github.com/patrickmn/go-cache"
)

func newGoCache() mapping {
	m := cache.New(time.Hour, 0)
	return mapping{
		get:   m.Get,
		set:   m.SetDefault,
		del:   m.Delete,
		add:   func(k string, v any) { _ = m.Add(k, v, cache.DefaultExpiration) },
		size:  func() { m.ItemCount() },
		all:   func() { m.Items() },
		clear: m.Flush,
	}
}

func newGoCacheForever() mapping {
	m := cache.New(cache.NoExpiration, 0)
	return mapping{
		get:   m.Get,
		set:   func(k string, v any) { m.Set(k, v, cache.NoExpiration) },
		del:   m.Delete,
		add:   func(k string, v any) { _ = m.Add(k, v, cache.NoExpiration) },
		size:  func() { m.ItemCount() },
		all:   func() { m.Items() },
		clear: m.Flush,
	}
}

func TestRaceGoCache(t *testing.T)        { races(t, newGoCache) }
func TestRaceGoCacheForever(t *testing.T) { races(t, newGoCacheForever) }
func TestNoRaceGoCache(t *testing.T)      { noRaces(t, newGoCache) }

func TestNoRaceGoCacheForever(t *testing.T) {
	noRaces(t, newGoCacheForever)
	noChange(t, newGoCacheForever)
}

// TestRaceGoCacheDeadline has one value with two deadlines.
func TestRaceGoCacheDeadline(t *testing.T) {
	m := cache.New(time.Hour, 0)
	both(func(i int) { m.Set("k", 1, time.Duration(i+1)*time.Hour) })
}

func TestRaceGoCacheGetThenIncrement(t *testing.T) {
	m := cache.New(time.Hour, 0)
	m.SetDefault("k", 1)
	both(func(int) {
		if v, _ := m.Get("k"); v.(int) < 10 {
			_ = m.Increment("k", 1)
		}
	})
}

func TestRaceGoCacheIncrementSet(t *testing.T) {
	m := cache.New(time.Hour, 0)
	m.SetDefault("k", 1)
	concurrently(func() { _ = m.Increment("k", 1) }, func() { m.SetDefault("k", 5) })
}

func TestRaceGoCacheReplaceSet(t *testing.T) {
	m := cache.New(time.Hour, 0)
	m.SetDefault("k", 1)
	concurrently(func() { _ = m.Replace("k", 2, time.Hour) }, func() { m.SetDefault("k", 5) })
}

func TestNoRaceGoCacheIncrements(t *testing.T) {
	m := cache.New(time.Hour, 0)
	m.SetDefault("k", 1)
	both(func(int) {
		_ = m.Increment("k", 2)
		_ = m.Decrement("k", 1)
		m.ItemCount()
	})
	if v, _ := m.Get("k"); v != 3 {
		t.Error(v)
	}
}

func TestNoRaceGoCacheIncrementInt(t *testing.T) {
	m := cache.New(time.Hour, 0)
	m.SetDefault("k", 1)
	both(func(int) { _, _ = m.IncrementInt("k", 1) })
}

// TestNoRaceGoCacheJanitor has a cache that cleans itself up.
func TestNoRaceGoCacheJanitor(t *testing.T) {
	m := cache.New(time.Millisecond, time.Millisecond)
	m.SetDefault("k", 1)
	for m.ItemCount() > 0 {
		time.Sleep(time.Millisecond)
	}
}

// TestNoRaceGoCacheAddThere has Adds that fail, as there is an item: that's all that they see, whatever becomes of it.
func TestNoRaceGoCacheAddThere(t *testing.T) {
	m := cache.New(time.Hour, 0)
	m.SetDefault("k", 1)
	concurrently(func() { _ = m.Add("k", 2, time.Hour) }, func() { _ = m.Increment("k", 1) })
	concurrently(func() { _ = m.Add("k", 2, time.Hour) }, func() { m.SetDefault("k", 5) })
}
