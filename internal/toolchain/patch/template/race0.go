// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build commute_patch

// Package runtime is templates: files that join Go's own package runtime, or take the place of one
// of its files, when commute has it compiled.
//
// Input: what the runtime, the standard library and instrumented packages announce. Output: calls
// of the engine. commute_engine_X stands for X of this module's package runtime. commute_host_X is
// what package internal/engine/host promises, and commute_P_X stands for X of the engine's package
// P.
//
// # Terms
//
//	hook           a function that announces an event; the runtime or changed code calls it
//	context        what the engine keeps for a goroutine; g.racectx has its handle, 0 for none
//	timer context  a context that runs the timers of a P, and has no clock component of its own
//	site           the number of a place in the program together with the calls that led there
//	watched        of a package: the user asked for it, so its calls and accesses are looked at
//	ignored        of an event: its goroutine has no context, or hides what it does
//	library        the code between a hook and the watched package: the runtime, sync, atomic
//
// # What holds at each hook
//
// The engine is called with preemption disabled, between acquirem and releasem. Otherwise other Ps
// could wait at its spin locks for a goroutine that has been stopped. Also, its state for each P
// relies on one caller there at a time.
//
// A hook doesn't allocate from Go's heap, and doesn't wait: the caller may hold any lock of the
// runtime. Exceptions are the ends of tests and of the program, where reports are written first.
// Reports are posted as messages, which a goroutine and threads of reporter.go turn into text.
//
// A hook that releases comes before the operation, and one that acquires after it. So the clocks
// order two operations only if the program does. Frames move when a stack grows. So addresses in a
// stack are kept as distances from its end, over any call that may grow it.
package runtime

// The functions that Go's race0.go declares: what the runtime announces to a race detector. Each
// finds the goroutine's context and hands the event to the engine, with preemption disabled. Memory
// accesses are in memory.go, or, if none are watched, in nomemory.go.

import (
	"internal/abi"
	"internal/runtime/sys"
	"unsafe"
)

// The runtime's own announcements stand behind this constant.
const raceenabled = true

// What is known of memory is forgotten when a stack or a user arena begins or ends there. Objects
// of the heap are forgotten by commute_sweep, and whole spans by commute_newSpan.
func racefree(p unsafe.Pointer, sz uintptr)   { commute_free(uintptr(p), sz) }
func racemalloc(p unsafe.Pointer, sz uintptr) { commute_free(uintptr(p), sz) }

// raceinit has no context to give yet: racegostart makes that of the first goroutine.
func raceinit() (uintptr, uintptr) { return 0, 1 }

// raceproccreate must not return 0, or it would be called again. There is no state for each P.
func raceproccreate() uintptr     { return 1 }
func raceprocdestroy(ctx uintptr) {}

// racefini ends the program, whose exit status would be 0. The texts of all findings come before
// the summary, which is the last word.
func racefini() {
	if commute_memory {
		mp := acquirem()
		ms := commute_access_ExitSleep()
		releasem(mp)
		if ms > 0 {
			timeSleep(int64(ms) * 1_000_000)
		}
	}
	mp := acquirem()
	status := commute_engine_Exiting(0)
	releasem(mp)
	commute_finish()
	exit(status)
}

func raceacquire(addr unsafe.Pointer)        { raceacquireg(getg(), addr) }
func racerelease(addr unsafe.Pointer)        { racereleaseg(getg(), addr) }
func racereleaseacquire(addr unsafe.Pointer) { racereleaseacquireg(getg(), addr) }
func racereleasemerge(addr unsafe.Pointer)   { racereleasemergeg(getg(), addr) }

func raceacquireg(gp *g, addr unsafe.Pointer) { commute_emit(gp, addr, commute_event_Acquire) }
func racereleaseg(gp *g, addr unsafe.Pointer) { commute_emit(gp, addr, commute_event_Release) }
func racereleasemergeg(gp *g, addr unsafe.Pointer) {
	commute_emit(gp, addr, commute_event_ReleaseMerge)
}
func racereleaseacquireg(gp *g, addr unsafe.Pointer) {
	commute_emit(gp, addr, commute_event_ReleaseAcquire)
}

// raceacquirectx has the timer context of a P acquire what the timer at addr released when it was
// set. So the timer's function comes after the call that set it.
func raceacquirectx(racectx uintptr, addr unsafe.Pointer) {
	if racectx == 0 {
		return
	}
	commute_order(racectx, addr, commute_event_Acquire)
	mp := acquirem()
	g := commute_ctx(racectx)
	g.Acquire(uintptr(addr))
	if commute_memory && commute_record_On() {
		f := (*timer)(addr).f // the timer is locked
		g.RecordTimer(uintptr(addr),
			abi.FuncPCABIInternal(f) != abi.FuncPCABIInternal(goroutineReady))
	}
	releasem(mp)
}

// racefingo comes before the runtime runs some finalizers or cleanups. No goroutine can reach their
// objects any more, so all that was done with them came before: here, all that was done at all.
func racefingo() {
	if ctx := getg().racectx; ctx != 0 {
		mp := acquirem()
		commute_ctx(ctx).AcquireAll()
		releasem(mp)
	}
}

// racegostart makes the context of a goroutine, or of what runs the timers of a P. The context is 0
// for goroutines that the runtime starts for itself: they announce nothing.
func racegostart(pc uintptr) uintptr {
	if pc == abi.FuncPCABIInternal((*timers).run)+sys.PCQuantum {
		return commute_engine_NewTimerContext().Handle()
	}
	gp := getg()
	spawng := gp.m.curg
	if spawng == nil {
		spawng = gp
		if !commute_mainStarted {
			commute_mainStarted = true
			if commute_memory {
				commute_engine_WatchMemory()
			} else {
				commute_record_Refuse()
			}
			return commute_engine_Main().Handle()
		}
	}
	if commute_internal(pc) {
		return 0
	}
	mp := acquirem()
	goid := mp.p.ptr().goidcache - 1 // newproc1 has just taken it
	if pc == abi.FuncPCABIInternal(newextram)+sys.PCQuantum {
		goid = 0
	}
	ctx := commute_engine_Fork(commute_ctx(spawng.racectx), spawng.goid, goid,
		commute_origin(spawng)).Handle()
	releasem(mp)
	return ctx
}

// racegoend ends the context. What the goroutine does after that is not seen.
func racegoend() {
	gp := getg()
	if gp.racectx != 0 {
		mp := acquirem()
		commute_ctx(gp.racectx).Exit()
		gp.racectx = 0
		releasem(mp)
	}
}

// racectxstart makes a context for one cleanup, and racectxend ends it. Cleanups run one after
// another on a goroutine of the runtime, but a program can't rely on that order.
func racectxstart(pc, spawnctx uintptr) uintptr {
	mp := acquirem()
	ctx := commute_engine_Fork(commute_ctx(spawnctx), getg().goid, 0, nil).Handle()
	releasem(mp)
	return ctx
}

func racectxend(racectx uintptr) {
	if racectx != 0 {
		mp := acquirem()
		commute_ctx(racectx).Exit()
		releasem(mp)
	}
}
