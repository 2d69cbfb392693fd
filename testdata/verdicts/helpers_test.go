// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package verdicts

import (
	"runtime"
	"sync"
)

// A call is something done to a map.
type call func(m *sync.Map)

// unordered makes the two calls in two goroutines, the first before the second in time, with no edge between. The
// map holds "old" -> 1 at first.
func unordered(first, second call) {
	m := new(sync.Map)
	m.Store("old", 1)
	unorderedOn(m, first, second)
}

func unorderedOn(m *sync.Map, first, second call) {
	var made flag
	var both sync.WaitGroup
	both.Add(2)
	go func() {
		defer both.Done()
		first(m)
		made.raise()
	}()
	go func() {
		defer both.Done()
		made.await()
		second(m)
	}()
	both.Wait()
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

func load(k any) call           { return func(m *sync.Map) { m.Load(k) } }
func store(k, v any) call       { return func(m *sync.Map) { m.Store(k, v) } }
func loadOrStore(k, v any) call { return func(m *sync.Map) { m.LoadOrStore(k, v) } }
func loadAndDelete(k any) call  { return func(m *sync.Map) { m.LoadAndDelete(k) } }
func remove(k any) call         { return func(m *sync.Map) { m.Delete(k) } }
func swap(k, v any) call        { return func(m *sync.Map) { m.Swap(k, v) } }
func cas(k, from, to any) call  { return func(m *sync.Map) { m.CompareAndSwap(k, from, to) } }
func cad(k, from any) call      { return func(m *sync.Map) { m.CompareAndDelete(k, from) } }
func visit(m *sync.Map)         { m.Range(func(any, any) bool { return true }) }
func clear(m *sync.Map)         { m.Clear() }

// cadUsed is cad where the result is looked at.
func cadUsed(k, from any) call {
	return func(m *sync.Map) {
		if m.CompareAndDelete(k, from) {
			runtime.Gosched()
		}
	}
}
