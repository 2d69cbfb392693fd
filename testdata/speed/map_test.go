// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package speed

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"
)

const keys = 1024

// shared is used by all goroutines of a benchmark at once.
//
//commute:concurrent calls are measured here, not found fault with
var shared sync.Map

var (
	intKeys    [keys]any // boxed once, so that no allocation is measured
	stringKeys [keys]any
)

func init() {
	for i := range keys {
		intKeys[i] = i
		stringKeys[i] = "key " + strconv.Itoa(i)
	}
}

// mixed makes 15 Loads to one Store, of random keys.
func mixed(m *sync.Map, keys *[keys]any, next func() bool) {
	for i := 0; next(); i++ {
		k := keys[rand.N(len(keys))]
		if i%16 == 0 {
			m.Store(k, i)
		} else {
			m.Load(k)
		}
	}
}

func BenchmarkMapMixedInt(b *testing.B)    { mixed(new(sync.Map), &intKeys, b.Loop) }
func BenchmarkMapMixedString(b *testing.B) { mixed(new(sync.Map), &stringKeys, b.Loop) }

func BenchmarkMapMixedIntParallel(b *testing.B) {
	shared.Clear()
	b.RunParallel(func(pb *testing.PB) { mixed(&shared, &intKeys, pb.Next) })
}

// BenchmarkMapMixedIntMany has sixteen goroutines to a processor.
func BenchmarkMapMixedIntMany(b *testing.B) {
	shared.Clear()
	b.SetParallelism(16)
	b.RunParallel(func(pb *testing.PB) { mixed(&shared, &intKeys, pb.Next) })
}

func BenchmarkMapMixedStringParallel(b *testing.B) {
	shared.Clear()
	b.RunParallel(func(pb *testing.PB) { mixed(&shared, &stringKeys, pb.Next) })
}

// BenchmarkMapLoadSame is the floor: every goroutine reads the one key that was stored before.
func BenchmarkMapLoadSame(b *testing.B) {
	var m sync.Map
	m.Store("key", 1)
	for b.Loop() {
		m.Load("key")
	}
}

func BenchmarkMapLoadSameParallel(b *testing.B) {
	var m sync.Map
	m.Store("key", 1)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			m.Load("key")
		}
	})
}

func BenchmarkMapLoadOrStore(b *testing.B) {
	var m sync.Map
	for i := 0; b.Loop(); i++ {
		m.LoadOrStore(intKeys[i%keys], i)
	}
}

func BenchmarkMapStoreDelete(b *testing.B) {
	var m sync.Map
	for b.Loop() {
		m.Store("key", 1)
		m.Delete("key")
	}
}

func BenchmarkMapRange1024(b *testing.B) {
	var m sync.Map
	for _, k := range intKeys {
		m.Store(k, 1)
	}
	for b.Loop() {
		m.Range(func(any, any) bool { return true })
	}
}

// BenchmarkMapHistory measures a Load and a Store of one key after many calls on the same map, made by a hundred
// goroutines, each joined before the next. The cost must not grow.
func BenchmarkMapHistory(b *testing.B) {
	for _, calls := range []int{1e1, 1e2, 1e3, 1e4, 1e5, 1e6} {
		b.Run(fmt.Sprintf("%d", calls), func(b *testing.B) {
			m := new(sync.Map)
			for range 100 {
				var one sync.WaitGroup
				one.Go(func() {
					for i := range calls / 100 {
						m.Store(intKeys[i%keys], i)
					}
				})
				one.Wait()
			}
			b.ResetTimer()
			for i := 0; b.Loop(); i++ {
				m.Load("key")
				m.Store("key", i)
			}
		})
	}
}
