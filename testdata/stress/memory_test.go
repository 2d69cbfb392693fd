// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build linux && !race

package main

import (
	"context"
	"fmt"
	"iter"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// lives are ways to start a goroutine that ends soon. Each returns when it has ended, or is about
// to.
var lives = []struct {
	name string
	once func()
}{
	{"WaitGroup", func() {
		var all sync.WaitGroup
		all.Go(func() {})
		all.Wait()
	}},
	{"Flag", func() {
		var done atomic.Bool
		go func() { done.Store(true) }()
		await(&done)
	}},
	{"Count", func() {
		before := runtime.NumGoroutine()
		go func() { new(sync.Mutex).Lock() }()
		for runtime.NumGoroutine() > before {
			runtime.Gosched()
		}
	}},
	{"AfterFunc", func() {
		var done atomic.Bool
		time.AfterFunc(time.Nanosecond, func() { done.Store(true) })
		await(&done)
	}},
	{"Context", func() {
		ctx, cancel := context.WithCancel(context.Background())
		var done atomic.Bool
		context.AfterFunc(ctx, func() { done.Store(true) })
		cancel()
		await(&done)
	}},
	{"PullAll", func() {
		next, stop := iter.Pull(once)
		for ok := true; ok; {
			_, ok = next()
		}
		stop()
	}},
	{"PullStop", func() {
		next, stop := iter.Pull(once)
		next()
		stop()
	}},
	{"PullGoexit", func() {
		var all sync.WaitGroup
		all.Go(func() {
			next, _ := iter.Pull(func(func(int) bool) { runtime.Goexit() })
			next()
		})
		all.Wait()
	}},
}

func once(yield func(int) bool) { yield(1) }

func await(done *atomic.Bool) {
	for !done.Load() {
		runtime.Gosched()
	}
}

// TestNoRaceMemoryLevels has goroutines end by the thousand. Something is kept of the last few
// thousand alone, which come before the first measurement: a KB for each would be 20 MB.
func TestNoRaceMemoryLevels(t *testing.T) {
	for _, l := range lives {
		t.Run(l.name, func(t *testing.T) {
			repeat(8_000, l.once)
			before := resident(t)
			repeat(20_000, l.once)
			if grown := resident(t) - before; grown > 10<<20 {
				t.Errorf("memory has grown by %d MB", grown>>20)
			}
		})
	}
}

func repeat(n int, f func()) {
	for range n {
		f()
	}
}

// resident is the memory of the process that is in use, in bytes; what the collector has freed
// isn't.
func resident(t *testing.T) int {
	debug.FreeOSMemory()
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Fatal(err)
	}
	var all, pages int
	if _, err := fmt.Sscan(string(text), &all, &pages); err != nil {
		t.Fatal(err)
	}
	return pages * os.Getpagesize()
}
