// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build commute_patch && commute_memory

package runtime

// Synchronization, as it is recorded in a trace. The site of an event is the place in the library
// that announces it, with its callers. The frame pointer is taken here, so the functions aren't
// inlined.

import "unsafe"

// commute_recordSync records synchronization of gp, which is current or parked.
//
//go:noinline
func commute_recordSync(gp *g, addr unsafe.Pointer, k commute_event_Kind) {
	if commute_record_On() {
		at := gp.stack.hi - gp.sched.bp
		if gp == getg() {
			at = gp.stack.hi - commute_callerFP(getfp())
		}
		commute_recordAt(gp, addr, k, at)
	}
}

// commute_recordAtomic records an atomic operation of the current goroutine.
//
//go:noinline
func commute_recordAtomic(addr unsafe.Pointer, k commute_event_Kind) {
	if commute_record_On() {
		if gp := getg(); !commute_ignored(gp.racectx, addr) {
			commute_recordAt(gp, addr, k, gp.stack.hi-commute_callerFP(getfp()))
		}
	}
}

// commute_callerFP is the frame pointer of the function that calls the one whose frame pointer is
// fp. It's 0 on ports without frame pointers.
func commute_callerFP(fp uintptr) uintptr {
	if fp == 0 {
		return 0
	}
	return *(*uintptr)(unsafe.Pointer(fp))
}

// commute_recordAt records synchronization by a function of the runtime. at is the distance of its
// frame from the end of the stack. An event by which the library orders goroutines for itself has
// no site.
func commute_recordAt(gp *g, addr unsafe.Pointer, k commute_event_Kind, at uintptr) {
	mp := acquirem()
	site := uint32(0)
	if !k.Library() {
		site, _ = commute_syncSite(gp, at, k.Atomic())
	}
	commute_ctx(gp.racectx).RecordSync(uintptr(addr), k, site)
	releasem(mp)
}
