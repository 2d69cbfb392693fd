// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package annotations

import (
	"reflect"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/commutego/commute/testdata/annotations/store"
)

// A tank has methods that call each other and themselves.
//
//ecl:commute Fill(n1), Fill(n2): n1 > 2 && n2 > 2
//ecl:commute Each(ks1), _: true
//ecl:commute Add(k1), Add(k2): k1 != k2
//ecl:commute Add(k1), Fill(n2): true
//ecl:commute Tiny(n1), Tiny(n2): n1 > 0 && n2 > 0
//ecl:mutator Leave(k)
//ecl:default true
type tank struct {
	level atomic.Int64
	mu    sync.Mutex
	keys  []string
	wg    sync.WaitGroup
}

// Fill calls itself with numbers that don't commute: the outermost call is what counts.
func (t *tank) Fill(n int) {
	if n > 0 {
		t.level.Add(1)
		t.Fill(n - 1)
	}
}

// Each adds each key on a goroutine of its own.
func (t *tank) Each(ks ...string) {
	var wg sync.WaitGroup
	for _, k := range ks {
		wg.Go(func() { t.Add(k) })
	}
	wg.Wait()
}

// Leave starts a goroutine that adds k once the channel is closed.
func (t *tank) Leave(k string) (start chan bool) {
	start = make(chan bool)
	t.wg.Add(1)
	go func() {
		defer t.wg.Done()
		<-start
		t.Add(k)
	}()
	return start
}

func (t *tank) Add(k string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.keys = append(t.keys, k)
}

//go:nosplit
func (t *tank) Tiny(n int) { _ = n }

// Where Go passes arguments on the stack, package reflect takes memory for them from a sync.Pool, one
// for each type of function. Two calls of one type may get the same memory, which orders them. So
// these two calls have different types.
func TestRaceReflection(t *testing.T) {
	c := store.New[string, int]()
	v := reflect.ValueOf(c)
	method, _ := v.Type().MethodByName("Put")
	both(func(i int) {
		key, value := reflect.ValueOf("a"), reflect.ValueOf(i)
		if i == 0 {
			v.MethodByName("Put").Call([]reflect.Value{key, value})
		} else {
			method.Func.Call([]reflect.Value{v, key, value})
		}
	})
}

func TestNoRaceReflection(t *testing.T) {
	c := store.New[int, int]()
	put := reflect.ValueOf(c).MethodByName("Put")
	both(func(i int) { put.Call([]reflect.Value{reflect.ValueOf(i), reflect.ValueOf(i)}) })
}

func TestNoRaceRecursion(t *testing.T) {
	var a tank
	both(func(int) { a.Fill(5) })
	if a.level.Load() != 10 {
		t.Error(a.level.Load())
	}
}

func TestRaceRecursion(t *testing.T) {
	var a tank
	both(func(i int) { a.Fill(2 + i) })
}

// What a call's own goroutines do is part of it, and how it waits for them is hidden.
func TestNoRaceGoroutinesInside(t *testing.T) {
	var a tank
	a.Each("x", "y", "x")
	a.Add("x")
	if len(a.keys) != 4 {
		t.Error(a.keys)
	}
}

// A goroutine that outlives the call that started it is one like others.
func TestRaceGoroutineLeft(t *testing.T) {
	var a tank
	start := a.Leave("x")
	both(func(i int) {
		if i == 0 {
			a.Add("x")
		} else {
			close(start)
		}
	})
	a.wg.Wait()
}

func TestRaceNosplit(t *testing.T) {
	var a tank
	both(func(i int) { a.Tiny(i) })
}

func TestNoRaceNosplit(t *testing.T) {
	var a tank
	both(func(int) { a.Tiny(1) })
}
