// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build commute_patch

package runtime

// Which locks a goroutine holds, and where it has taken them.

import (
	"internal/goarch"
	"unsafe"
)

// commute_takeLock notes that gp, the current goroutine, has taken a lock, for the clocks and for
// deadlocks. The hook whose frame pointer is fp has been called by the function of the lock.
func commute_takeLock(gp *g, fp uintptr, g *commute_engine_Goroutine, lock, sync,
	also unsafe.Pointer, mode commute_deadlock_Mode) {
	if !commute_option_FollowsLocks() {
		g.Acquire(uintptr(sync))
		if also != nil {
			g.Acquire(uintptr(also))
		}
		return
	}
	var at commute_deadlock_Place
	if framepointer_enabled && !tracefpunwindoff() && !gp.m.hasCgoOnStack() {
		fp = *(*uintptr)(unsafe.Pointer(fp)) // of the function, which is Go, and has a frame
		for i := 0; i < len(at.PCs) && fp != 0; i++ {
			at.PCs[i] = *(*uintptr)(unsafe.Pointer(fp + goarch.PtrSize))
			at.Frame = gp.stack.hi - fp
			fp = *(*uintptr)(unsafe.Pointer(fp))
		}
	}
	g.TakeLock(uintptr(lock), uintptr(sync), uintptr(also), mode, at)
}
