// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package checkacts

import (
	"sync"
	"testing"
)

// A table is a type with a specification of its own.
//
//ecl:observer Get(key)/value, Has(key)/ok, Len()/n
//ecl:commute Set(k1, v1), Set(k2, v2): k1 != k2
//ecl:commute Set(k1, v1), Get(k2): k1 != k2
//ecl:commute Set(k1, v1), Has(k2): k1 != k2
//ecl:commute Set(k1, v1), Len(): false
//ecl:commute Remove(k1), Set(k2, v2): k1 != k2
//ecl:commute Remove(k1), Remove(k2): true
//ecl:commute Remove(k1), Get(k2): k1 != k2
//ecl:commute Remove(k1), Has(k2): k1 != k2
//ecl:commute Remove(k1), Len(): false
type table struct {
	mu sync.Mutex
	m  map[string]int
}

func newTable() *table { return &table{m: map[string]int{}} }

func (t *table) Get(key string) (value int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.m[key]
}

func (t *table) Has(key string) (ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, ok = t.m[key]
	return ok
}

func (t *table) Len() (n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.m)
}

func (t *table) Set(key string, value int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.m[key] = value
}

func (t *table) Remove(key string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.m, key)
}

func (t *table) add(pause func()) {
	n := t.Get("k")
	pause()
	t.Set("k", n+1)
}

func TestRaceAddBetween(*testing.T) {
	t := newTable()
	between(t.add, func() { t.add(nothing) })
}

func TestRaceAddAfter(*testing.T) {
	t := newTable()
	after(t.add, func() { t.add(nothing) })
}

// Remove changes what Get saw whatever there is, as the specification has it.
func TestRaceAddRemove(*testing.T) {
	t := newTable()
	after(t.add, func() { t.Remove("k") })
}

func TestNoRaceAddLocked(*testing.T) {
	t := newTable()
	var mu sync.Mutex
	add := func(pause func()) {
		mu.Lock()
		t.add(pause)
		mu.Unlock()
	}
	after(add, func() { add(nothing) })
}

// fill puts no more than there is room for.
func (t *table) fill(key string, pause func()) {
	if t.Len() < 1 {
		pause()
		t.Set(key, 1)
	}
}

func TestRaceFillBetween(*testing.T) {
	t := newTable()
	between(func(pause func()) { t.fill("a", pause) }, func() { t.fill("b", nothing) })
}

func TestRaceFillAfter(*testing.T) {
	t := newTable()
	after(func(pause func()) { t.fill("a", pause) }, func() { t.fill("b", nothing) })
}

// The other fills up, but does not look: as if it had come first, or last.
func TestRacePlainFillOther(*testing.T) {
	t := newTable()
	between(func(pause func()) { t.fill("a", pause) }, func() { t.Set("b", 1) })
}

func (t *table) removeIfThere(pause func()) {
	if t.Has("k") {
		pause()
		t.Remove("k")
	}
}

func TestRaceRemoveBetweenSet(*testing.T) {
	t := newTable()
	t.Set("k", 1)
	between(t.removeIfThere, func() { t.Set("k", 2) })
}

func TestRaceRemoveAfterSet(*testing.T) {
	t := newTable()
	t.Set("k", 1)
	after(t.removeIfThere, func() { t.Set("k", 2) })
}

func TestRacePlainRemoveHas(*testing.T) {
	t := newTable()
	t.Set("k", 1)
	between(t.removeIfThere, func() { t.Has("k") })
}
