// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package conccover

import "testing"

// run runs a function in another goroutine, and waits for its end.
func run(f func()) {
	done := make(chan bool)
	go func() {
		f()
		close(done)
	}()
	<-done
}

// both runs two functions in two other goroutines, which nothing orders.
func both(f, g func()) {
	done := make(chan bool, 2)
	for _, f := range []func(){f, g} {
		go func() {
			f()
			done <- true
		}()
	}
	<-done
	<-done
}

// TestCalls has a pair of each state: the names of one key are read beside one that names it, are
// read after that, and are taken by the same goroutine. Keys that differ make no pair.
func TestCalls(t *testing.T) {
	var s Store
	both(func() { s.Name("a", "x") }, func() { s.Named("a") })
	s.Named("b")
	s.Forget("a")
	s.Name("c", "x")
	run(func() { s.Forget("c") })
	s.Named("c")
	both(func() { s.Name("d", "x") }, func() { s.Forget("e") })
}

// TestBag has one goroutine that does all.
func TestBag(t *testing.T) {
	var s Store
	s.bag.Put(1)
	s.bag.Put(2)
	if s.bag.Size() != 2 {
		t.Error("the bag is no bag")
	}
}

// TestLocks takes a lock in both orders at two places, in one at two others, and by one goroutine.
func TestLocks(t *testing.T) {
	var s Store
	s.Count()
	run(s.Reset)
	s.Count()
	run(func() { s.Counted() })
	s.Counted()
}
