// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package sync

import "testing"

// What must not be remembered of an address, or not any longer.

// TestAgainNoClock has an address without a clock in a block without room for one. It gets one once
// there is room, and who remembers that there was none has to look.
func TestAgainNoClock(t *testing.T) {
	const base = uintptr(0xc800600000)
	const addr = base + 8*inBlock
	g, h := startThread(), startThread()
	defer g.Finish()
	defer h.Finish()
	defer Free(base, BlockSize)
	crowd(g, base)
	g.Release(addr + 8) // it has a common clock
	acquireTwice(h, addr)
	if !LearnsNothing(h, addr) {
		t.Fatal("it is not remembered that there is no clock")
	}
	Free(base, 8)
	e := g.Clock.Tick()
	g.Release(addr)
	if LearnsNothing(h, addr) {
		t.Error("a clock that was added is not seen")
	}
	if h.Acquire(addr); !h.Clock.Knows(e) {
		t.Error("what was released is not learned")
	}
}

// TestAgainReset has a goroutine in the place of another one, which remembers nothing of it.
func TestAgainReset(t *testing.T) {
	const addr = uintptr(0xc800200000)
	defer Free(addr, 8)
	g, h := startThread(), startThread()
	defer g.Finish()
	g.Release(addr)
	if AcquireAtomic(h, addr); LearnsNothing(h, addr) {
		t.Error("an address is remembered that may be come to once")
	}
	AcquireAtomic(h, addr)
	if !LearnsNothing(h, addr) {
		t.Error("an acquire that changes nothing is made again")
	}
	h.Finish()
	if h.Reset(); LearnsNothing(h, addr) {
		t.Error("a new goroutine has what the last one remembered")
	}
}

// TestAgainUnknown has another goroutine release between an acquire and what is remembered of it.
func TestAgainUnknown(t *testing.T) {
	const addr = uintptr(0xc800300000)
	defer Free(addr, 8)
	g, h := startThread(), startThread()
	defer g.Finish()
	defer h.Finish()
	g.Release(addr)
	if h.last.remember(h, PageAt(addr), addr); LearnsNothing(h, addr) {
		t.Error("an epoch is remembered that isn't known")
	}
}
