// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package deadlocks

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

// oneByOne runs functions in goroutines of their own, each when the one before is done, which
// nothing forces.
func oneByOne(list ...func()) {
	done := make([]flag, len(list))
	var all sync.WaitGroup
	for i, f := range list {
		all.Go(func() {
			if i > 0 {
				done[i-1].await()
			}
			f()
			done[i].raise()
		})
	}
	all.Wait()
}

// nest takes locks, one inside of the other, and lets them go.
func nest(locks ...sync.Locker) {
	for _, l := range locks {
		l.Lock()
		defer l.Unlock()
	}
}
