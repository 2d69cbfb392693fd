// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

// Programs in which a goroutine sees what another one has done, by something that is no operation
// at which the search decides. What it sees decides what it does next.

// looks has a goroutine look beside another one that makes a change.
func looks(change func(), look func() bool) {
	var point, more atomic.Int32
	together(func() {
		point.Load()
		saw := look()
		point.Load()
		if saw {
			more.Add(1)
		}
	}, func() {
		point.Load()
		change()
		point.Load()
	})
}

func TestLookLength(*testing.T) {
	c := make(chan int, 1)
	looks(func() { c <- 1 }, func() bool { return len(c) > 0 })
}

func TestLookSecondChannel(*testing.T) {
	a, b := make(chan int), make(chan int)
	looks(func() { close(b) }, func() bool {
		select {
		case <-a:
		case <-b:
			return true
		default:
		}
		return false
	})
}

func TestLookTryLock(*testing.T) {
	var mu sync.Mutex
	mu.Lock()
	looks(mu.Unlock, mu.TryLock)
}

func TestLookReaders(*testing.T) {
	var mu sync.RWMutex
	mu.RLock()
	looks(mu.RUnlock, mu.TryLock)
}

func TestLookPool(*testing.T) {
	var p sync.Pool
	looks(func() { p.Put(new(int)) }, func() bool { return p.Get() != nil })
}

func TestLookMap(*testing.T) {
	var m sync.Map
	looks(func() { m.Store(1, 1) }, func() bool {
		_, ok := m.Load(1)
		return ok
	})
}

func TestLookContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	looks(cancel, func() bool { return ctx.Err() != nil })
}

func TestLookFile(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "file")
	looks(func() { os.WriteFile(name, nil, 0o600) }, func() bool {
		_, err := fs.Stat(os.DirFS(dir), "file")
		return err == nil
	})
}

func TestLookGoroutines(*testing.T) {
	n := runtime.NumGoroutine()
	wait := make(chan bool)
	looks(func() {
		go func() { <-wait }()
	}, func() bool { return runtime.NumGoroutine() > n+2 })
	close(wait)
}

func TestLookOnce(*testing.T) {
	var once sync.Once
	looks(func() { once.Do(func() {}) }, func() bool {
		first := false
		once.Do(func() { first = true })
		return first
	})
}
