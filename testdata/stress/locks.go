// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
)

// kinds are all.
var kinds = []kind{
	{"mutex", mutexes},
	{"rwmutex", rwmutexes},
	{"semaphore", semaphores},
	{"tokens", tokens},
	{"spinlock", spinlocks},
	{"ticket", tickets},
	{"slot", slots},
	{"cond", conds},
	{"once", onces},
	{"pointer", pointers},
	{"syncmap", syncMaps},
	{"pool", pools},
	{"unbuffered", unbuffered},
	{"buffered", buffered},
	{"select", selects},
	{"close", closes},
	{"waitgroup", waitGroups},
	{"join", joins},
	{"context", contexts},
	{"timer", timers},
	{"pull", pulls},
	{"collector", collectors},
}

// some is how many things there are of a kind that workers choose from.
const some = 3

// A guarded is a box behind a lock.
type guarded[L any] struct {
	lock    L
	box     *box
	changes atomic.Int64
}

// guard makes some, with locks that are made by init, and checks at the end that no change was lost.
func guard[L any](s *shared, init func(l *L)) *[some]guarded[L] {
	all := new([some]guarded[L])
	r := rand.New(rand.NewPCG(s.seed, 7))
	for i := range all {
		init(&all[i].lock)
		all[i].box = newBox(r)
	}
	s.atEnd(func() {
		for i := range all {
			all[i].box.check()
			equal("changes", all[i].box.updates, all[i].changes.Load())
		}
	})
	return all
}

func equal(what string, got, want int64) {
	if got != want {
		panic(fmt.Sprintf("stress: %d %s, want %d", got, what, want))
	}
}

// change changes the box; the lock must be held.
func (g *guarded[L]) change(w *worker) {
	g.box.change(w.r)
	g.changes.Add(1)
}

// exclusive makes a use of a lock that excludes all others.
func exclusive[L any](s *shared, init, lock, unlock func(l *L)) use {
	all := guard(s, init)
	return func(w *worker) {
		g := &all[w.r.IntN(some)]
		lock(&g.lock)
		g.change(w)
		unlock(&g.lock)
		w.slip(g.box)
	}
}

func mutexes(s *shared) use {
	return exclusive(s, func(*sync.Mutex) {}, (*sync.Mutex).Lock, (*sync.Mutex).Unlock)
}

func rwmutexes(s *shared) use {
	all := guard(s, func(*sync.RWMutex) {})
	return func(w *worker) {
		g := &all[w.r.IntN(some)]
		switch w.r.IntN(6) {
		case 0:
			g.lock.Lock()
			g.change(w)
			g.lock.Unlock()
		case 1:
			if g.lock.TryLock() {
				g.change(w)
				g.lock.Unlock()
			}
		case 2:
			if g.lock.TryRLock() {
				g.box.check()
				g.lock.RUnlock()
			}
		default:
			g.lock.RLock()
			g.box.check()
			g.lock.RUnlock()
		}
		w.slip(g.box)
	}
}

// semaphores are channels with one place.
func semaphores(s *shared) use {
	type lock = chan struct{}
	return exclusive(s,
		func(l *lock) { *l = make(lock, 1) },
		func(l *lock) { *l <- struct{}{} },
		func(l *lock) { <-*l },
	)
}

// tokens are the right to one of some boxes each.
func tokens(s *shared) use {
	boxes := guard(s, func(*struct{}) {})
	rights := make(chan int, some)
	for i := range some {
		rights <- i
	}
	return func(w *worker) {
		i := <-rights
		boxes[i].change(w)
		rights <- i
		w.slip(boxes[i].box)
	}
}

func spinlocks(s *shared) use {
	return exclusive(s,
		func(*atomic.Bool) {},
		func(l *atomic.Bool) { until(func() bool { return l.CompareAndSwap(false, true) }) },
		func(l *atomic.Bool) { l.Store(false) },
	)
}

// until calls f again and again, and lets others run in between, until it returns true.
func until(f func() bool) {
	for !f() {
		runtime.Gosched()
	}
}

// A ticket lock serves in the order of arrival.
type ticket struct{ last, serving atomic.Uint32 }

func tickets(s *shared) use {
	return exclusive(s,
		func(*ticket) {},
		func(l *ticket) {
			own := l.last.Add(1) - 1
			until(func() bool { return l.serving.Load() == own })
		},
		func(l *ticket) { l.serving.Add(1) },
	)
}

// slots are boxes that somebody fills and somebody else empties.
func slots(s *shared) use {
	const empty, busy, full = 0, 1, 2
	type slot struct {
		state int32
		box   *box
	}
	all := new([some]slot)
	for i := range all {
		all[i].box = new(box)
	}
	return func(w *worker) {
		x := &all[w.r.IntN(some)]
		switch {
		case atomic.CompareAndSwapInt32(&x.state, empty, busy):
			x.box.fill(w.r.Uint64())
			atomic.StoreInt32(&x.state, full)
			w.slip(x.box)
		case atomic.LoadInt32(&x.state) == full && atomic.CompareAndSwapInt32(&x.state, full, busy):
			x.box.check()
			atomic.AddInt32(&x.state, empty-busy)
			w.slip(x.box)
		}
	}
}

// conds are a queue: workers put boxes in, and wait while it is full; a server takes them out, and waits while it is
// empty.
func conds(s *shared) use {
	var (
		mu       sync.Mutex
		changed  = sync.NewCond(&mu)
		queue    []*box
		over     bool
		put, got int64
	)
	s.serve(func(*rand.Rand) {
		for {
			mu.Lock()
			for len(queue) == 0 && !over {
				changed.Wait()
			}
			if len(queue) == 0 {
				mu.Unlock()
				return
			}
			b := queue[0]
			queue = queue[1:]
			got++
			changed.Signal()
			mu.Unlock()
			b.check()
			b.fill(1)
		}
	})
	s.serve(func(*rand.Rand) {
		<-s.over
		mu.Lock()
		over = true
		changed.Broadcast()
		mu.Unlock()
	})
	s.atEnd(func() { equal("boxes taken out of the queue", got, put) })
	return func(w *worker) {
		b := newBox(w.r)
		mu.Lock()
		for len(queue) >= 2*some {
			changed.Wait()
		}
		queue = append(queue, b)
		put++
		changed.Broadcast()
		mu.Unlock()
		w.slip(b)
	}
}
