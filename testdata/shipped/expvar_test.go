// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package shipped

import (
	"expvar"
	"testing"
)

func TestRaceExpvarSet(t *testing.T) {
	v := new(expvar.Int)
	both(func(i int) { v.Set(int64(i + 1)) })
}

func TestRaceExpvarAddValue(t *testing.T) {
	v := new(expvar.Int)
	concurrently(func() { v.Add(1) }, func() { v.Value() })
}

func TestRaceExpvarAddSet(t *testing.T) {
	v := new(expvar.Int)
	concurrently(func() { v.Add(1) }, func() { v.Set(0) })
}

func TestRaceExpvarValueThenSet(t *testing.T) {
	v := new(expvar.Int)
	both(func(int) { v.Set(v.Value() + 1) })
}

func TestNoRaceExpvarAdds(t *testing.T) {
	v := new(expvar.Int)
	both(func(i int) { v.Add(int64(i)) })
	if v.Value() != 1 {
		t.Error("sum")
	}
}

func TestNoRaceExpvarEqualValues(t *testing.T) {
	v := new(expvar.Int)
	both(func(int) { v.Set(7) })
}

func TestNoRaceExpvarReaders(t *testing.T) {
	v := new(expvar.Int)
	both(func(int) {
		v.Value()
		_ = v.String()
		v.Add(0)
		v.Set(0)
	})
}

func TestRaceExpvarMapSet(t *testing.T) {
	m := new(expvar.Map).Init()
	both(func(int) { m.Set("k", new(expvar.Int)) })
}

func TestRaceExpvarMapAddSet(t *testing.T) {
	m := new(expvar.Map).Init()
	concurrently(func() { m.Add("k", 1) }, func() { m.Set("k", new(expvar.Int)) })
}

func TestRaceExpvarMapGetAdd(t *testing.T) {
	m := new(expvar.Map).Init()
	concurrently(func() { m.Add("k", 1) }, func() { m.Get("k") })
}

func TestRaceExpvarMapDeleteAdd(t *testing.T) {
	m := new(expvar.Map).Init()
	m.Add("k", 1)
	concurrently(func() { m.Add("k", 1) }, func() { m.Delete("k") })
}

func TestRaceExpvarMapString(t *testing.T) {
	m := new(expvar.Map).Init()
	m.Add("k", 1)
	concurrently(func() { m.Add("k", 1) }, func() { _ = m.String() })
}

func TestRaceExpvarMapInit(t *testing.T) {
	m := new(expvar.Map).Init()
	concurrently(func() { m.Add("k", 1) }, func() { m.Init() })
}

func TestNoRaceExpvarMapAdds(t *testing.T) {
	m := new(expvar.Map).Init()
	both(func(i int) {
		m.Add("k", 1)
		m.AddFloat("f", 1)
	})
	if got := m.Get("k").String(); got != "2" {
		t.Error(got)
	}
}

func TestNoRaceExpvarMapGetAdd(t *testing.T) {
	m := new(expvar.Map).Init()
	m.Add("k", 1)
	concurrently(func() { m.Add("k", 1) }, func() {
		m.Get("k")
		m.Do(func(expvar.KeyValue) {})
	})
}

func TestNoRaceExpvarMapOtherKeys(t *testing.T) {
	m := new(expvar.Map).Init()
	both(func(i int) {
		k := []string{"a", "b"}[i]
		m.Set(k, new(expvar.Int))
		m.Add(k, 1)
		m.Get(k)
		m.Delete(k)
	})
}

func TestNoRaceExpvarMapDeletes(t *testing.T) {
	m := new(expvar.Map).Init()
	m.Add("k", 1)
	both(func(int) { m.Delete("k") })
}
