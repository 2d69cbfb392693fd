// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package expected

import (
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/commutego/commute/commutetest"
)

const race = commutetest.CommutativityRace

// failing is a test that remembers how it failed.
type failing struct {
	lock sync.Mutex
	text string
}

func (f *failing) Helper() {}
func (f *failing) Errorf(format string, args ...any) {
	f.lock.Lock()
	defer f.lock.Unlock()
	f.text += fmt.Sprintf(format, args...)
}

// wants fails t unless text is what commute, or a plain build, is to say.
func (f *failing) wants(t *testing.T, text string) {
	t.Helper()
	if !commutetest.Enabled() {
		text = ""
	}
	if f.text != text {
		t.Errorf("%q, want %q", f.text, text)
	}
}

func TestNoRaceExpected(t *testing.T) { commutetest.Expect(t, race, store) }

func TestRaceNotExpected(t *testing.T) { store() }

// The same two lines race once more, where that is not expected.
func TestRaceAfter(t *testing.T) {
	commutetest.Expect(t, race, store)
	store()
}

func TestNoRaceRepeated(t *testing.T) {
	for range 20 {
		commutetest.Expect(t, race, store)
	}
}

// Each expectation is one of its own: the second finds nothing.
func TestNoRaceNothingFound(t *testing.T) {
	var f failing
	commutetest.Expect(t, race, store)
	commutetest.Expect(&f, race, func() { both(func() {}, func() {}) })
	f.wants(t, "commutetest: commute found no commutativity race here")
}

func TestNoRaceMisspelt(t *testing.T) {
	var f failing
	called := false
	commutetest.Expect(&f, "race", func() { called = true })
	if f.text != `commutetest: there is no kind of finding that is called "race"` || !called {
		t.Errorf("%q, called %t", f.text, called)
	}
}

func TestNoRaceCheckThenAct(t *testing.T) {
	commutetest.Expect(t, race, check) // it is a race of two calls, too
}

// What is found is a race that breaks no check.
func TestRaceOtherKind(t *testing.T) {
	var f failing
	commutetest.Expect(&f, commutetest.CheckThenActRace, store)
}

func TestNoRaceNested(t *testing.T) {
	commutetest.Expect(t, race, func() {
		commutetest.Expect(t, race, store)
		store()
	})
	var outer, inner failing
	commutetest.Expect(&outer, race, func() {
		commutetest.Expect(&inner, commutetest.CheckThenActRace, store)
	})
	outer.wants(t, "")
	inner.wants(t, "commutetest: commute found no check-then-act race here")
}

// One side is inside, and the other is of this test.
func TestNoRaceOneSide(t *testing.T) {
	m := new(sync.Map)
	begin := make(chan bool)
	var wg sync.WaitGroup
	wg.Go(func() {
		<-begin
		m.Store("key", 1)
	})
	commutetest.Expect(t, race, func() {
		begin <- true
		m.Store("key", 2)
		wg.Wait()
	})
}

// The goroutine that races is started two levels down, and by a timer.
func TestNoRaceStartedInside(t *testing.T) {
	commutetest.Expect(t, race, func() {
		both(func() { both(store) })
	})
	commutetest.Expect(t, race, func() {
		m := new(sync.Map)
		done := make(chan bool)
		for i := range 2 {
			time.AfterFunc(1, func() {
				m.Store("key", i)
				done <- true
			})
		}
		<-done
		<-done
	})
}

func TestNoRaceSubtest(t *testing.T) {
	commutetest.Expect(t, race, func() {
		t.Run("Inside", func(t *testing.T) { store() })
	})
}

// A parallel subtest runs when the function has returned: nothing is expected then.
func TestRaceParallelSubtest(t *testing.T) {
	t.Run("Group", func(t *testing.T) {
		var f failing
		commutetest.Expect(&f, race, func() {
			t.Run("Late", func(t *testing.T) {
				t.Parallel()
				store()
			})
		})
	})
}

// Tests that run at the same time: what one expects is no excuse for another.
func TestNoRaceParallel(t *testing.T) {
	for i := range 4 {
		t.Run(fmt.Sprint("Expected", i), func(t *testing.T) {
			t.Parallel()
			commutetest.Expect(t, race, store)
		})
	}
}

// The other side belongs to another test, which races on its own, too.
func TestRaceOtherTest(t *testing.T) {
	m := new(sync.Map)
	begin, stored := make(chan bool), make(chan bool)
	t.Run("Other", func(t *testing.T) {
		store()
		go func() {
			<-begin
			m.Store("key", 1)
			close(stored)
		}()
	})
	t.Run("Expecting", func(t *testing.T) {
		var f failing
		commutetest.Expect(&f, race, func() {
			close(begin)
			m.Store("key", 2)
			<-stored
		})
	})
}

// A function that panics, or ends its goroutine, ends the expectation; nothing is said of it.
func TestNoRaceNotReturned(t *testing.T) {
	var f failing
	func() {
		defer func() { recover() }()
		commutetest.Expect(&f, race, func() { panic("so") })
	}()
	both(func() { commutetest.Expect(&f, race, runtime.Goexit) })
	f.wants(t, "")
}

func TestRaceAfterPanic(t *testing.T) {
	func() {
		defer func() { recover() }()
		commutetest.Expect(t, race, func() { panic("so") })
	}()
	store()
}

// The goroutine is started inside, and races when the function has returned.
func TestRaceLate(t *testing.T) {
	m := new(sync.Map)
	after := make(chan bool)
	var wg sync.WaitGroup
	var f failing
	commutetest.Expect(&f, race, func() {
		wg.Go(func() {
			<-after
			m.Store("key", 1)
		})
	})
	f.wants(t, "commutetest: commute found no commutativity race here")
	close(after)
	m.Store("key", 2)
	wg.Wait()
}

// In a plain build, the functions are called, and nothing is expected.
func TestNoRaceEnabled(t *testing.T) {
	if commutetest.Enabled() {
		return
	}
	called := 0
	commutetest.Expect(t, race, func() { called++ })
	commutetest.Ignore(func() { called++ })
	if called != 2 {
		t.Errorf("%d of 2 functions were called", called)
	}
}
