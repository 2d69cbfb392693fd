// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build commute_patch && !commute_memory

package runtime

// Locks, where accesses to memory are not watched; see locks.go for builds that watch them.

import "unsafe"

// commute_locked comes when the current goroutine has taken a lock. The lock announces that at the
// address sync, and at the second address if that is not nil.
//
//go:linkname commute_locked
func commute_locked(lock, sync, also unsafe.Pointer, mode commute_deadlock_Mode) {
	gp := getg()
	if commute_ignored(gp.racectx, sync) {
		return
	}
	frame := commute_callerFrame(gp, getfp())
	t := commute_thread(gp)
	if also == nil && commute_sync_TookLast(t, uintptr(sync)) {
		at := commute_sync_TakesQuick(t, uintptr(lock), uintptr(sync), mode)
		if at == nil {
			at = commute_sync_TakesOrdered(t, uintptr(lock), uintptr(sync), mode)
		}
		if at != nil {
			commute_takenAt(gp, frame, at, mode)
			return
		}
	}
	if commute_sync_MayTakeInside(t, uintptr(lock), uintptr(also)) {
		at := commute_sync_TakesInside(t, uintptr(lock), uintptr(sync), uintptr(also), mode)
		if at != nil {
			commute_takenAt(gp, frame, at, mode)
			return
		}
	}
	if commute_sync_TakesAgain(t, uintptr(lock), uintptr(sync), uintptr(also)) {
		if !commute_sync_FollowsLocks() {
			return
		}
		if at := commute_sync_TakesAlone(t, uintptr(lock), mode); at != nil {
			commute_takenAt(gp, frame, at, mode)
			return
		}
		mp := acquirem()
		commute_takeNext(gp, frame, commute_ctx(gp.racectx), lock, mode)
		commute_sync_NoteInside(t, uintptr(lock), uintptr(sync), uintptr(also), mode)
		releasem(mp)
		return
	}
	mp := acquirem()
	g := commute_ctx(gp.racectx)
	commute_followLock(g, sync, commute_sync_AcquireLock)
	if also != nil {
		commute_followLock(g, also, commute_sync_AcquireLock)
	}
	if commute_sync_FollowsLocks() {
		commute_takeLock(gp, frame, g, lock, mode)
	}
	releasem(mp)
}

// commute_unlocking comes before the current goroutine releases a lock.
//
//go:linkname commute_unlocking
func commute_unlocking(lock, sync unsafe.Pointer, read bool) {
	gp := getg()
	if commute_ignored(gp.racectx, sync) {
		return
	}
	t := commute_thread(gp)
	known := false
	if t.InCall {
		known = t.Repeats && commute_sync_LetsAgain(t, uintptr(sync))
		if !known && commute_unlockingInCall(gp, lock, sync) {
			return
		}
	} else {
		if !read && commute_sync_HoldsAlone(t, uintptr(lock)) &&
			commute_sync_LetsQuick(t, uintptr(lock), uintptr(sync)) {
			return
		}
		if commute_sync_HoldsMany(t) &&
			commute_sync_LetsInside(t, uintptr(lock), uintptr(sync)) {
			return
		}
		known = commute_sync_LetsKnown(t, uintptr(sync), read)
	}
	if known {
		if commute_sync_FollowsLocks() && !commute_sync_LetAlone(t, uintptr(lock)) &&
			!commute_sync_LetLast(t, uintptr(lock)) {
			mp := acquirem()
			commute_sync_LetOther(t, uintptr(lock))
			releasem(mp)
		}
		return
	}
	mp := acquirem()
	g := commute_ctx(gp.racectx)
	if commute_sync_FollowsLocks() {
		commute_sync_LetLock(&g.commute_sync_Thread, uintptr(lock))
	}
	if read {
		commute_followLock(g, sync, commute_sync_ReleaseMergeLock)
	} else {
		commute_followLock(g, sync, commute_sync_ReleaseLock)
	}
	if commute_instance_Sections.On() {
		commute_deliverSections(g)
	}
	releasem(mp)
}

// commute_unlockingInCall is commute_unlocking, and true, in the goroutine's own call of a
// specified method, where the goroutine has released to the address last in a call as well.
func commute_unlockingInCall(gp *g, lock, sync unsafe.Pointer) bool {
	mp := acquirem()
	done := commute_sync_LetsInCall(commute_thread(gp), uintptr(lock), uintptr(sync))
	if done && commute_instance_Sections.On() {
		commute_deliverSections(commute_ctx(gp.racectx))
	}
	releasem(mp)
	return done
}

// commute_followLock has the clock follow what a lock announces at an address.
func commute_followLock(g *commute_engine_Goroutine, addr unsafe.Pointer,
	f func(t *commute_sync_Thread, addr uintptr)) {
	if commute_isShort(g) {
		commute_borrow(g, addr, f)
	} else {
		f(&g.commute_sync_Thread, uintptr(addr))
	}
}
