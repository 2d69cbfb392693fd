// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package split has pairs in two critical sections, and twins in one.
package split

import (
	"sync"
	"sync/atomic"
)

type t struct {
	mu    sync.RWMutex
	n     int
	m     map[string]*t
	done  bool
	flag  atomic.Bool
	count atomic.Int64
}

func (x *t) Lost() {
	x.mu.Lock()
	n := x.n
	x.mu.Unlock()
	x.mu.Lock()
	x.n = n + 1 // want `t.n is set to what is computed from an earlier read \(line 23\), and t.mu is free in between: a change by another goroutine is lost`
	x.mu.Unlock()
}

func (x *t) OneSection() {
	x.mu.Lock()
	n := x.n
	x.n = n + 1
	x.mu.Unlock()
}

func (x *t) Expire(k string) {
	x.mu.RLock()
	e := x.m[k]
	x.mu.RUnlock()
	if e.n > 3 {
		x.mu.Lock()
		delete(x.m, k) // want `t.m is removed or replaced because of an earlier read \(line 39\), and t.mu is free in between: another goroutine may have replaced it, or go on with it`
		x.mu.Unlock()
	}
}

func (x *t) LooksAgain(k string) {
	x.mu.RLock()
	e := x.m[k]
	x.mu.RUnlock()
	if e.n > 3 {
		x.mu.Lock()
		if x.m[k] == e {
			delete(x.m, k)
		}
		x.mu.Unlock()
	}
}

func (x *t) Create(k string) *t {
	x.mu.RLock()
	e := x.m[k]
	x.mu.RUnlock()
	if e == nil {
		e = new(t)
		x.mu.Lock()
		x.m[k] = e // want:all `t.m is set because of an earlier read \(line 63\), .*: two goroutines can both do it, and one result is lost`
		x.mu.Unlock()
	}
	return e
}

func (x *t) get() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.n
}

func (x *t) set(n int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.n = n
}

func (x *t) ThroughOthers() {
	x.set(x.get() + 1) // want:all `t.n is set to what is computed from an earlier read`
}

func (x *t) Ignored() {
	x.mu.Lock()
	n := x.n
	x.mu.Unlock()
	x.mu.Lock() //commute:ignore one goroutine only
	x.n = n + 1
	x.mu.Unlock()
}

//commute:notatomic one goroutine only
func (x *t) NotMeant() {
	x.mu.Lock()
	n := x.n
	x.mu.Unlock()
	x.mu.Lock()
	x.n = n + 1
	x.mu.Unlock()
}

func (x *t) Add() {
	x.count.Store(x.count.Load() + 1) // want `t.count is set to what is computed .* these are two operations`
}

func (x *t) Once() {
	if x.flag.Load() {
		return
	}
	x.flag.Store(true) // want:all `t.flag is set because of an earlier read .*: two goroutines can both do what the check guards`
	close(make(chan int))
}

func (x *t) Swap() {
	if !x.flag.CompareAndSwap(false, true) {
		return
	}
	close(make(chan int))
}

func (x *t) UnderLock() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.flag.Load() {
		return
	}
	x.flag.Store(true)
	close(make(chan int))
}

func (x *t) unexported() {
	x.mu.Lock()
	n := x.n
	x.mu.Unlock()
	x.mu.Lock()
	x.n = n + 1 // want:all `t.n is set to what is computed`
	x.mu.Unlock()
}

func (x *t) First() {
	x.mu.Lock()
	n := x.n
	x.mu.Unlock()
	x.mu.Lock()
	defer x.mu.Unlock()
	if n == 0 {
		x.n = 1 // want `t.n is set because of an earlier read \(line \d+\), and t.mu is free in between: a change by another goroutine is lost`
	} else {
		x.n = n + 1 // want `t.n is set to what is computed from an earlier read`
	}
}

func (x *t) FirstAtomic() {
	if n := x.count.Load(); n == 0 {
		x.count.Store(1) // want `t.count is set because of an earlier read \(line \d+\), and these are two operations: a change by another goroutine is lost`
	} else {
		x.count.Store(n + 1) // want `t.count is set to what is computed from an earlier read`
	}
}
