// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package recording

import (
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
)

// quicksort sorts in place.
func quicksort(a []int) {
	for len(a) > 12 {
		pivot, i, j := a[len(a)/2], 0, len(a)-1
		for i <= j {
			for a[i] < pivot {
				i++
			}
			for a[j] > pivot {
				j--
			}
			if i <= j {
				a[i], a[j] = a[j], a[i]
				i++
				j--
			}
		}
		quicksort(a[:j+1])
		a = a[i:]
	}
	for i := 1; i < len(a); i++ {
		for j := i; j > 0 && a[j] < a[j-1]; j-- {
			a[j], a[j-1] = a[j-1], a[j]
		}
	}
}

// BenchmarkSort sorts 10,000 numbers.
func BenchmarkSort(b *testing.B) {
	order := rand.New(rand.NewPCG(1, 2)).Perm(10_000)
	a := make([]int, len(order))
	for b.Loop() {
		copy(a, order)
		quicksort(a)
	}
}

// A table is a map under a lock.
type table struct {
	mu sync.Mutex
	m  map[string]int
}

func (t *table) add(k string, n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.m[k] += n
}

func (t *table) get(k string) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.m[k]
}

// A cache is a map that is mostly read.
type cache struct {
	mu sync.RWMutex
	m  map[string]int
}

func (c *cache) get(k string) int {
	c.mu.RLock()
	v, ok := c.m[k]
	c.mu.RUnlock()
	if !ok {
		v = len(k)
		c.mu.Lock()
		c.m[k] = v
		c.mu.Unlock()
	}
	return v
}

var keys = func() (keys [256]string) {
	for i := range keys {
		keys[i] = "key " + strconv.Itoa(i)
	}
	return keys
}()

// each has n goroutines call f with 0 to 1000, which is one operation of a benchmark.
func each(b *testing.B, n int, f func(i int)) {
	for b.Loop() {
		var all sync.WaitGroup
		for range n {
			all.Go(func() {
				for i := range 1000 / n {
					f(i)
				}
			})
		}
		all.Wait()
	}
}

func BenchmarkMutexMap1(b *testing.B) { mutexMap(b, 1) }
func BenchmarkMutexMap4(b *testing.B) { mutexMap(b, 4) }

func mutexMap(b *testing.B, n int) {
	t := table{m: map[string]int{}}
	each(b, n, func(i int) {
		if i%4 == 0 {
			t.add(keys[i%len(keys)], i)
		} else {
			t.get(keys[i%len(keys)])
		}
	})
}

func BenchmarkRWCache1(b *testing.B) { rwCache(b, 1) }
func BenchmarkRWCache4(b *testing.B) { rwCache(b, 4) }

func rwCache(b *testing.B, n int) {
	c := cache{m: map[string]int{}}
	each(b, n, func(i int) { c.get(keys[i%len(keys)]) })
}

// BenchmarkCounter does nothing but lock, count and unlock.
func BenchmarkCounter(b *testing.B) {
	var mu sync.Mutex
	n := 0
	each(b, 1, func(int) {
		mu.Lock()
		n++
		mu.Unlock()
	})
}

func BenchmarkAtomics1(b *testing.B) { atomics(b, 1) }
func BenchmarkAtomics4(b *testing.B) { atomics(b, 4) }

func atomics(b *testing.B, n int) {
	var hits, misses atomic.Int64
	each(b, n, func(i int) {
		if i%8 == 0 {
			misses.Add(1)
		} else if misses.Load() > 0 {
			hits.Add(1)
		}
	})
}

// BenchmarkPingPong hands a number to and fro, a hundred times.
func BenchmarkPingPong(b *testing.B) {
	ping, pong := make(chan int), make(chan int)
	go func() {
		for v := range ping {
			pong <- v + 1
		}
	}()
	for b.Loop() {
		for v := 0; v < 100; {
			ping <- v
			v = <-pong
		}
	}
	close(ping)
}

// BenchmarkPipeline has a thousand numbers go through three goroutines.
func BenchmarkPipeline(b *testing.B) {
	stage := func(in <-chan int) <-chan int {
		out := make(chan int, 64)
		go func() {
			for v := range in {
				out <- v + 1
			}
			close(out)
		}()
		return out
	}
	for b.Loop() {
		first := make(chan int, 64)
		last := stage(stage(first))
		go func() {
			for i := range 1000 {
				first <- i
			}
			close(first)
		}()
		sum := 0
		for v := range last {
			sum += v
		}
	}
}

// BenchmarkFanOut has 16 goroutines count the words of a text each.
func BenchmarkFanOut(b *testing.B) {
	text := make([]byte, 256)
	for i := range text {
		text[i] = "word and words "[i%15]
	}
	counts := make([]int, 16)
	for b.Loop() {
		var all sync.WaitGroup
		for w := range counts {
			all.Go(func() {
				counts[w] = 0
				for _, c := range text {
					if c == ' ' {
						counts[w]++
					}
				}
			})
		}
		all.Wait()
	}
}

// BenchmarkSyncMap makes calls that have a specification.
func BenchmarkSyncMap(b *testing.B) {
	var m sync.Map
	each(b, 1, func(i int) {
		if i%4 == 0 {
			m.Store(keys[i%len(keys)], i)
		} else {
			m.Load(keys[i%len(keys)])
		}
	})
}

// A node is one of a binary search tree.
type node struct {
	left, right *node
	key         int
}

func (n *node) insert(key int) *node {
	switch {
	case n == nil:
		return &node{key: key}
	case key < n.key:
		n.left = n.left.insert(key)
	case key > n.key:
		n.right = n.right.insert(key)
	}
	return n
}

// BenchmarkTree builds a tree of 1,000 nodes, and forgets it.
func BenchmarkTree(b *testing.B) {
	order := rand.New(rand.NewPCG(1, 2)).Perm(1000)
	for b.Loop() {
		var root *node
		for _, key := range order {
			root = root.insert(key)
		}
	}
}

// An account is changed in transactions.
type account struct {
	mu      sync.Mutex
	balance int
}

// atomic
func transfer(from, to *account, n int) {
	from.mu.Lock()
	from.balance -= n
	to.mu.Lock()
	to.balance += n
	to.mu.Unlock()
	from.mu.Unlock()
}

func BenchmarkTransactions(b *testing.B) {
	var accounts [16]account
	each(b, 1, func(i int) { transfer(&accounts[i%15], &accounts[i%15+1], 1) })
}
