// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"testing"

	"github.com/commutego/commute/internal/engine/host"
)

// TestLockMadeTwice has two threads make the record of one lock. That of the thread which comes
// second must not have the address meanwhile: a thread that had the same memory as its last lock
// would take it for that.
func TestLockMadeTwice(t *testing.T) {
	var w World
	w.on.Store(1)
	const addr, size = 0x10000, 8
	winner := lockSlab.Get()
	last := w.lockAt(addr, addr, addr+size)
	w.Freed(addr, addr+size, nil) // the next record is in the memory of last
	p := w.place(addr)
	w.tracked.spin.Lock()
	waited := false
	host.Paused = func() {
		if waited {
			return
		}
		waited = true
		if last.lo != addr {
			t.Error("the record is in other memory")
		}
		if last.addr.Load() == addr {
			t.Error("the record has the address before it is that of the place")
		}
		host.PublishWord(&winner.addr, addr)
		p.lock.Store(winner)
		w.tracked.spin.Unlock()
	}
	defer func() { host.Paused = nil }()
	if l := w.lockAt(addr, addr, addr+size); l != winner || !waited {
		t.Errorf("the lock is not that of the first thread; waited: %t", waited)
	}
	w.Reset()
}
