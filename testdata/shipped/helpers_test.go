// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package shipped

import (
	"sync"
	"testing"
)

// both calls f for 0 and 1 on two goroutines that nothing orders.
func both(f func(i int)) { concurrently(func() { f(0) }, func() { f(1) }) }

// concurrently calls the functions on goroutines that nothing orders.
func concurrently(fs ...func()) {
	var wg sync.WaitGroup
	for _, f := range fs {
		wg.Go(f)
	}
	wg.Wait()
}

// A mapping is what the maps have in common. A nil function is one that a map lacks.
type mapping struct {
	get   func(k string) (any, bool)
	set   func(k string, v any)
	del   func(k string)
	add   func(k string, v any) // if it is absent
	size  func()
	all   func()
	clear func()
}

// races runs a subtest for each pair of calls that don't commute.
func races(t *testing.T, make func() mapping) {
	run := func(name string, fs func(m mapping) [2]func()) {
		t.Run(name, func(t *testing.T) {
			m := make()
			m.set("there", 0)
			if pair := fs(m); pair[0] != nil && pair[1] != nil {
				concurrently(pair[0], pair[1])
				return
			}
			t.Skip("the map has no such method")
		})
	}
	when := func(have bool, f func()) func() {
		if !have {
			return nil
		}
		return f
	}
	run("SetSet", func(m mapping) [2]func() {
		return [2]func(){func() { m.set("k", 1) }, func() { m.set("k", 2) }}
	})
	run("SetSetThere", func(m mapping) [2]func() {
		return [2]func(){func() { m.set("there", 1) }, func() { m.set("there", 2) }}
	})
	run("GetSet", func(m mapping) [2]func() {
		return [2]func(){func() { m.get("k") }, func() { m.set("k", 2) }}
	})
	run("GetThenSet", func(m mapping) [2]func() {
		f := func(v int) func() {
			return func() {
				if _, ok := m.get("k"); !ok {
					m.set("k", v)
				}
			}
		}
		return [2]func(){f(1), f(2)}
	})
	run("SetDelete", func(m mapping) [2]func() {
		return [2]func(){func() { m.set("there", 1) }, when(m.del != nil, func() { m.del("there") })}
	})
	run("SetSize", func(m mapping) [2]func() {
		return [2]func(){func() { m.set("k", 1) }, when(m.size != nil, func() { m.size() })}
	})
	run("SetAll", func(m mapping) [2]func() {
		return [2]func(){func() { m.set("there", 1) }, when(m.all != nil, func() { m.all() })}
	})
	run("SetAdd", func(m mapping) [2]func() {
		return [2]func(){func() { m.set("k", 1) }, when(m.add != nil, func() { m.add("k", 2) })}
	})
	run("SetClear", func(m mapping) [2]func() {
		return [2]func(){func() { m.set("k", 1) }, when(m.clear != nil, func() { m.clear() })}
	})
}

// noRaces runs a subtest for each pair of calls that commute, or are ordered.
func noRaces(t *testing.T, make func() mapping) {
	run := func(name string, f func(m mapping, i int)) {
		t.Run(name, func(t *testing.T) {
			m := make()
			m.set("there", 0)
			both(func(i int) { f(m, i) })
		})
	}
	run("OtherKeys", func(m mapping, i int) {
		k := []string{"a", "b"}[i]
		m.set(k, i)
		m.get(k)
		if m.add != nil {
			m.add(k, 2)
		}
		if m.del != nil {
			m.del(k)
		}
	})
	run("EqualValues", func(m mapping, i int) { m.set("k", 1) })
	run("Readers", func(m mapping, i int) {
		m.get("there")
		if m.size != nil {
			m.size()
		}
		if m.all != nil {
			m.all()
		}
	})
	run("Deletes", func(m mapping, i int) {
		if m.del != nil {
			m.del("there")
		}
	})
	run("DeleteAbsent", func(m mapping, i int) {
		m.get("k")
		if m.del != nil {
			m.del("k")
		}
	})
	run("Arbitration", func(m mapping, i int) {
		if m.add != nil {
			m.add("k", i)
			m.get("k")
		}
	})
	var mu sync.Mutex
	run("Locked", func(m mapping, i int) {
		mu.Lock()
		defer mu.Unlock()
		if _, ok := m.get("k"); !ok {
			m.set("k", i)
		}
		if m.size != nil {
			m.size()
		}
		if m.del != nil {
			m.del("k")
		}
	})
}

// noChange runs a subtest in which a set changes nothing while others read; for maps that know what was there before.
func noChange(t *testing.T, make func() mapping) {
	t.Run("NoChange", func(t *testing.T) {
		m := make()
		m.set("there", 0)
		concurrently(func() { m.set("there", 0) }, func() {
			m.get("there")
			if m.size != nil {
				m.size()
			}
			if m.all != nil {
				m.all()
			}
		})
	})
}
