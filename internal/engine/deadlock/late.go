// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package deadlock

import (
	"sync/atomic"

	"github.com/commutego/commute/internal/engine/host"
)

// Memory may be freed by a function that must not wait for the world's lock. A goroutine whose
// stack grows frees the old one, and may have the lock itself. What it frees is noted, and whoever
// takes the lock next forgets the locks that were there. Memory is noted before it can be used
// again: so no lock that is made there later is forgotten.

// A freed is memory that was freed, as far as it is of blocks with one hash.
type freed struct {
	bucket uint64
	lo, hi uintptr
}

// late is the memory that is noted.
type late struct {
	taken atomic.Uint32 // places that were taken, and those for which there was no room
	done  atomic.Uint32 // places that have what is noted
	at    [maxLate]freed
}

const maxLate = 16

// gone is the number of a block that no lock has.
const gone = ^uint32(0)

// lock takes the lock of the world.
func (w *World) lock() {
	w.spin.Lock()
	for w.late.taken.Load() != 0 {
		w.settle()
	}
}

// void notes that the locks of a bucket in memory that was freed are gone. It waits for nobody. If
// there is no room for it, all of the bucket are gone.
func (w *World) void(f freed) {
	if w.spin.TryLock() {
		w.leave(&f)
		w.spin.Unlock()
		return
	}
	if i := w.late.taken.Add(1) - 1; i < maxLate {
		w.late.at[i] = f
	} else if w.freed[f.bucket].Add(1) == gone {
		w.freed[f.bucket].Add(1)
	}
	w.late.done.Add(1)
}

// settle has all locks be gone that are in noted memory. w.spin is held.
func (w *World) settle() {
	n := w.late.taken.Load()
	for try := 0; w.late.done.Load() != n; try++ {
		host.Pause(try)
		n = w.late.taken.Load()
	}
	for i := range min(n, maxLate) {
		w.leave(&w.late.at[i])
	}
	// What is noted meanwhile is in places that follow. All are looked at again then.
	if w.late.taken.CompareAndSwap(n, 0) {
		w.late.done.Add(-n)
	}
}

// leave has the locks in freed memory be gone. They are forgotten later. w.spin is held.
func (w *World) leave(f *freed) {
	for l := w.bucket[f.bucket].P(); l != nil; l = l.next.P() {
		if l.addr-f.lo < f.hi-f.lo {
			l.freed = gone
		}
	}
}
