// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package attribution

import (
	"os"
	"runtime"
	"sync"
	"testing"
	"time"
)

// race makes two unordered calls on m that don't commute, and returns when both have been made.
func race(m *sync.Map, key any) {
	var both sync.WaitGroup
	both.Add(2)
	go func() { defer both.Done(); m.Store(key, 1) }()
	go func() { defer both.Done(); m.Load(key) }()
	both.Wait()
}

// TestMain's own race comes before any test, so no test may fail for it; the process prints it.
func TestMain(m *testing.M) {
	if os.Getenv("ATTRIBUTION_MAIN") != "" {
		race(new(sync.Map), "main")
	}
	os.Exit(m.Run())
}

// Must fail: the subtest two, and its parent because of it. one and three must pass.
func TestSubtests(t *testing.T) {
	t.Run("one", func(t *testing.T) {})
	t.Run("two", func(t *testing.T) { race(new(sync.Map), "key") })
	t.Run("three", func(t *testing.T) {})
}

// Must pass, though the test before it failed.
func TestNoRaceAfterwards(t *testing.T) {}

// Must fail: the race is between the parent's own goroutine and the subtest's child, found by the subtest's call.
func TestRaceParentAndSubtest(t *testing.T) {
	var m sync.Map
	var stored flag
	joined := make(chan int)
	go func() { m.Store("key", 1); stored.raise(); joined <- 1 }()
	stored.await()
	t.Run("TestRaceHere", func(t *testing.T) { m.Load("key") })
	<-joined
}

// global is shared by siblings that run in parallel.
var global sync.Map

// Must fail: TestRaceParallel, and at least one of its two subtests.
func TestRaceParallel(t *testing.T) {
	for _, name := range []string{"a", "b"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			global.Store("parallel", name)
			global.Load("parallel")
		})
	}
}

// Must pass: the siblings run one after the other, and testing orders them.
func TestNoRaceSequentialSubtests(t *testing.T) {
	for _, name := range []string{"a", "b"} {
		t.Run(name, func(t *testing.T) { global.Store("sequential", name) })
	}
}

// Of the two, at least one must fail. They run in parallel and share the global map.
func TestParallelA(t *testing.T) { t.Parallel(); global.Store("siblings", "a") }
func TestParallelB(t *testing.T) { t.Parallel(); global.Store("siblings", "b") }

var leaked = struct {
	start, made flag
	m           sync.Map
}{}

// Must pass: the goroutine that it leaves behind has done nothing yet.
func TestLeakA(t *testing.T) {
	go func() { leaked.start.await(); leaked.m.Store("leak", 1); leaked.made.raise() }()
}

// Must fail: the goroutine that TestLeakA left behind races with it.
func TestLeakB(t *testing.T) {
	leaked.start.raise()
	leaked.made.await()
	leaked.m.Load("leak")
}

// Must fail under -bench . and be named as FAIL.
func BenchmarkRace(b *testing.B) {
	for b.Loop() {
		race(new(sync.Map), "benchmark")
	}
}

// Must pass under -bench.
func BenchmarkNoRace(b *testing.B) {
	var m sync.Map
	for b.Loop() {
		m.Store("key", 1)
	}
}

// Must fail with the seed corpus: the race is in the function that is fuzzed.
func FuzzRace(f *testing.F) {
	f.Add(1)
	f.Fuzz(func(t *testing.T, key int) { race(new(sync.Map), key) })
}

// Must fail: both the test's own failure and the race are told.
func TestRaceAndError(t *testing.T) {
	race(new(sync.Map), "key")
	t.Log("this message of the test's own must be printed")
}

// Must fail although it skips.
func TestRaceThenSkip(t *testing.T) {
	race(new(sync.Map), "key")
	t.Skip("after the race")
}

// A flag forces an interleaving without an edge: no detector sees its accesses.
type flag struct{ up bool }

//go:norace
//go:noinline
func (f *flag) raise() { f.up = true }

//go:norace
//go:noinline
func (f *flag) raised() bool { return f.up }

// await lets others run, and on js the program that Go is a guest of: what is printed goes through it.
func (f *flag) await() {
	for !f.raised() {
		if runtime.GOOS == "js" {
			time.Sleep(time.Microsecond)
			continue
		}
		runtime.Gosched()
	}
}
