// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package atomics

import (
	"maps"
	"runtime"
	"slices"
	"sync"
	"testing"
)

// unordered runs first before second in time, on two goroutines, with no edge between.
func unordered(first, second func()) {
	var made flag
	var both sync.WaitGroup
	both.Add(2)
	go func() {
		defer both.Done()
		first()
		made.raise()
	}()
	go func() {
		defer both.Done()
		made.await()
		second()
	}()
	both.Wait()
}

// A pair is two calls on an object of type T.
type pair[T any] [2]func(x *T)

// run makes each pair of calls in both orders, in a subtest.
func run[T any](t *testing.T, pairs map[string]pair[T]) {
	for _, name := range slices.Sorted(maps.Keys(pairs)) {
		p := pairs[name]
		t.Run(name, func(t *testing.T) {
			x := new(T)
			unordered(func() { p[0](x) }, func() { p[1](x) })
		})
		t.Run(name+"Swapped", func(t *testing.T) {
			x := new(T)
			unordered(func() { p[1](x) }, func() { p[0](x) })
		})
	}
}

// A flag forces an interleaving without an edge: no detector sees its accesses.
type flag struct{ up bool }

//go:norace
//go:noinline
func (f *flag) raise() { f.up = true }

//go:norace
//go:noinline
func (f *flag) raised() bool { return f.up }

func (f *flag) await() {
	for !f.raised() {
		runtime.Gosched()
	}
}

func use[T any](v T) T { return v }
