// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build commute_patch && commute_memory

package runtime

// Locks, and what orders goroutines otherwise, for the prediction of what another order of locks would have led to.

import (
	"internal/goarch"
	"unsafe"
)

// commute_locked comes when the current goroutine has taken a lock, which announces that at sync, and also if that is
// not nil.
//
//go:linkname commute_locked
func commute_locked(lock, sync, also unsafe.Pointer, read bool) {
	gp := getg()
	if commute_deaf(gp.racectx, sync) {
		return
	}
	mp := acquirem()
	g := commute_ctx(gp.racectx)
	g.InferSync(uintptr(sync), commute_event_Acquire)
	g.Acquire(uintptr(sync))
	if also != nil {
		g.InferSync(uintptr(also), commute_event_Acquire)
		g.Acquire(uintptr(also))
	}
	g.Locked(uintptr(lock), read)
	if commute_direct(gp) {
		commute_counts_Lock()
	}
	releasem(mp)
	commute_follow(gp, sync, commute_event_Acquire)
	if also != nil {
		commute_follow(gp, also, commute_event_Acquire)
	}
}

// commute_unlocking comes before it lets a lock go.
//
//go:linkname commute_unlocking
func commute_unlocking(lock, sync unsafe.Pointer, read bool) {
	gp := getg()
	if commute_deaf(gp.racectx, sync) {
		return
	}
	k := commute_event_Release
	if read {
		k = commute_event_ReleaseMerge
	}
	commute_follow(gp, sync, k)
	mp := acquirem()
	g := commute_ctx(gp.racectx)
	g.Unlocking(uintptr(lock), read, !g.Dependent() || commute_direct(gp))
	g.InferSync(uintptr(sync), k)
	if read {
		g.ReleaseMerge(uintptr(sync))
	} else {
		g.Release(uintptr(sync))
	}
	releasem(mp)
}

// commute_untold comes where the current goroutine has found out something that no event tells: that a lock is taken, or
// that nothing could be sent or received.
//
//go:linkname commute_untold
func commute_untold() {
	gp := getg()
	if !commute_instance_Predictor.Busy() || gp.racectx == 0 || gp.raceignore != 0 {
		return
	}
	mp := acquirem()
	commute_ctx(gp.racectx).UnknownEvent()
	releasem(mp)
}

// commute_direct reports whether it's a watched package that calls the lock's method.
func commute_direct(gp *g) bool {
	at := gp.stack.hi - getfp()
	if tracefpunwindoff() || gp.m.hasCgoOnStack() {
		return false
	}
	for range 16 {
		if !commute_isFrame(gp, gp.stack.hi-at) {
			return false
		}
		switch commute_source_LockLayer(*(*uintptr)(unsafe.Pointer(gp.stack.hi - at + goarch.PtrSize))) {
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

// commute_order tells of synchronization by a goroutine, at an address.
func commute_order(ctx uintptr, addr unsafe.Pointer, k commute_event_Kind) {
	if !commute_instance_Predictor.Busy() {
		return
	}
	mp := acquirem()
	commute_ctx(ctx).Order(uintptr(addr), k)
	releasem(mp)
}

// commute_orderBoth tells of two goroutines that meet.
func commute_orderBoth(a, b uintptr) {
	if !commute_instance_Predictor.Busy() {
		return
	}
	mp := acquirem()
	commute_ctx(a).OrderBoth(commute_ctx(b))
	releasem(mp)
}

// commute_orderCall tells of a call of a specified method.
func commute_orderCall(ctx uintptr, obj unsafe.Pointer) {
	if commute_instance_Predictor.Busy() && ctx != 0 {
		commute_ctx(ctx).OrderCall(obj)
	}
}
