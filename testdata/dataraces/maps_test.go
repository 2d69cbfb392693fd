// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package dataraces

import (
	"maps"
	"slices"
	"testing"
)

// A mapUse is one operation on a map.
type mapUse[K comparable, V any] func(m map[K]V, k K, v V)

type mapKind[K comparable, V any] struct {
	k K // in the map
	n K // not in it
	v V
}

// pairs are the operations that write, against those that read and against each other, on maps of a kind. A map of a
// kind has two sizes: within one group, and larger.
func (kind mapKind[K, V]) pairs(size int) pairs {
	writes := map[string]mapUse[K, V]{
		"Set":    func(m map[K]V, k K, v V) { m[k] = v },
		"Delete": func(m map[K]V, k K, _ V) { delete(m, k) },
		"Clear":  func(m map[K]V, _ K, _ V) { clear(m) },
	}
	p := make(pairs)
	for write, w := range writes {
		for read, r := range mapReads[K, V]() {
			p[write+read] = kind.pair(size, w, r)
		}
		p[write+"Set"] = kind.pair(size, w, writes["Set"])
		p[write+"Delete"] = kind.pair(size, w, writes["Delete"])
	}
	return p
}

func mapReads[K comparable, V any]() map[string]mapUse[K, V] {
	return map[string]mapUse[K, V]{
		"Get":   func(m map[K]V, k K, _ V) { keep(m[k]) },
		"GetOK": func(m map[K]V, k K, _ V) { _, ok := m[k]; keep(ok) },
		"Len":   func(m map[K]V, _ K, _ V) { keep(len(m)) },
		"Range": func(m map[K]V, _ K, _ V) {
			for k, v := range m {
				keep(k)
				keep(v)
			}
		},
		"RangeKeys": func(m map[K]V, _ K, _ V) {
			for k := range m {
				keep(k)
			}
		},
		"Keys": func(m map[K]V, _ K, _ V) { keep(slices.Collect(maps.Keys(m))) },
	}
}

func (kind mapKind[K, V]) pair(size int, f, g mapUse[K, V]) func() (a, b func()) {
	return func() (a, b func()) {
		m := make(map[K]V, size)
		m[kind.k] = kind.v
		return func() { f(m, kind.k, kind.v) }, func() { g(m, kind.n, kind.v) }
	}
}

type wideKey [40]byte

// mapKinds are the types of map for which the runtime has code of its own, and others.
var mapKinds = map[string]interface{ pairs(size int) pairs }{
	"Int32":     mapKind[int32, int]{1, 2, 3},
	"Pointer":   mapKind[*int, *int]{new(int), new(int), new(int)},
	"Int64":     mapKind[int64, string]{1, 2, "a"},
	"String":    mapKind[string, int]{"a", "b", 1},
	"Interface": mapKind[any, any]{"a", 1, 2},
	"Float":     mapKind[float64, bool]{1, 2, true},
	"Wide":      mapKind[wideKey, [300]int]{k: wideKey{1}, n: wideKey{2}},
	"Set":       mapKind[string, struct{}]{k: "a", n: "b"},
	"Byte":      mapKind[byte, []int]{1, 2, nil},
}

func eachMapKind(t *testing.T, f func(t *testing.T, p pairs)) {
	for _, name := range slices.Sorted(maps.Keys(mapKinds)) {
		t.Run(name+"Small", func(t *testing.T) { f(t, mapKinds[name].pairs(0)) })
		t.Run(name+"Large", func(t *testing.T) { f(t, mapKinds[name].pairs(100)) })
	}
}

func TestRaceMap(t *testing.T) {
	eachMapKind(t, func(t *testing.T, p pairs) { p.races(t) })
}

func TestNoRaceMap(t *testing.T) {
	eachMapKind(t, func(t *testing.T, p pairs) { p.ordered(t) })
}

func TestNoRaceMapReaders(t *testing.T) {
	kind, p := mapKind[string, int]{"a", "b", 1}, make(pairs)
	reads := mapReads[string, int]()
	for one, f := range reads {
		for other, g := range reads {
			p[one+other] = kind.pair(10, f, g)
		}
	}
	p.harmless(t)
}

// mapPairs are accesses to a map's variable, to what its elements refer to, and to the parts of a key or value.
var mapPairs = pairs{
	"Variable": func() (a, b func()) {
		m := map[int]int{}
		return func() { m = map[int]int{1: 2} }, func() { keep(m[1]) }
	},
	"VariableAndSet": func() (a, b func()) {
		m := map[int]int{}
		return func() { m = map[int]int{} }, func() { m[1] = 1 }
	},
	"OpAssign": func() (a, b func()) {
		m := map[int]int{1: 1}
		return func() { m[1]++ }, func() { m[2] += 2 }
	},
	"AppendToElement": func() (a, b func()) {
		m := map[int][]int{}
		return func() { m[1] = append(m[1], 1) }, func() { m[2] = append(m[2], 1) }
	},
	"ElementOfSliceInMap": func() (a, b func()) {
		m := map[int][]int{1: {1}}
		return func() { m[1][0] = 2 }, func() { keep(m[1][0]) }
	},
	"PointerInMap": func() (a, b func()) {
		m := map[int]*small{1: {}}
		return func() { m[1].b = 2 }, func() { keep(m[1].b) }
	},
	"MapInMap": func() (a, b func()) {
		m := map[int]map[int]int{1: {}}
		return func() { m[1][2] = 3 }, func() { keep(m[1][2]) }
	},
	"FieldOfElement": func() (a, b func()) {
		m := map[int]large{1: {}}
		return func() { m[1] = large{} }, func() { keep(m[1].body[3]) }
	},
	"KeyRead": func() (a, b func()) {
		m, k := map[wideKey]int{}, new(wideKey)
		return func() { keep(m[*k]) }, func() { k[30] = 1 }
	},
	"KeyWritten": func() (a, b func()) {
		m, k := map[int]int{1: 1}, new(int)
		return func() {
			for *k = range m {
				keep(m)
			}
		}, func() { keep(*k) }
	},
	"ValueWritten": func() (a, b func()) {
		m, v := map[int]large{1: {}}, new(large)
		return func() {
			for _, *v = range m {
				keep(m)
			}
		}, func() { v.tail = "a" }
	},
	"OKWritten": func() (a, b func()) {
		m := map[int]int{1: 1}
		var v int
		var ok bool
		return func() { v, ok = m[1] }, func() { keep(ok); keep(v) }
	},
	"MapsCopy": func() (a, b func()) {
		m := map[int]int{1: 1}
		return func() { maps.Copy(m, map[int]int{2: 2}) }, func() { keep(m[1]) }
	},
	"DeleteFunc": func() (a, b func()) {
		m := map[int]int{1: 1}
		return func() { maps.DeleteFunc(m, func(k, _ int) bool { return k == 1 }) }, func() { keep(len(m)) }
	},
	"DeleteMissing": func() (a, b func()) { // it may write, whatever the key
		m := map[int]int{1: 1}
		return func() { delete(m, 2) }, func() { keep(m[1]) }
	},
	"Growth": func() (a, b func()) {
		m := map[int]int{}
		return func() {
			for i := range 1000 {
				m[i] = i
			}
		}, func() { keep(m[7]) }
	},
	"RangeStep": func() (a, b func()) {
		m := map[int]int{1: 1, 2: 2}
		return func() {
			for k := range m {
				m[k] = 3
			}
		}, func() { keep(m[1]) }
	},
}

func TestRaceMapPart(t *testing.T)   { mapPairs.races(t) }
func TestNoRaceMapPart(t *testing.T) { mapPairs.ordered(t) }

func TestNoRaceMapHarmless(t *testing.T) {
	pairs{
		"TwoMaps": func() (a, b func()) {
			m, n := map[int]int{}, map[int]int{}
			return func() { m[1] = 1 }, func() { n[1] = 1 }
		},
		"Nil": func() (a, b func()) {
			var m map[int]int
			return func() { keep(m[1]); delete(m, 1) }, func() { keep(len(m)); clear(m) }
		},
		"MapsInMap": func() (a, b func()) {
			m := map[int]map[int]int{1: {}, 2: {}}
			return func() { m[1][1] = 1 }, func() { m[2][1] = 1 }
		},
		"PointersInMap": func() (a, b func()) {
			m := map[int]*int{1: new(int), 2: new(int)}
			return func() { *m[1] = 1 }, func() { *m[2] = 1 }
		},
		"ClonesOwn": func() (a, b func()) {
			m := map[int]int{1: 1}
			change := func() { n := maps.Clone(m); n[1] = 2 }
			return change, change
		},
	}.harmless(t)
}
