// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package sync

import (
	"testing"

	"github.com/commutego/commute/internal/engine/offheap"
)

// TestLooks has an address where one look tells that there is nothing to do, and goroutines for
// which that isn't so: a timer context, whose clock is not its own, and a worker of a call.
func TestLooks(t *testing.T) {
	const addr = uintptr(0xc880000000)
	g, caller := startThread(), startThread()
	defer g.Finish()
	defer caller.Finish()
	defer Free(addr, BlockSize)
	g.Release(addr)
	looks := func(who string, known, idle bool) {
		t.Helper()
		g.last.not, g.locks.last.not, g.locks.let.not = 0, 0, 0
		if got := LooksKnown(g, addr); got != known {
			t.Errorf("%s: an atomic load tells nothing: %v, want %v", who, got, known)
		}
		if got := takenBefore(g, addr); got != known {
			t.Errorf("%s: a lock that is taken tells nothing: %v, want %v", who, got, known)
		}
		g.last.not = 0
		if got, _ := LooksReleased(g, addr); got != idle {
			t.Errorf("%s: an atomic store tells nothing: %v, want %v", who, got, idle)
		}
		if got := LetsKnown(g, addr, false); got != idle {
			t.Errorf("%s: a lock that is let go tells nothing: %v, want %v", who, got, idle)
		}
	}
	looks("a goroutine", true, true)
	g.TimerContext = true
	looks("a timer", false, false)
	if p := g.Pages.Find(addr); releasesAtOnce(g, p, addr) {
		t.Error("a timer releases a clock of its own")
	}
	g.TimerContext = false
	g.WorksFor, g.workedCall = offheap.To(caller), caller.CallNumber.Load()
	looks("a worker", true, false)
	g.WorksFor = offheap.Ref[Thread]{}
	looks("a goroutine that was one", true, true)
}

// TestLooksRemember has what a look finds be remembered: the next operation needs none.
func TestLooksRemember(t *testing.T) {
	const addr = uintptr(0xc880100000)
	g := startThread()
	defer g.Finish()
	defer Free(addr, BlockSize)
	if !LooksKnown(g, addr) || LooksKnown(g, addr) {
		t.Error("where there is no page, the first look tells nothing, and the second is the last")
	}
	if AcquireAtomic(g, addr); !LearnsNothing(g, addr) {
		t.Error("that there is no clock is not remembered")
	}
	for _, addr := range []uintptr{addr, addr + 8} {
		g.AtomicRMW(addr)
		if LearnsNothing(g, addr) || !LooksKnown(g, addr) || !LearnsNothing(g, addr) {
			t.Error("what an atomic operation has found is not remembered")
		}
		ReleaseLock(g, addr+16)
		if g.locks.last.holds(addr+16) || !TakesAgain(g, addr+16, addr+16, 0) ||
			!g.locks.last.holds(addr+16) {
			t.Error("what the taking of a lock has found is not remembered")
		}
		if g.locks.let.holds(addr+16) || !LetsKnown(g, addr+16, true) ||
			!g.locks.let.holds(addr+16) {
			t.Error("what a reader that lets a lock go has found is not remembered")
		}
	}
}

// TestLooksMeanwhile has the clock of an address become a variable between a look at its block and
// what is made of that: the look tells nothing then.
func TestLooksMeanwhile(t *testing.T) {
	const addr = uintptr(0xc880200000)
	g := startThread()
	defer g.Finish()
	defer Free(addr, BlockSize)
	g.Release(addr)
	p := g.Pages.Find(addr)
	var l look
	if !l.looks(p, addr) || !l.known(g) || !l.upToDate(g) {
		t.Fatal("what a goroutine has just released tells it something")
	}
	p.lockVar(addr, true).lock.Unlock()
	if l.known(g) || l.upToDate(g) {
		t.Error("a look counts that was at another clock")
	}
}
