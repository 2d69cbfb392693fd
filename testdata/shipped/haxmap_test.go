// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package shipped

import (
	"testing"

	"github.com/alphadose/haxmap"
)

func newHaxmap() mapping {
	m := haxmap.New[string, any]()
	return mapping{
		get: m.Get,
		set: m.Set,
		add: func(k string, v any) { m.GetOrSet(k, v) },
		all: func() { m.ForEach(func(string, any) bool { return true }) },
	}
}

func TestRaceHaxmap(t *testing.T)   { races(t, newHaxmap) }
func TestNoRaceHaxmap(t *testing.T) { noRaces(t, newHaxmap) }

func TestRaceHaxmapSwap(t *testing.T) {
	m := haxmap.New[int, int]()
	m.Set(1, 1)
	both(func(i int) { m.Swap(1, 2+i) })
}

func TestRaceHaxmapSetCompareAndSwap(t *testing.T) {
	m := haxmap.New[int, int]()
	m.Set(1, 1)
	concurrently(func() { m.Set(1, 2) }, func() { m.CompareAndSwap(1, 1, 3) })
}

func TestNoRaceHaxmapCompareAndSwap(t *testing.T) {
	m := haxmap.New[int, int]()
	m.Set(1, 1)
	both(func(i int) { m.CompareAndSwap(1, 1, 2+i) })
}

func TestNoRaceHaxmapSwapAbsent(t *testing.T) {
	m := haxmap.New[int, int]()
	both(func(i int) {
		m.Swap(1, 2+i)
		m.Get(1)
	})
}

func TestNoRaceHaxmapCompute(t *testing.T) {
	m := haxmap.New[int, int]()
	both(func(i int) { m.GetOrCompute(1, func() int { return i }) })
}
