// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build commute_patch

package runtime

// Calls of specified methods. A rewritten method calls commute_begin and commute_end, and
// commute_leave and commute_resume around a callback. A method that only observes makes one call,
// commute_observe.
//
// The call record c is in the frame of the method. These hooks get its address, and must not keep
// it longer than the call.

import (
	"internal/runtime/sys"
	"unsafe"
)

// commute_begin comes at the start of a call of a specified method. The place is that of the
// program's call, two frames up. It's found by the frame pointer, before another call is made.
//
//go:linkname commute_begin
func commute_begin(c *commute_commrace_Call) {
	if commute_exploring {
		commute_beginPoint(c.Obj)
	}
	gp := getg()
	at := commute_place(gp, getfp(), sys.GetCallerPC(), sys.GetCallerSP())
	mp := acquirem()
	c.SetPlace(at)
	ctx := commute_caller(gp)
	commute_orderCall(ctx, c.Obj)
	commute_ctx(ctx).Begin(c)
	releasem(mp)
}

// commute_caller is the context for a call by the current goroutine. It is 0, which is none, while
// the goroutine hides its synchronization. A call orders as well, and one that is made then is of
// a map in which the library keeps its books.
func commute_caller(gp *g) uintptr {
	if gp.raceignore != 0 {
		return 0
	}
	return gp.racectx
}

// commute_end comes when the call is over, however it ended. Results are in c, if the method
// returned.
//
//go:linkname commute_end
func commute_end(c *commute_commrace_Call) {
	gp := getg()
	mp := acquirem()
	commute_orderCall(gp.racectx, c.Obj)
	commute_ctx(gp.racectx).End(c)
	releasem(mp)
	if commute_finding_Halting() {
		commute_halt()
	}
}

// commute_observe is a whole call of an observer with one key at most, which calls nothing back and
// whose implementation announces no synchronization. So nothing happens between its begin and its
// end, and it needs no record in the method's frame.
//
//go:linkname commute_observe
func commute_observe(spec *commute_commrace_Spec, obj unsafe.Pointer, method, beta uint32,
	key uint64, args unsafe.Pointer, nargs uint32) {
	gp := getg()
	ctx := commute_caller(gp)
	if ctx == 0 {
		return
	}
	at := commute_place(gp, getfp(), sys.GetCallerPC(), sys.GetCallerSP())
	mp := acquirem()
	commute_orderCall(ctx, obj)
	commute_ctx(ctx).Observe(spec, obj, method, beta, key, args, nargs, at)
	releasem(mp)
	if commute_exploring {
		commute_observedPoint(obj)
	}
	if commute_finding_Halting() {
		commute_halt()
	}
}

// commute_leave comes before a specified method calls back into the program. What the program does
// there isn't part of the method.
//
//go:linkname commute_leave
func commute_leave(c *commute_commrace_Call) {
	gp := getg()
	if commute_engine_LeavesAgain(commute_ctx(gp.racectx), c) { // it binds to no processor
		return
	}
	mp := acquirem()
	commute_ctx(gp.racectx).Leave(c)
	releasem(mp)
}

// commute_resume comes after the callback, however it ended.
//
//go:linkname commute_resume
func commute_resume(c *commute_commrace_Call) {
	gp := getg()
	if commute_engine_ResumesAgain(commute_ctx(gp.racectx), c) {
		return
	}
	mp := acquirem()
	commute_ctx(gp.racectx).Resume(c)
	releasem(mp)
}
