// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package speed

import (
	"sync"
	"sync/atomic"
	"testing"
)

// shard is a lock beside others of its kind.
type shard struct {
	sync.Mutex
	n int
	_ [48]byte
}

// BenchmarkInside takes a lock inside of another one: of each kind, and inside of many in turns.
func BenchmarkInside(b *testing.B) {
	b.Run("Mutex", func(b *testing.B) {
		var outer, inner sync.Mutex
		n := 0
		for b.Loop() {
			outer.Lock()
			inner.Lock()
			n++
			inner.Unlock()
			outer.Unlock()
		}
	})
	b.Run("RWMutex", func(b *testing.B) {
		var outer, inner sync.RWMutex
		n := 0
		for b.Loop() {
			outer.Lock()
			inner.Lock()
			n++
			inner.Unlock()
			outer.Unlock()
		}
	})
	b.Run("Reader", func(b *testing.B) {
		var outer sync.RWMutex
		var inner sync.Mutex
		n := 0
		for b.Loop() {
			outer.RLock()
			inner.Lock()
			n++
			inner.Unlock()
			outer.RUnlock()
		}
	})
	b.Run("Many", func(b *testing.B) {
		shards := make([]shard, 256)
		var inner sync.Mutex
		for i := 0; b.Loop(); i++ {
			s := &shards[i*7%len(shards)]
			s.Lock()
			inner.Lock()
			s.n++
			inner.Unlock()
			s.Unlock()
		}
	})
}

// A pool has room for a number of keys.
type pool struct {
	mu      sync.Mutex
	n, room int
	keys    map[string]int
}

// add checks in one critical section, and acts in another.
func (p *pool) add(key string) bool {
	p.mu.Lock()
	full := p.n >= p.room
	p.mu.Unlock()
	if full {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.n++
	p.keys[key] = p.n
	return true
}

// BenchmarkFollowed has a program that enters a function with a check and an act: critical sections
// are followed from then on. What is measured has nothing to do with them.
func BenchmarkFollowed(b *testing.B) {
	p := &pool{room: 1, keys: make(map[string]int)}
	p.add("a")
	c := new(counters)
	b.Run("Mutex", func(b *testing.B) {
		for b.Loop() {
			c.locks[0].Lock()
			//lint:ignore SA2001 an empty section is what is measured
			c.locks[0].Unlock()
		}
	})
	b.Run("Inside", func(b *testing.B) {
		for b.Loop() {
			c.locks[0].Lock()
			c.locks[1].Lock()
			//lint:ignore SA2001 an empty section is what is measured
			c.locks[1].Unlock()
			c.locks[0].Unlock()
		}
	})
	b.Run("AtomicLoad", func(b *testing.B) {
		n := int64(0)
		for b.Loop() {
			n += c.n[0].Load()
		}
		sum.Add(n)
	})
	b.Run("AtomicAdd", func(b *testing.B) {
		for b.Loop() {
			c.n[0].Add(1)
		}
	})
}

// BenchmarkAtomicAddTwo adds to two variables in turns.
func BenchmarkAtomicAddTwo(b *testing.B) {
	var n [2]*atomic.Int64
	for i := range n {
		n[i] = new(atomic.Int64)
	}
	for b.Loop() {
		n[0].Add(1)
		n[1].Add(1)
	}
}

// A ledger has a method that checks and acts, so that what its lock guards is touched.
type ledger struct {
	mu    sync.Mutex
	items []int
	rate  int
}

// grow checks in one critical section and acts in another one.
func (l *ledger) grow(limit int) {
	l.mu.Lock()
	n := len(l.items)
	l.mu.Unlock()
	if n < limit {
		l.mu.Lock()
		l.items = append(l.items, n)
		l.mu.Unlock()
	}
}

func (l *ledger) scale() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range l.items {
		if l.items[i] < 1<<40 {
			l.items[i] += l.rate
		}
	}
}

// BenchmarkTouchedLoop has a loop of which each turn touches what a lock guards, while no critical
// section is followed.
func BenchmarkTouchedLoop(b *testing.B) {
	l := ledger{items: make([]int, 1000), rate: 1}
	if b.N < 0 {
		l.grow(1)
	}
	for b.Loop() {
		l.scale()
	}
}
