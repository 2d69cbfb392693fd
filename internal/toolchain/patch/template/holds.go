// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build commute_patch

package runtime

// Which locks a goroutine holds, and where it has taken them.

import (
	"internal/goarch"
	"unsafe"
)

// commute_callerFrame is the distance of the frame of the caller of the function whose frame is at
// fp, from the end of gp's stack. It is 0 on ports without frame pointers, where fp is 0.
func commute_callerFrame(gp *g, fp uintptr) uintptr {
	if !framepointer_enabled {
		return 0
	}
	return gp.stack.hi - *(*uintptr)(unsafe.Pointer(fp))
}

// commute_takeLock notes that gp, the current goroutine, has taken a lock. The frame of the
// function that has taken it is so far from the end of the stack, which may grow and move.
func commute_takeLock(gp *g, frame uintptr, g *commute_engine_Goroutine, lock unsafe.Pointer,
	mode commute_deadlock_Mode) {
	at := commute_sync_TakeLock(&g.commute_sync_Thread, uintptr(lock), mode)
	if at == nil {
		commute_takeNext(gp, frame, g, lock, mode)
		return
	}
	commute_takenAt(gp, frame, at, mode)
}

// commute_takeNext is commute_takeLock for a goroutine that holds another lock.
func commute_takeNext(gp *g, frame uintptr, g *commute_engine_Goroutine, lock unsafe.Pointer,
	mode commute_deadlock_Mode) {
	commute_takenAt(gp, frame, commute_sync_NextPlace(&g.commute_sync_Thread), mode)
	commute_sync_TakeNext(&g.commute_sync_Thread, uintptr(lock), mode)
}

// commute_takenAt notes a place. A function of the lock that has called another one is left out.
func commute_takenAt(gp *g, frame uintptr, at *commute_deadlock_Place,
	mode commute_deadlock_Mode) {
	if !framepointer_enabled || tracefpunwindoff() || gp.m.hasCgoOnStack() {
		at.PCs[0] = 0
		return
	}
	fp := gp.stack.hi - frame // no function is called from here on
	if mode&commute_deadlock_Slow != 0 {
		fp = *(*uintptr)(unsafe.Pointer(fp))
	}
	// Each frame is of Go; but the goroutine's first function returns to none.
	next := *(*uintptr)(unsafe.Pointer(fp))
	at.PCs[0] = *(*uintptr)(unsafe.Pointer(fp + goarch.PtrSize))
	at.Frame = gp.stack.hi - fp
	if next == 0 {
		at.PCs[1] = 0
		return
	}
	last := *(*uintptr)(unsafe.Pointer(next))
	at.PCs[1] = *(*uintptr)(unsafe.Pointer(next + goarch.PtrSize))
	at.Frame = gp.stack.hi - next
	if last == 0 {
		at.PCs[2] = 0
		return
	}
	at.PCs[2] = *(*uintptr)(unsafe.Pointer(last + goarch.PtrSize))
	at.Frame = gp.stack.hi - last
}
