// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package sync

import "testing"

// BenchmarkLockHooks is what is done for a lock that one goroutine takes and lets go: without weak
// clocks, and with them for a lock whose sections are not recorded.
func BenchmarkLockHooks(b *testing.B) {
	const addr = uintptr(0xc730000000)
	run := func(b *testing.B) {
		g := startThread()
		defer g.Finish()
		for range b.N {
			g.Acquire(addr)
			g.Release(addr)
		}
	}
	was := WeakClocks()
	SetWeakClocks(false)
	b.Run("off", run)
	if wordBits == 64 {
		SetWeakClocks(true)
		b.Run("on", run)
	}
	SetWeakClocks(was)
}
