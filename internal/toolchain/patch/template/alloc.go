// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build commute_patch && commute_memory

package runtime

// Memory that is allocated and freed, where accesses to it are watched.

import "unsafe"

// commute_malloc comes from mallocgc, when an object has been allocated. It notes the allocation's
// site if an instrumented function's goroutine has made it, for reports to name.
func commute_malloc(x unsafe.Pointer, size uintptr) {
	gp := getg()
	if gp.racectx == 0 || gp == gp.m.g0 {
		return
	}
	g := commute_ctx(gp.racectx)
	if g.Frames() == nil {
		return
	}
	mp := acquirem()
	if size < 16 && uintptr(x)&15 != 0 {
		// The block has other small objects already, so no one site is right.
		commute_datarace_SetAllocSite(uintptr(x), commute_datarace_CutOff)
	} else {
		commute_datarace_SetAllocSite(uintptr(x), commute_allocator(gp, g, getfp()))
	}
	releasem(mp)
}

// commute_touched reports whether accesses to that memory are recorded.
func commute_touched(base, size uintptr) bool { return commute_datarace_Touched(base, size) }

// commute_freeMemory forgets the accesses to memory that is given back, and has the trace say so.
func commute_freeMemory(addr, size uintptr) {
	if commute_record_On() && commute_touched(addr, size) {
		if commute_stackGrows() {
			return
		}
		commute_recorder_Fresh(uint64(addr), uint64(size))
	}
	commute_datarace_Free(addr, size)
}

// commute_stackGrows reports whether the current goroutine's stack is being made larger, and the
// memory is for that. The function that ran out of stack may be the recorder's, and hold locks, so
// that nothing can be recorded. Accesses to stacks are not recorded. What is known of the memory is
// forgotten when it becomes part of the heap again (see commute_newSpan).
func commute_stackGrows() bool {
	gp := getg().m.curg
	return gp != nil && readgstatus(gp)&^_Gscan == _Gcopystack
}
