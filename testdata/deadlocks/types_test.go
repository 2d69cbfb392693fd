// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package deadlocks

import (
	"runtime"
	"sync"
	"testing"
)

type account struct {
	id int
	mu sync.Mutex
	n  int
}

func transfer(from, to *account, n int) {
	from.mu.Lock()
	defer from.mu.Unlock()
	to.mu.Lock()
	defer to.mu.Unlock()
	from.n -= n
	to.n += n
}

func ordered(from, to *account, n int) {
	first, second := from, to
	if second.id < first.id {
		first, second = second, first
	}
	first.mu.Lock()
	defer first.mu.Unlock()
	second.mu.Lock()
	defer second.mu.Unlock()
	from.n -= n
	to.n += n
}

func TestRaceTransfer(t *testing.T) {
	a, b := &account{id: 1}, &account{id: 2}
	oneByOne(func() { transfer(a, b, 1) }, func() { transfer(b, a, 1) })
}

func TestNoRaceTransfer(t *testing.T) {
	a, b := &account{id: 1}, &account{id: 2}
	oneByOne(func() { ordered(a, b, 1) }, func() { ordered(b, a, 1) })
}

func TestNoRaceOtherAccounts(t *testing.T) {
	a, b, c := &account{id: 1}, &account{id: 2}, &account{id: 3}
	oneByOne(func() { transfer(a, b, 1) }, func() { transfer(b, c, 1) },
		func() { transfer(a, c, 1) })
}

// Many times, by many goroutines.
func TestRaceManyTransfers(t *testing.T) {
	list := make([]account, 8)
	var todo []func()
	for i := range list {
		todo = append(todo, func() {
			for range 100 {
				transfer(&list[i], &list[(i+1)%2], 1)
			}
		})
	}
	oneByOne(todo[2], todo[0], todo[3], todo[1])
}

var global struct{ a, b sync.Mutex }

func TestRaceGlobal(t *testing.T) {
	oneByOne(func() { nest(&global.a, &global.b) }, func() { nest(&global.b, &global.a) })
}

func TestRaceElement(t *testing.T) {
	list := make([]account, 4)
	m := map[string]*account{"x": {}}
	oneByOne(func() { transfer(&list[2], m["x"], 1) }, func() { transfer(m["x"], &list[2], 1) })
}

// A shelf takes its lock in methods that are called under another one.
type shelf struct {
	mu    sync.Mutex
	other *shelf
	n     int
}

func (s *shelf) add() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.n++
}

func (s *shelf) move() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.n--
	s.other.add()
}

func TestRaceMethods(t *testing.T) {
	a, b := new(shelf), new(shelf)
	a.other, b.other = b, a
	oneByOne(a.move, b.move)
}

// lock returns with the lock held.
func (s *shelf) lock() { s.mu.Lock() }

func TestRaceHelper(t *testing.T) {
	a, b := new(shelf), new(shelf)
	oneByOne(func() {
		a.lock()
		b.lock()
		b.mu.Unlock()
		a.mu.Unlock()
	}, func() {
		b.lock()
		a.add()
		b.mu.Unlock()
	})
}

// Wait lets its lock go, and takes it again, while another one is held.
func TestRaceCondition(t *testing.T) {
	var a, b sync.Mutex
	c := sync.NewCond(&b)
	var waits, done flag
	var all sync.WaitGroup
	woken := false
	all.Go(func() {
		a.Lock()
		defer a.Unlock()
		b.Lock()
		waits.raise()
		for !woken {
			c.Wait()
		}
		b.Unlock()
		done.raise()
	})
	all.Go(func() {
		waits.await()
		b.Lock()
		woken = true
		b.Unlock()
		c.Signal()
	})
	all.Go(func() {
		done.await()
		nest(&b, &a)
	})
	all.Wait()
}

func TestNoRaceCondition(t *testing.T) {
	var mu sync.Mutex
	c := sync.NewCond(&mu)
	full := false
	var all sync.WaitGroup
	all.Go(func() {
		mu.Lock()
		for !full {
			c.Wait()
		}
		mu.Unlock()
	})
	all.Go(func() {
		mu.Lock()
		full = true
		c.Broadcast()
		mu.Unlock()
	})
	all.Wait()
}

// Locks in memory that is used again are other locks.
func TestNoRaceReusedMemory(t *testing.T) {
	for range 200 {
		pair := new([2]account)
		oneByOne(func() { transfer(&pair[0], &pair[1], 1) })
		runtime.GC()
		pair = new([2]account)
		oneByOne(func() { transfer(&pair[1], &pair[0], 1) })
	}
}

// More locks than are followed are held.
func TestNoRaceTooMany(t *testing.T) {
	var gate sync.Mutex
	var locks [20]sync.Mutex
	var a, b sync.Mutex
	all := func(x, y *sync.Mutex) {
		list := []sync.Locker{&gate}
		for i := range locks {
			list = append(list, &locks[i])
		}
		nest(append(list, x, y)...)
	}
	oneByOne(func() { all(&a, &b) }, func() { all(&b, &a) })
}
