// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package annotations

import (
	"runtime"
	"sync"
	"testing"

	"github.com/commutego/commute/testdata/annotations/store"
)

// both calls f for 0 and 1 on two goroutines that nothing orders.
func both(f func(i int)) {
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() { f(i) })
	}
	wg.Wait()
}

func TestRaceLenThenPut(t *testing.T) {
	c := store.New[int, int]()
	both(func(i int) {
		if c.Len() < 10 {
			c.Put(i, i)
		}
	})
}

func TestNoRaceLenThenPutLocked(t *testing.T) {
	c := store.New[int, int]()
	var mu sync.Mutex
	both(func(i int) {
		mu.Lock()
		defer mu.Unlock()
		if c.Len() < 10 {
			c.Put(i, i)
		}
	})
}

func TestRaceSameKey(t *testing.T) {
	c := store.New[string, int]()
	both(func(i int) { c.Put("key", i) })
}

func TestNoRaceOtherKeys(t *testing.T) {
	c := store.New[int, int]()
	both(func(i int) {
		c.Put(i, i)
		c.Get(i)
		c.Delete(i)
	})
}

func TestNoRaceTwoDeletes(t *testing.T) {
	c := store.New[int, int]()
	both(func(int) { c.Delete(1) })
}

type putter interface{ Put(string, int) }

func TestRaceInterface(t *testing.T) {
	var p putter = store.New[string, int]()
	both(func(i int) { p.Put("key", i) })
}

func TestRaceMethodValue(t *testing.T) {
	put := store.New[string, int]().Put
	both(func(i int) { put("key", i) })
}

func put[P putter](p P, v int) { p.Put("key", v) }

func TestRaceGeneric(t *testing.T) {
	c := store.New[string, int]()
	both(func(i int) { put(c, i) })
}

type embedding struct{ *store.Cache[string, int] }

func TestRaceEmbedded(t *testing.T) {
	e := embedding{store.New[string, int]()}
	both(func(i int) { e.Put("key", i) })
}

// TestNoRaceOutermost has a call inside a call of the same object: it is part of that one, and what it puts is in its
// key alone.
func TestNoRaceOutermost(t *testing.T) {
	c := store.New[int, int]()
	both(func(i int) { c.GetOrCreate(i, func(int) int { return i }) })
}

// TestNoRaceArbitration has two calls that check and act in one, on one key: one of them wins.
func TestNoRaceArbitration(t *testing.T) {
	c := store.New[int, int]()
	both(func(i int) { c.GetOrCreate(7, func(int) int { return i }) })
}

// TestNoRaceCallback has a callback whose channel orders two calls: what it does is the program's.
func TestNoRaceCallback(t *testing.T) {
	c, d := store.New[int, int](), store.New[int, int]()
	said := make(chan bool)
	go func() {
		c.Put(1, 1)
		d.GetOrCreate(1, func(int) int {
			close(said)
			return 1
		})
	}()
	<-said
	c.Put(1, 2)
}

// A Queue is specified in the package of the tests.
//
//ecl:observer Len()/n
//ecl:commute Push(x1), Push(x2): false
//ecl:commute Push(x1), Len()/n2: n2 > 100
//ecl:commute Pop()/(x1, ok1), Pop()/(x2, ok2): !ok1 && !ok2
//ecl:commute Pop()/(x1, ok1), Push(x2): false
//ecl:commute Pop()/(x1, ok1), Len()/n2: !ok1
type Queue struct {
	mu sync.Mutex
	xs []int
}

func (q *Queue) Push(x int) {
	q.mu.Lock()
	q.xs = append(q.xs, x)
	q.mu.Unlock()
}

func (q *Queue) Pop() (x int, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.xs) == 0 {
		return 0, false
	}
	x, q.xs = q.xs[0], q.xs[1:]
	return x, true
}

func (q *Queue) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.xs)
}

func TestNoRacePopEmpty(t *testing.T) {
	var q Queue
	both(func(int) {
		q.Pop()
		q.Len()
	})
}

func TestRacePop(t *testing.T) {
	q := Queue{xs: []int{1, 2}}
	both(func(int) { q.Pop() })
}

func TestRacePushes(t *testing.T) {
	var q Queue
	both(func(i int) { q.Push(i) })
}

// shapes has methods of all shapes.
//
//ecl:observer All(_, xs)/(n, err)
//ecl:commute Set(x1, _)/old1, Set(x2, _)/old2: x1 == 0 && x2 == 0
//ecl:commute Panic(x1), Panic(x2): true
//ecl:commute Exit(), Exit(): true
//ecl:default false
type shapes struct{ v int }

func (s *shapes) Set(x int, _ string) (old int) { old, s.v = s.v, x; return }
func (*shapes) Panic(x any)                     { panic(x) }
func (*shapes) Exit()                           { runtime.Goexit() }
func (s *shapes) All(_ int, xs ...int) (int, error) {
	defer func() { s.v = len(xs) }()
	return len(xs) + s.v, nil
}

// TestNoRaceBehaviour calls methods that return, panic and never return: they do what they do unwatched.
func TestNoRaceBehaviour(t *testing.T) {
	var x shapes
	if old := x.Set(3, ""); old != 0 || x.Set(4, "") != 3 {
		t.Error("results")
	}
	if n, err := x.All(0, 1, 2, 3); n != 7 || err != nil || x.v != 3 {
		t.Error(n, err, x.v)
	}
	if n, _ := x.All(0); n != 3 {
		t.Error("variadic")
	}
	func() {
		defer func() {
			if r := recover(); r != "why" {
				t.Error(r)
			}
		}()
		x.Panic("why")
	}()
	done := make(chan bool)
	go func() {
		defer close(done)
		x.Exit()
		t.Error("Goexit returned")
	}()
	<-done
	if x.Set(1, "") != 0 {
		t.Error("after a panic")
	}
}

// A box has values of any type for keys, and callbacks that may be missing.
//
//ecl:observer Has(x)/ok
//ecl:commute Add(x1), Add(x2): x1 != x2
//ecl:commute Add(x1), Has(x2)/ok2: x1 != x2
//ecl:callback Update(_, f)
//ecl:default false
type box struct {
	mu sync.Mutex
	xs []any
}

func (b *box) Add(x any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.xs = append(b.xs, x)
}

func (b *box) Has(any any) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, x := range b.xs {
		if x == any {
			return true
		}
	}
	return false
}

func (b *box) Update(_ int, f func() bool) bool { return f != nil && f() }

func TestNoRaceUnhashable(t *testing.T) {
	var b box
	both(func(i int) { b.Add([]int{i}) })
	both(func(i int) { b.Add(struct{ x any }{[]int{i}}) })
	both(func(i int) { b.Add([1]any{map[int]int{}}) })
	if len(b.xs) != 6 {
		t.Error("calls did not take place")
	}
}

func TestRaceHashable(t *testing.T) {
	var b box
	both(func(i int) { b.Add(struct{ x any }{"key"}) })
}

func TestNoRaceTypesOfKeys(t *testing.T) {
	var b box
	both(func(i int) { b.Add([2]any{1, int64(2)}[i]) })
	if !b.Has(1) || b.Has(2) {
		t.Error("Has is wrong")
	}
}

func TestNoRaceMissingCallback(t *testing.T) {
	var b box
	if b.Update(1, nil) || !b.Update(1, func() bool { return true }) {
		t.Error("a callback is not what it was")
	}
}
