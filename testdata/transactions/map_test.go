// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package transactions

import (
	"sync"
	"testing"

	"github.com/commutego/commute/testdata/transactions/script"
)

// The calls of a sync.Map conflict as its specification says, its own synchronization doesn't count.

// atomic
func loadThenStore(m *sync.Map, k string, s *script.Script) {
	if _, ok := m.Load(k); !ok {
		s.Done("looked")
		s.Await("other")
		m.Store(k, 1)
	}
}

// atomic
func loadOrStore(m *sync.Map, k string, s *script.Script) {
	s.Done("looked")
	s.Try("other")
	m.LoadOrStore(k, 1)
}

func TestRaceLoadThenStore(t *testing.T) {
	var m sync.Map
	var s script.Script
	script.Go(func() { loadThenStore(&m, "k", &s) }, func() { s.Await("looked"); m.LoadOrStore("k", 2); s.Done("other") })
}

func TestNoRaceLoadThenStore(t *testing.T) {
	var m sync.Map
	var s script.Script
	script.Go(func() { loadOrStore(&m, "k", &s) }, func() { s.Await("looked"); m.LoadOrStore("k", 2); s.Done("other") })
}

func TestNoRaceOtherKey(t *testing.T) {
	var m sync.Map
	var s script.Script
	script.Go(func() { loadThenStore(&m, "k", &s) }, func() { s.Await("looked"); m.LoadOrStore("other", 2); s.Done("other") })
}

// Two maps, one after the other.
//
// atomic
func storeBoth(a, b *sync.Map, s *script.Script) {
	a.LoadOrStore("k", 1)
	s.Done("half")
	s.Await("other")
	b.LoadOrStore("k", 1)
}

// atomic
func loadBoth(a, b *sync.Map) {
	a.Load("k")
	b.Load("k")
}

func TestRaceTwoSyncMaps(t *testing.T) {
	var a, b sync.Map
	var s script.Script
	script.Go(func() { storeBoth(&a, &b, &s) }, func() { s.Await("half"); loadBoth(&a, &b); s.Done("other") })
}

func TestNoRaceTwoSyncMaps(t *testing.T) {
	var a, b sync.Map
	var s script.Script
	script.Go(func() { storeBoth(&a, &b, &s) }, func() { s.Await("half"); b.Load("other"); a.Load("k"); s.Done("other") })
}

// sum goes through a map that changes.
//
// atomic
func sum(m *sync.Map, s *script.Script) (n int) {
	m.Range(func(_, v any) bool { n += v.(int); return true })
	s.Done("once")
	s.Await("other")
	m.Range(func(_, v any) bool { n -= v.(int); return true })
	return n
}

func TestRaceRangeTwice(t *testing.T) {
	var m sync.Map
	m.Store("a", 1)
	var s script.Script
	script.Go(func() { sum(&m, &s) }, func() { s.Await("once"); m.LoadAndDelete("a"); s.Done("other") })
}

func TestNoRaceRangeTwice(t *testing.T) {
	var m sync.Map
	m.Store("a", 1)
	var s script.Script
	script.Go(func() { sum(&m, &s) }, func() { s.Await("once"); m.Load("a"); s.Done("other") })
}
