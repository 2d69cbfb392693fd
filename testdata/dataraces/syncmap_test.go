// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package dataraces

import (
	"sync"
	"testing"
)

// shared is the sync.Map of this file's tests, which are not about calls that race.
//
//commute:concurrent the map is polled
var shared sync.Map

// posted is a post into the map that is seen by a look.
func posted(post func(key any), look func(key any) bool) func(t *testing.T) edge {
	return func(t *testing.T) edge {
		key := new(int)
		t.Cleanup(func() { shared.Delete(key) })
		return edge{func() { post(key) }, func() { until(func() bool { return look(key) }) }}
	}
}

func storeKey(key any)       { shared.Store(key, 1) }
func swapKey(key any)        { shared.Swap(key, 1) }
func loadOrStoreKey(key any) { shared.LoadOrStore(key, 1) }

func loadKey(key any) bool {
	_, ok := shared.Load(key)
	return ok
}

func takeKey(key any) bool {
	_, ok := shared.LoadAndDelete(key)
	return ok
}

func rangeKey(key any) (found bool) {
	shared.Range(func(k, _ any) bool {
		found = k == key
		return !found
	})
	return found
}

func changeKey(key any) bool { return shared.CompareAndSwap(key, 1, 2) }
func removeKey(key any) bool { return shared.CompareAndDelete(key, 1) }

// loseKey polls with a LoadOrStore of another key's kind: it must never be the one that stores.
func loseKey(key any) bool { return loadKey(key) && loadedOrStored(key) }

func loadedOrStored(key any) bool {
	_, loaded := shared.LoadOrStore(key, 2)
	return loaded
}

var syncMapEdges = edges{
	"StoreLoad":               posted(storeKey, loadKey),
	"StoreLoadAndDelete":      posted(storeKey, takeKey),
	"StoreRange":              posted(storeKey, rangeKey),
	"StoreCompareAndSwap":     posted(storeKey, changeKey),
	"StoreCompareAndDelete":   posted(storeKey, removeKey),
	"StoreLoadOrStore":        posted(storeKey, loseKey),
	"SwapLoad":                posted(swapKey, loadKey),
	"SwapRange":               posted(swapKey, rangeKey),
	"LoadOrStoreLoad":         posted(loadOrStoreKey, loadKey),
	"LoadOrStoreTake":         posted(loadOrStoreKey, takeKey),
	"CompareAndSwapLoadValue": casLoad,
	"DeleteLoad":              deleteLoad,
}

func casLoad(t *testing.T) edge {
	key := new(int)
	shared.Store(key, 1)
	t.Cleanup(func() { shared.Delete(key) })
	return edge{
		func() { shared.CompareAndSwap(key, 1, 2) },
		func() { until(func() bool { v, _ := shared.Load(key); return v == 2 }) },
	}
}

func deleteLoad(*testing.T) edge {
	key := new(int)
	shared.Store(key, 1)
	return edge{func() { shared.Delete(key) }, func() { until(func() bool { return !loadKey(key) }) }}
}

func TestRaceSyncMap(t *testing.T)   { syncMapEdges.races(t) }
func TestNoRaceSyncMap(t *testing.T) { syncMapEdges.ordered(t) }

// A register is a map whose calls may race.
type register struct {
	sync.Map //commute:concurrent only memory is of interest here
}

// A value that is loaded was published by its Store, whatever else the map does.
func TestNoRaceSyncMapValue(t *testing.T) {
	t.Run("Loaded", func(*testing.T) {
		m := new(register)
		apart(
			func() { c := new(cargo); c.load(); m.Store("a", c) },
			func() { c, _ := m.Load("a"); c.(*cargo).unload() },
			func() { m.Store("b", 1); c, _ := m.Load("a"); c.(*cargo).unload() },
		)
	})
	t.Run("Loser", func(*testing.T) {
		m := new(register)
		use := func() {
			own := new(cargo)
			own.load()
			c, _ := m.LoadOrStore("a", own)
			c.(*cargo).unload()
		}
		apart(use, use)
		together(use, use, use)
	})
	t.Run("Swapped", func(*testing.T) {
		m := new(register)
		own := func() {
			for range 10 {
				c := new(cargo)
				c.load()
				if old, ok := m.Swap("a", c); ok {
					old.(*cargo).load()
				}
			}
		}
		together(own, own, own)
	})
	t.Run("Ranged", func(*testing.T) {
		m := new(register)
		apart(
			func() {
				for i := range 20 {
					c := new(cargo)
					c.load()
					m.Store(i, c)
				}
			},
			func() { m.Range(func(_, c any) bool { c.(*cargo).unload(); return true }) },
		)
	})
	t.Run("Key", func(*testing.T) {
		m := new(register)
		apart(
			func() { k := new(cargo); k.load(); m.Store(k, 1) },
			func() { m.Range(func(k, _ any) bool { k.(*cargo).unload(); return true }) },
		)
	})
	t.Run("Internals", func(*testing.T) {
		m := new(register)
		use := func() {
			for i := range 50 {
				m.Store(i, i)
				m.Load(i + 1)
				m.LoadOrStore(i+2, i)
				m.CompareAndSwap(i, i, i+1)
				m.Delete(i - 3)
				if i%10 == 0 {
					m.Range(func(_, _ any) bool { return true })
					m.Clear()
				}
			}
		}
		together(use, use, use)
	})
}

func TestRaceSyncMapValue(t *testing.T) {
	t.Run("WrittenAfterStore", func(*testing.T) {
		m := new(register)
		apart(
			func() { c := new(cargo); m.Store("a", c); c.load() },
			func() { c, _ := m.Load("a"); c.(*cargo).unload() },
		)
	})
	t.Run("WrittenAfterLoad", func(*testing.T) {
		m, c := new(register), new(cargo)
		apart(
			func() { m.Store("a", c) },
			func() { c, _ := m.Load("a"); c.(*cargo).load() },
			func() { c, _ := m.Load("a"); c.(*cargo).load() },
		)
	})
	t.Run("WrittenByLoser", func(*testing.T) {
		m := new(register)
		use := func() {
			c, _ := m.LoadOrStore("a", new(cargo))
			c.(*cargo).load()
		}
		apart(use, use)
	})
	t.Run("WrittenInRange", func(*testing.T) {
		m := new(register)
		m.Store("a", new(cargo))
		use := func() { m.Range(func(_, c any) bool { c.(*cargo).load(); return true }) }
		apart(use, use)
	})
	t.Run("MapItself", func(*testing.T) {
		m := new(register)
		apart(func() { m.Load("a") }, func() { m.Map = sync.Map{} })
	})
}
