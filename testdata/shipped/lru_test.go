// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package shipped

import (
	"testing"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/hashicorp/golang-lru/v2/expirable"
)

func newLRU() mapping {
	m, _ := lru.New[string, any](8)
	return mapping{
		get:   m.Get,
		set:   func(k string, v any) { m.Add(k, v) },
		del:   func(k string) { m.Remove(k) },
		add:   func(k string, v any) { m.ContainsOrAdd(k, v) },
		size:  func() { m.Len() },
		clear: m.Purge,
	}
}

func newExpirable() mapping {
	m := expirable.NewLRU[string, any](8, nil, time.Hour)
	return mapping{
		get:   m.Get,
		set:   func(k string, v any) { m.Add(k, v) },
		del:   func(k string) { m.Remove(k) },
		size:  func() { m.Len() },
		clear: m.Purge,
	}
}

func TestRaceLRU(t *testing.T)       { races(t, newLRU) }
func TestRaceExpirable(t *testing.T) { races(t, newExpirable) }

func TestNoRaceExpirable(t *testing.T) {
	noRaces(t, newExpirable)
	noChange(t, newExpirable)
}

func TestNoRaceLRU(t *testing.T) {
	noRaces(t, newLRU)
	noChange(t, newLRU)
}

// TestNoRaceLRURecency has calls whose order shows only in what is evicted next.
func TestNoRaceLRURecency(t *testing.T) {
	m, _ := lru.New[int, int](4)
	for k := range 4 {
		m.Add(k, k)
	}
	both(func(i int) {
		m.Get(i)
		m.Add(10+i, i)
		m.Len()
	})
}

func TestNoRaceLRUPeekOrAdd(t *testing.T) {
	m, _ := lru.New[int, int](4)
	both(func(i int) {
		m.PeekOrAdd(1, i)
		m.Contains(1)
	})
}

func TestRaceLRUContainsThenAdd(t *testing.T) {
	m, _ := lru.New[int, int](4)
	both(func(i int) {
		if !m.Contains(1) {
			m.Add(1, i)
		}
	})
}

func TestRaceLRULenThenPurge(t *testing.T) {
	m, _ := lru.New[int, int](4)
	concurrently(func() { m.Add(1, 1) }, func() {
		if m.Len() > 2 {
			m.Purge()
		}
	})
}

func TestRaceExpirableContainsThenAdd(t *testing.T) {
	m := expirable.NewLRU[int, int](4, nil, time.Hour)
	both(func(i int) {
		if !m.Contains(1) {
			m.Add(1, i)
		}
	})
}
