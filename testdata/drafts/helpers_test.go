// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package drafts

import (
	"runtime"
	"sync"
)

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

// nothing is a pause in which nothing happens.
func nothing() {}

// between has one goroutine check and act, and another intrude in the pause.
func between(transaction func(pause func()), intrude func()) {
	var checked, intruded flag
	both(func() {
		transaction(func() {
			checked.raise()
			intruded.await()
		})
	}, func() {
		checked.await()
		intrude()
		intruded.raise()
	})
}

// after has the other goroutine intrude when the first is done.
func after(transaction func(pause func()), intrude func()) {
	var done flag
	both(func() {
		transaction(nothing)
		done.raise()
	}, func() {
		done.await()
		intrude()
	})
}

// both runs two functions, and waits.
func both(a, b func()) {
	var all sync.WaitGroup
	all.Go(a)
	all.Go(b)
	all.Wait()
}
