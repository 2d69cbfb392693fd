// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build commute_patch

// Package runtime is templates: files that join Go's own package runtime, or take the place of one of
// its files, when commute has it compiled. Input: what the runtime, the standard library and
// instrumented packages announce. Output: calls of the engine (commute_engine_X stands for X of this
// module's package runtime, commute_sync_X for that of internal/engine/sync, and so on, commute_host_X
// for what package internal/engine/host promises).
package runtime

// The functions that Go's race0.go declares: what the runtime announces to a race detector. Each
// finds the goroutine's context and hands the event to the engine, with preemption disabled.
// Memory accesses are in memory.go, or, if none are watched, in nomemory.go.

import (
	"internal/abi"
	"internal/runtime/sys"
	"unsafe"
)

const raceenabled = true

// What is known of memory goes when it is freed: on the heap by commute_sweep.
func racefree(p unsafe.Pointer, sz uintptr)   { commute_free(uintptr(p), sz) }
func racemalloc(p unsafe.Pointer, sz uintptr) { commute_free(uintptr(p), sz) }

func raceinit() (uintptr, uintptr) { return 0, 1 }

// raceproccreate must not return 0, or it would be called again.
func raceproccreate() uintptr     { return 1 }
func raceprocdestroy(ctx uintptr) {}

// racefini ends the program, whose exit status would be 0.
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

// raceacquirectx has the carrier pick up a timer.
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
		g.RecordTimer(uintptr(addr), abi.FuncPCABIInternal(f) != abi.FuncPCABIInternal(goroutineReady))
	}
	releasem(mp)
}

func racefingo() {
	if ctx := getg().racectx; ctx != 0 {
		mp := acquirem()
		commute_ctx(ctx).AcquireAll()
		releasem(mp)
	}
}

// racegostart makes the context of a goroutine, or of what runs the timers of a P.
func racegostart(pc uintptr) uintptr {
	if pc == abi.FuncPCABIInternal((*timers).run)+sys.PCQuantum {
		return commute_engine_NewTimerContext().Handle()
	}
	gp := getg()
	spawng := gp.m.curg
	if spawng == nil {
		spawng = gp
		if !commute_main {
			commute_main = true
			if commute_memory {
				commute_engine_WatchMemory()
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
	var pcs [commute_stack_MaxDepth + commute_stack_Outermost]uintptr
	n, elided := commute_stack(spawng, pcs[:], commute_stack_Outermost)
	ctx := commute_engine_Fork(commute_ctx(spawng.racectx), spawng.goid, goid, pcs[:n], elided).Handle()
	releasem(mp)
	return ctx
}

func racegoend() {
	gp := getg()
	if gp.racectx != 0 {
		mp := acquirem()
		commute_ctx(gp.racectx).Exit()
		gp.racectx = 0
		releasem(mp)
	}
}

func racectxstart(pc, spawnctx uintptr) uintptr {
	mp := acquirem()
	ctx := commute_engine_Fork(commute_ctx(spawnctx), getg().goid, 0, nil, 0).Handle()
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
