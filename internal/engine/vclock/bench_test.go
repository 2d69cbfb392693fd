// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package vclock

import (
	"fmt"
	"testing"
)

// A clocks is a representation of the clocks of threads 0 to n-1 and locks 0 to m-1. The benchmarks
// compare representations on the events of table 1.
type clocks interface {
	fork(parent, child int) // child starts
	join(parent, child int) // child has ended, parent waits for it
	acquire(t, l int)
	release(t, l int)
}

// flat is the textbook's: a slice per clock, copied at each release and fork.
type flat struct {
	thread, lock [][]uint64
}

func newFlat(n, m int) clocks {
	return &flat{make([][]uint64, n), make([][]uint64, m)}
}

func (f *flat) at(t int) []uint64 {
	if f.thread[t] == nil {
		f.thread[t] = make([]uint64, len(f.thread))
	}
	return f.thread[t]
}

func joinInto(a, b []uint64) {
	for i, v := range b {
		a[i] = max(a[i], v)
	}
}

func (f *flat) fork(p, c int) {
	f.at(c)
	copy(f.thread[c], f.at(p))
	f.thread[c][c]++
	f.thread[p][p]++
}
func (f *flat) join(p, c int)    { joinInto(f.at(p), f.at(c)) }
func (f *flat) acquire(t, l int) { joinInto(f.at(t), f.lock[l]) }
func (f *flat) release(t, l int) {
	f.lock[l] = append(f.lock[l][:0], f.at(t)...)
	f.thread[t][t]++
}

// shared is this package's.
type shared struct {
	thread []*Thread
	lock   []LockClock
	end    []LockClock
}

func newShared(n, m int) clocks {
	s := &shared{make([]*Thread, n), make([]LockClock, m), make([]LockClock, n)}
	for i := range s.thread {
		s.thread[i] = newThread()
	}
	world.Start(s.thread[0])
	return s
}

func (s *shared) fork(p, c int) { s.thread[p].Fork(s.thread[c]) }
func (s *shared) join(p, c int) {
	s.end[c].Release(s.thread[c])
	s.thread[c].End()
	s.end[c].Acquire(s.thread[p])
}
func (s *shared) acquire(t, l int) { s.lock[l].Acquire(s.thread[t]) }
func (s *shared) release(t, l int) { s.lock[l].Release(s.thread[t]); s.thread[t].Tick() }

// A treeClock is that of Mathur et al., ASPLOS 2022. An entry's parent in the tree is the thread
// from which it was learned, so that a join stops at what is known. A copy costs what has changed
// since the last one.
type treeClock struct {
	n     int
	root  int32
	clk   []uint64
	aclk  []uint64
	up    []int32 // parent, -1 at the root, -2 if absent
	first []int32 // first child, newest attachment first
	next  []int32
	prev  []int32
}

func newTreeClock(n, root int) *treeClock {
	t := &treeClock{
		n: n, root: int32(root), clk: make([]uint64, n), aclk: make([]uint64, n),
		up: make([]int32, n), first: make([]int32, n),
		next: make([]int32, n), prev: make([]int32, n),
	}
	for i := range t.up {
		t.up[i], t.first[i], t.next[i], t.prev[i] = -2, -1, -1, -1
	}
	if root >= 0 {
		t.up[root] = -1
	}
	return t
}

func (t *treeClock) detach(v int32) {
	if t.up[v] < 0 {
		return
	}
	if t.prev[v] >= 0 {
		t.next[t.prev[v]] = t.next[v]
	} else {
		t.first[t.up[v]] = t.next[v]
	}
	if t.next[v] >= 0 {
		t.prev[t.next[v]] = t.prev[v]
	}
}

func (t *treeClock) attach(v, parent int32) {
	t.up[v], t.prev[v], t.next[v] = parent, -1, t.first[parent]
	if t.first[parent] >= 0 {
		t.prev[t.first[parent]] = v
	}
	t.first[parent] = v
}

func (t *treeClock) join(o *treeClock) {
	if o.root < 0 || o.clk[o.root] <= t.clk[o.root] && t.up[o.root] != -2 {
		return
	}
	t.take(o, o.root, t.root, t.clk[t.root])
}

// take copies o's subtree of v, as far as it is news, below parent.
func (t *treeClock) take(o *treeClock, v, parent int32, aclk uint64) {
	known := t.clk[v]
	var news []int32
	for c := o.first[v]; c >= 0; c = o.next[c] {
		if t.clk[c] < o.clk[c] {
			news = append(news, c)
		} else if o.aclk[c] <= known {
			break
		}
	}
	if v != t.root {
		t.detach(v)
		t.attach(v, parent)
		t.clk[v], t.aclk[v] = o.clk[v], aclk
	}
	for i := len(news) - 1; i >= 0; i-- {
		t.take(o, news[i], v, o.aclk[news[i]])
	}
}

// copyFrom makes t equal to o, which knows all that t does.
func (t *treeClock) copyFrom(o *treeClock) {
	if t.root < 0 {
		*t = treeClock{n: o.n, root: o.root}
		t.clk, t.aclk = append([]uint64(nil), o.clk...), append([]uint64(nil), o.aclk...)
		t.up, t.first = append([]int32(nil), o.up...), append([]int32(nil), o.first...)
		t.next, t.prev = append([]int32(nil), o.next...), append([]int32(nil), o.prev...)
		return
	}
	old := t.root
	if old != o.root {
		t.detach(o.root)
		t.up[o.root] = -1
		t.root = o.root
		t.take(o, o.root, -1, 0)
		if t.up[old] == -1 && old != t.root {
			t.attach(old, t.root)
		}
	} else {
		t.take(o, o.root, -1, 0)
	}
	t.clk[t.root] = o.clk[o.root]
}

type trees struct{ thread, lock []*treeClock }

func newTrees(n, m int) clocks {
	f := &trees{make([]*treeClock, n), make([]*treeClock, m)}
	for i := range f.lock {
		f.lock[i] = newTreeClock(n, -1)
	}
	return f
}

func (f *trees) at(t int) *treeClock {
	if f.thread[t] == nil {
		f.thread[t] = newTreeClock(len(f.thread), t)
		f.thread[t].clk[t] = 1
	}
	return f.thread[t]
}
func (f *trees) fork(p, c int) {
	f.at(c).join(f.at(p))
	f.thread[c].clk[c]++
	f.thread[p].clk[p]++
}
func (f *trees) join(p, c int)    { f.at(p).join(f.at(c)) }
func (f *trees) acquire(t, l int) { f.at(t).join(f.lock[l]) }
func (f *trees) release(t, l int) {
	f.lock[l].copyFrom(f.at(t))
	f.thread[t].clk[t]++
}

var representations = []struct {
	name string
	make func(n, m int) clocks
}{{"flat", newFlat}, {"shared", newShared}, {"tree", newTrees}}

// BenchmarkPingPong is two of n live threads that take turns with a lock.
func BenchmarkPingPong(b *testing.B) {
	for _, n := range []int{4, 64, 1024} {
		for _, r := range representations {
			b.Run(fmt.Sprintf("%s/threads=%d", r.name, n), func(b *testing.B) {
				b.ReportAllocs()
				c := r.make(n, 2)
				for i := 1; i < n; i++ {
					c.fork(0, i)
					c.release(i, 0)
					c.acquire(0, 0)
				}
				for i := 0; b.Loop(); i++ {
					c.acquire(1+i&1, 1)
					c.release(1+i&1, 1)
				}
			})
		}
	}
}

// BenchmarkForkJoin is a fork and a join while n threads are alive.
func BenchmarkForkJoin(b *testing.B) {
	for _, n := range []int{4, 64, 1024} {
		for _, r := range representations {
			b.Run(fmt.Sprintf("%s/threads=%d", r.name, n), func(b *testing.B) {
				b.ReportAllocs()
				c := r.make(n+1, 1)
				for i := 1; i < n; i++ {
					c.fork(0, i)
					c.release(i, 0)
					c.acquire(0, 0)
				}
				for b.Loop() {
					c.fork(0, n)
					c.join(0, n)
				}
			})
		}
	}
}

// BenchmarkRandomLocks is n threads that take 16 locks at random.
func BenchmarkRandomLocks(b *testing.B) {
	for _, n := range []int{4, 64, 1024} {
		for _, r := range representations {
			b.Run(fmt.Sprintf("%s/threads=%d", r.name, n), func(b *testing.B) {
				b.ReportAllocs()
				c := r.make(n, 16)
				for i := 1; i < n; i++ {
					c.fork(0, i)
				}
				seed := uint64(1)
				for b.Loop() {
					seed = seed*6364136223846793005 + 1442695040888963407
					t, l := int(seed>>33)%n, int(seed>>60)
					c.acquire(t, l)
					c.release(t, l)
				}
			})
		}
	}
}

// BenchmarkWaiters is n threads that take a lock in turns, in the order of their slots or another,
// and look at something that another thread has set.
func BenchmarkWaiters(b *testing.B) {
	for _, n := range []int{64, 1024, 8192} {
		for _, step := range []int{1, 37} {
			b.Run(fmt.Sprintf("threads=%d/step=%d", n, step), func(b *testing.B) {
				c := newShared(n, 2).(*shared)
				for i := 1; i < n; i++ {
					c.fork(0, i)
				}
				t := 0
				for b.Loop() {
					if t = (t + step) % n; t == 0 {
						c.release(t, 1)
					}
					c.acquire(t, 0)
					c.acquire(t, 1)
					c.release(t, 0)
				}
			})
		}
	}
}

// BenchmarkLooks is n threads that wait for a lock, as spinning threads do: they look at it, and
// one look in 8 takes it. Thread 0 takes it, too, and hands what it has learned to one waiter.
func BenchmarkLooks(b *testing.B) {
	for _, n := range []int{64, 1024, 8192} {
		b.Run(fmt.Sprintf("threads=%d", n), func(b *testing.B) {
			c := newShared(n, 2).(*shared)
			for i := 1; i < n; i++ {
				c.fork(0, i)
			}
			seed := uint64(1)
			for i := 0; b.Loop(); i++ {
				seed = seed*6364136223846793005 + 1442695040888963407
				t := int(seed>>33) % n
				c.acquire(t, 0)
				switch i % 32 {
				case 3, 11, 19, 27:
					c.release(t, 0)
				case 31:
					c.acquire(0, 0)
					c.release(0, 0)
					c.release(0, 1)
					c.acquire(t, 1)
				}
			}
		})
	}
}
