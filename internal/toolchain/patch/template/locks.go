// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build commute_patch && commute_memory

package runtime

// Locks, and what orders goroutines otherwise, for the prediction: what would another order of the
// critical sections have led to?

import (
	"internal/goarch"
	"unsafe"
)

// commute_locked comes when the current goroutine has taken a lock. The lock announces that at the
// address sync, and at the second address if that is not nil. A writer of an RWMutex has two: it
// comes after writers and after readers. The clock has both before the prediction has the lock.
//
//go:linkname commute_locked
func commute_locked(lock, sync, also unsafe.Pointer, mode commute_deadlock_Mode) {
	gp := getg()
	if commute_ignored(gp.racectx, sync) {
		return
	}
	frame := commute_callerFrame(gp, getfp())
	mp := acquirem()
	g := commute_ctx(gp.racectx)
	read := mode&commute_deadlock_Read != 0
	commute_sync_AcquireLock(&g.commute_sync_Thread, uintptr(sync))
	if also != nil {
		commute_sync_AcquireLock(&g.commute_sync_Thread, uintptr(also))
	}
	if commute_sync_FollowsLocks() {
		commute_takeLock(gp, frame, g, lock, mode)
	}
	if commute_record_On() {
		g.RecordLocked(uintptr(lock), read, also != nil)
	}
	g.Locked(uintptr(lock), read)
	if commute_calledByWatched(gp, frame) {
		commute_counts_Lock()
	}
	releasem(mp)
	commute_follow(gp, sync, commute_event_Acquire)
	if also != nil {
		commute_follow(gp, also, commute_event_Acquire)
	}
}

// commute_unlocking comes before the current goroutine releases a lock. The trace and the
// prediction have it before the clock, as in commute_emit.
//
//go:linkname commute_unlocking
func commute_unlocking(lock, sync unsafe.Pointer, read bool) {
	gp := getg()
	if commute_ignored(gp.racectx, sync) {
		return
	}
	k := commute_event_Release
	if read {
		k = commute_event_ReleaseMerge
	}
	mp := acquirem()
	g := commute_ctx(gp.racectx)
	frame := commute_callerFrame(gp, getfp())
	if commute_record_On() {
		g.RecordUnlocking(uintptr(lock), read, commute_calledByWatched(gp, frame))
	}
	commute_follow(gp, sync, k)
	if !g.UnlockingQuietly(uintptr(lock), read) {
		g.Unlocking(uintptr(lock), read, !g.Dependent() || commute_calledByWatched(gp, frame))
	}
	if commute_sync_FollowsLocks() {
		commute_sync_LetLock(&g.commute_sync_Thread, uintptr(lock))
	}
	if read {
		commute_sync_ReleaseMergeLock(&g.commute_sync_Thread, uintptr(sync))
	} else {
		commute_sync_ReleaseLock(&g.commute_sync_Thread, uintptr(sync))
	}
	commute_sectionEnded(g)
	releasem(mp)
}

// commute_failedAttempt comes where the current goroutine has found a lock taken, or could not send
// or receive. No event announces that. What it does next may depend on anything that has happened.
//
//go:linkname commute_failedAttempt
func commute_failedAttempt() { commute_failedAt(nil) }

// commute_failedAt is commute_failedAttempt where all depends on the channel at an address, which
// is nil if that isn't so.
func commute_failedAt(channel unsafe.Pointer) {
	gp := getg()
	commute_sectionUnknown(gp)
	records := commute_record_On()
	if !records && !commute_instance_Predictor.Busy() || gp.racectx == 0 || gp.raceignore != 0 {
		return
	}
	mp := acquirem()
	g := commute_ctx(gp.racectx)
	switch {
	case !records:
	case channel != nil:
		commute_record_FailedOn(&g.commute_record_Recorded, uintptr(channel), false)
	default:
		g.RecordFailed()
	}
	g.UnknownEvent()
	releasem(mp)
}

// commute_adding comes when the counter of a WaitGroup has grown. Synchronization is hidden there.
//
//go:linkname commute_adding
func commute_adding(group unsafe.Pointer, delta int) {
	gp := getg()
	if !commute_record_On() || gp.racectx == 0 ||
		uintptr(group)-gp.stack.lo < gp.stack.hi-gp.stack.lo {
		return
	}
	mp := acquirem()
	commute_record_Adding(&commute_ctx(gp.racectx).commute_record_Recorded, uintptr(group),
		delta)
	releasem(mp)
}

// commute_calledByWatched reports whether a watched package calls the lock's method, with nothing
// but package sync between. The accesses that a lock guards are seen only then. The method's frame
// is so far from the end of the stack.
func commute_calledByWatched(gp *g, at uintptr) bool {
	if tracefpunwindoff() || gp.m.hasCgoOnStack() {
		return false
	}
	for range 16 {
		if !commute_isFrame(gp, gp.stack.hi-at) {
			return false
		}
		switch commute_source_LockLayer(*(*uintptr)(unsafe.Pointer(gp.stack.hi - at +
			goarch.PtrSize))) {
		case commute_source_LayerSync:
		case commute_source_LayerWatched:
			return true
		default:
			return false
		}
		at = gp.stack.hi - *(*uintptr)(unsafe.Pointer(gp.stack.hi - at))
	}
	return false
}

// commute_order hands synchronization of a goroutine at an address to the prediction. It is
// inlined, as each event comes here.
func commute_order(ctx uintptr, addr unsafe.Pointer, k commute_event_Kind) {
	if commute_instance_Predictor.Busy() {
		commute_predictOrder(ctx, addr, k)
	}
}

// commute_predictOrder is commute_order where something is predicted.
//
//go:noinline
func commute_predictOrder(ctx uintptr, addr unsafe.Pointer, k commute_event_Kind) {
	mp := acquirem()
	commute_ctx(ctx).Order(uintptr(addr), k)
	releasem(mp)
}

// commute_orderBoth hands a rendezvous of two goroutines to the prediction.
func commute_orderBoth(a, b uintptr) {
	if !commute_instance_Predictor.Busy() {
		return
	}
	mp := acquirem()
	commute_ctx(a).OrderBoth(commute_ctx(b))
	releasem(mp)
}

// commute_orderCall hands a call of a specified method to the prediction: calls of one object are
// kept in their order.
func commute_orderCall(ctx uintptr, obj unsafe.Pointer) {
	if commute_instance_Predictor.Busy() && ctx != 0 {
		commute_ctx(ctx).OrderCall(obj)
	}
}
