// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build commute_patch

package runtime

// Which locks a goroutine holds, and where it has taken them.

import (
	"internal/goarch"
	"unsafe"
)

// commute_takeLock notes that gp, the current goroutine, has taken a lock. The frame of the function
// that has taken it is so far from the end of the stack, which may grow and move.
func commute_takeLock(gp *g, frame uintptr, g *commute_engine_Goroutine, lock unsafe.Pointer,
	mode commute_deadlock_Mode) {
	if at := g.TakeLock(uintptr(lock), mode); at != nil {
		commute_takenAt(gp, frame, at, mode)
		return
	}
	var at commute_deadlock_Place
	commute_takenAt(gp, frame, &at, mode)
	g.TakeNext(uintptr(lock), mode, at)
}

// commute_takenAt notes a place. A function of the lock that has called another one is left out.
func commute_takenAt(gp *g, frame uintptr, at *commute_deadlock_Place, mode commute_deadlock_Mode) {
	at.PCs[0], at.PCs[1], at.PCs[2] = 0, 0, 0
	if !framepointer_enabled || tracefpunwindoff() || gp.m.hasCgoOnStack() {
		return
	}
	fp := gp.stack.hi - frame // no function is called from here on
	if mode&commute_deadlock_Slow != 0 {
		fp = *(*uintptr)(unsafe.Pointer(fp))
	}
	// Each is of Go, and has a frame; but the goroutine's first one returns to none.
	at.PCs[0], at.Frame = *(*uintptr)(unsafe.Pointer(fp + goarch.PtrSize)), gp.stack.hi-fp
	if fp = *(*uintptr)(unsafe.Pointer(fp)); fp == 0 {
		return
	}
	at.PCs[1], at.Frame = *(*uintptr)(unsafe.Pointer(fp + goarch.PtrSize)), gp.stack.hi-fp
	if fp = *(*uintptr)(unsafe.Pointer(fp)); fp == 0 {
		return
	}
	at.PCs[2], at.Frame = *(*uintptr)(unsafe.Pointer(fp + goarch.PtrSize)), gp.stack.hi-fp
}
