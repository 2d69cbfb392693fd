// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build commute_patch

package runtime

// The one place where events at an address are handed to all that follow the program. These are the
// clocks, the prediction, the trace and the conflicts of transactions.

import "unsafe"

// commute_emit hands an event of gp, which is current or parked, to all that follow the program, if
// it counts. Their order matters:
//
//   - The prediction comes first. It keeps an order of its own, and depends on none of the others.
//   - A release gets into the trace and into the conflicts of transactions before the clock has it.
//     Once the clock has it, other goroutines go on, and what they announce must come later.
//   - An acquire gets there after the clock, which knows then whom it comes after.
//   - What a critical section has ended with is reported last. It is a lock's that instrumented
//     code has taken, and there something may be reported.
//
// An access to memory isn't reported from here, as the runtime announces events where nothing may
// be reported. If an event is an access as well, its hook does that: before the clock releases it,
// or once the clock knows what was read.
func commute_emit(gp *g, addr unsafe.Pointer, k commute_event_Kind) {
	if commute_ignored(gp.racectx, addr) {
		return
	}
	commute_order(gp.racectx, addr, k)
	if commute_memory && k.Releases() {
		commute_follow(gp, addr, k)
	}
	mp := acquirem()
	g := commute_ctx(gp.racectx)
	switch { // the most frequent kinds here, as hooks are hot
	case commute_isShort(g):
		commute_borrow(g, addr, commute_clockOf(k))
	case k == commute_event_Acquire:
		g.Acquire(uintptr(addr))
	case k == commute_event_AtomicDone:
		if commute_memory { // each atomic operation is followed there, whatever it tells
			g.Acquire(uintptr(addr))
		} else {
			commute_sync_AcquireAtomic(&g.commute_sync_Thread, uintptr(addr))
		}
	case k == commute_event_Release:
		g.Release(uintptr(addr))
	case k == commute_event_ReleaseMerge:
		g.ReleaseMerge(uintptr(addr))
	case k == commute_event_ReleaseAcquire:
		g.ReleaseAcquire(uintptr(addr))
	default:
		commute_clockOf(k)(&g.commute_sync_Thread, uintptr(addr))
	}
	if commute_instance_Sections.On() && k.Releases() {
		commute_deliverSections(g)
	}
	releasem(mp)
	if commute_memory && !k.Releases() {
		commute_follow(gp, addr, k)
	}
}

// commute_clockOf is what the clock does with an event of a kind. Before an atomic operation, only
// commute_emitAtomic announces events.
func commute_clockOf(k commute_event_Kind) func(t *commute_sync_Thread, addr uintptr) {
	switch k {
	case commute_event_Acquire, commute_event_AtomicLoad:
		return (*commute_sync_Thread).Acquire
	case commute_event_AtomicDone:
		if commute_memory {
			return (*commute_sync_Thread).Acquire
		}
		return commute_sync_AcquireAtomic
	case commute_event_Release, commute_event_AtomicStore:
		return (*commute_sync_Thread).Release
	case commute_event_ReleaseMerge:
		return (*commute_sync_Thread).ReleaseMerge
	case commute_event_AtomicRMW:
		return (*commute_sync_Thread).AtomicRMW
	case commute_event_ReleaseAcquire:
		return (*commute_sync_Thread).ReleaseAcquire
	case commute_event_PlainLoad:
		return (*commute_sync_Thread).PlainLoad
	case commute_event_PlainStore:
		return (*commute_sync_Thread).PlainStore
	case commute_event_PlainRMW:
		return (*commute_sync_Thread).PlainRMW
	case commute_event_TimerSet:
		return (*commute_sync_Thread).Set
	}
	return func(*commute_sync_Thread, uintptr) {} // no other kind is announced here
}

// commute_emitAtomic is commute_emit for an operation of package sync/atomic by the current
// goroutine. A load has been made already, other operations are made after it. It reports whether
// it has fixed the order in which the operation takes effect.
//
// Here the conflicts come last but for the trace and the critical sections. They may fix that
// order, with which the trace has to agree. Nothing else may be done between that and the
// operation: other goroutines wait.
func commute_emitAtomic(addr unsafe.Pointer, k commute_event_Kind, pc uintptr) (fixed bool) {
	gp := getg()
	if commute_ignored(gp.racectx, addr) {
		return false
	}
	if commute_memory {
		commute_makeRoom(gp)
		if k == commute_event_AtomicRMW { // what was read comes before this access
			commute_order(gp.racectx, addr, commute_event_Acquire)
			mp := acquirem()
			commute_ctx(gp.racectx).Acquire(uintptr(addr))
			releasem(mp)
		}
		if k.Writes() {
			commute_atomicWrite(addr, pc)
		}
		commute_order(gp.racectx, addr, k)
	}
	mp := acquirem()
	g := commute_ctx(gp.racectx)
	switch {
	case commute_isShort(g):
		commute_borrow(g, addr, commute_clockOf(k))
	case k == commute_event_AtomicLoad:
		g.Acquire(uintptr(addr))
	case k == commute_event_AtomicStore:
		g.Release(uintptr(addr))
	case k == commute_event_AtomicRMW:
		g.AtomicRMW(uintptr(addr))
	}
	releasem(mp)
	if commute_memory {
		if k.Reads() {
			commute_atomicRead(addr, pc)
		}
		fixed = commute_atomicConflict(addr, k)
		commute_recordAtomic(addr, k)
	}
	return commute_sectionMaking(addr, k, fixed) || fixed
}
