// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package shipped

import (
	"sync"
	"testing"

	cmap "github.com/orcaman/concurrent-map/v2"
)

func newCmap() mapping {
	m := cmap.New[any]()
	return mapping{
		get:   m.Get,
		set:   m.Set,
		del:   m.Remove,
		add:   func(k string, v any) { m.SetIfAbsent(k, v) },
		size:  func() { m.Count() },
		all:   func() { m.Items() },
		clear: m.Clear,
	}
}

func TestRaceCmap(t *testing.T) { races(t, newCmap) }

func TestNoRaceCmap(t *testing.T) {
	noRaces(t, newCmap)
	noChange(t, newCmap)
}

// TestRaceCmapCopies has two copies of one map.
func TestRaceCmapCopies(t *testing.T) {
	m := cmap.New[int]()
	n := m
	concurrently(func() { m.Set("k", 1) }, func() { n.Set("k", 2) })
}

func TestNoRaceCmapTwoMaps(t *testing.T) {
	m, n := cmap.New[int](), cmap.New[int]()
	concurrently(func() { m.Set("k", 1) }, func() { n.Set("k", 2) })
}

func TestRaceCmapKeys(t *testing.T) {
	m := cmap.New[int]()
	concurrently(func() { m.Set("k", 1) }, func() { m.Keys() })
}

func TestRaceCmapIter(t *testing.T) {
	m := cmap.New[int]()
	concurrently(func() { m.Set("k", 1) }, func() {
		for range m.IterBuffered() {
		}
	})
}

func TestNoRaceCmapKeysOfUpdate(t *testing.T) {
	m := cmap.New[int]()
	m.Set("k", 1)
	concurrently(func() { m.Set("k", 2) }, func() { m.Keys() })
}

// TestRaceCmapLen has the mistake of an id that is made from a count.
func TestRaceCmapLen(t *testing.T) {
	m := cmap.New[int]()
	both(func(i int) { m.Set(string(rune('a'+m.Count())), i) })
}

func TestNoRaceCmapPop(t *testing.T) {
	m := cmap.New[int]()
	m.Set("k", 1)
	both(func(int) { m.Pop("k") })
}

// TestNoRaceCmapPublish has a value that only who finds it in the map uses.
func TestNoRaceCmapPublish(t *testing.T) {
	m := cmap.New[*sync.Map]()
	both(func(i int) {
		inner := new(sync.Map)
		inner.Store("owner", i)
		m.SetIfAbsent("k", inner)
		found, _ := m.Get("k")
		found.Load("owner")
	})
}

func TestRaceCmapUpsertThenSet(t *testing.T) {
	m := cmap.New[int]()
	concurrently(func() {
		m.Upsert("k", 1, func(exist bool, old, set int) int { return old + set })
	}, func() { m.Set("k", 5) })
}

func TestRaceCmapIterCb(t *testing.T) {
	m := cmap.New[int]()
	concurrently(func() { m.IterCb(func(k string, v int) {}) }, func() { m.Set("k", 5) })
}

// TestNoRaceCmapUpsert counts: each call checks and acts in one.
func TestNoRaceCmapUpsert(t *testing.T) {
	m := cmap.New[int]()
	add := func(exist bool, old, set int) int { return old + set }
	both(func(int) { m.Upsert("k", 1, add); m.Get("k") })
	m.IterCb(func(k string, v int) {
		if v != 2 {
			t.Errorf("%s: %d", k, v)
		}
	})
}
