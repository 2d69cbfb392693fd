// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package expected

import (
	"runtime"
	"sync"
	"testing"

	"github.com/commutego/commute/commutetest"
)

func TestNoRaceIgnored(t *testing.T) {
	commutetest.Ignore(store)
	commutetest.Ignore(check)
}

func TestRaceAfterIgnored(t *testing.T) {
	commutetest.Ignore(store)
	store()
}

// One side is enough, whichever comes first, and on whichever goroutine.
func TestNoRaceIgnoredSide(t *testing.T) {
	for _, inside := range []func(m *sync.Map){
		func(m *sync.Map) { m.Store("key", 1) },
		func(m *sync.Map) { both(func() { m.Store("key", 1) }) },
		func(m *sync.Map) { commutetest.Ignore(func() { m.Store("key", 1) }) },
	} {
		for _, first := range []bool{true, false} {
			m := new(sync.Map)
			var stored flag
			both(func() {
				if !first {
					stored.await()
				}
				commutetest.Ignore(func() { inside(m) })
				if first {
					stored.raise()
				}
			}, func() {
				if first {
					stored.await()
				}
				m.Store("key", 2)
				if !first {
					stored.raise()
				}
			})
		}
	}
}

// Nothing that is ignored is found for an expectation.
func TestNoRaceIgnoredExpectation(t *testing.T) {
	var f failing
	commutetest.Expect(&f, race, func() { commutetest.Ignore(store) })
	f.wants(t, "commutetest: commute found no commutativity race here")
	f.text = ""
	commutetest.Ignore(func() { commutetest.Expect(&f, race, store) })
	f.wants(t, "commutetest: commute found no commutativity race here")
}

// What is done inside orders what comes after.
func TestNoRaceIgnoredOrders(t *testing.T) {
	m := new(sync.Map)
	c := make(chan bool)
	both(func() {
		m.Store("key", 1)
		commutetest.Ignore(func() { close(c) })
	}, func() {
		<-c
		m.Store("key", 2)
	})
}

func TestRaceIgnoredPanic(t *testing.T) {
	func() {
		defer func() { recover() }()
		commutetest.Ignore(func() { panic("so") })
	}()
	store()
}

func TestNoRaceIgnoredGoexit(t *testing.T) {
	both(func() {
		commutetest.Ignore(func() {
			store()
			runtime.Goexit()
		})
	})
}

func TestNoRaceIgnoredSubtest(t *testing.T) {
	commutetest.Ignore(func() {
		t.Run("Inside", func(t *testing.T) { store() })
	})
}

// A flag is raised for others to see. No detector sees its accesses.
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
