// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build commute_patch && commute_memory

package runtime

// Accesses to memory: those that the compiler announces where it is called with -race, those that the
// runtime makes for the program, and those of internal/race. Nearly all of them repeat an access that
// is recorded already, which is found out with no lock, no call and few loads.

import (
	"internal/abi"
	"internal/runtime/sys"
	"unsafe"
)

const commute_memory = true

// The hooks below are alike. They are written out each, as one more function between would take stack that there may not
// be: the compiler has them called in functions that must not grow it.

//go:nosplit
func raceread(addr uintptr) {
	gp := getg()
	if gp.racectx == 0 {
		return
	}
	g := commute_ctx(gp.racectx)
	now, cell := g.EpochID(), commute_datarace_CellOf(addr)
	if cell.Wrote(now) || cell.ReadBefore(now) {
		return
	}
	if !commute_counts(gp, addr) {
		return
	}
	pc, sp := sys.GetCallerPC(), sys.GetCallerSP()
	if f := g.Frames(); f != nil {
		site, caller := f.Quick(uint32(gp.stack.hi-sp), pc)
		if site != 0 && g.Memory.QuickRead(cell, now, site, caller) {
			if commute_record_On() {
				commute_recordQuick(gp, addr, 0, site, sp)
			}
			return
		}
	}
	if addr-firstmoduledata.text >= firstmoduledata.noptrdata-firstmoduledata.text && !cell.ReadAmong(now) {
		commute_access(gp, addr, 1, 0, pc, sp)
	}
}

//go:nosplit
func racewrite(addr uintptr) {
	gp := getg()
	if gp.racectx == 0 {
		return
	}
	g := commute_ctx(gp.racectx)
	now, cell := g.EpochID(), commute_datarace_CellOf(addr)
	if cell.Wrote(now) {
		return
	}
	if !commute_counts(gp, addr) {
		return
	}
	pc, sp := sys.GetCallerPC(), sys.GetCallerSP()
	if f := g.Frames(); f != nil {
		site, caller := f.Quick(uint32(gp.stack.hi-sp), pc)
		if site != 0 && g.Memory.QuickWrite(cell, now, site, caller) {
			if commute_record_On() {
				commute_recordQuick(gp, addr, 1, site, sp)
			}
			return
		}
	}
	if !cell.WroteAmong(now) {
		commute_access(gp, addr, 1, 1, pc, sp)
	}
}

//go:nosplit
func racereadrange(addr, size uintptr) {
	gp := getg()
	if gp.racectx == 0 || size == 0 || !commute_counts(gp, addr) {
		return
	}
	pc, sp := sys.GetCallerPC(), sys.GetCallerSP()
	g := commute_ctx(gp.racectx)
	if f := g.Frames(); f != nil && !commute_record_On() {
		site, caller := f.Quick(uint32(gp.stack.hi-sp), pc)
		if site != 0 {
			first := addr
			addr = g.Memory.QuickRange(addr, size, g.EpochID(), 0, site, caller)
			if size -= addr - first; size == 0 {
				return
			}
		}
	}
	commute_access(gp, addr, size, 0, pc, sp)
}

//go:nosplit
func racewriterange(addr, size uintptr) {
	gp := getg()
	if gp.racectx == 0 || size == 0 || !commute_counts(gp, addr) {
		return
	}
	pc, sp := sys.GetCallerPC(), sys.GetCallerSP()
	g := commute_ctx(gp.racectx)
	if f := g.Frames(); f != nil && !commute_record_On() {
		site, caller := f.Quick(uint32(gp.stack.hi-sp), pc)
		if site != 0 {
			first := addr
			addr = g.Memory.QuickRange(addr, size, g.EpochID(), 1, site, caller)
			if size -= addr - first; size == 0 {
				return
			}
		}
	}
	commute_access(gp, addr, size, 1, pc, sp)
}

// commute_counts reports whether an access by gp, which is running, is to be looked at: not so if it is to its own
// stack, or if gp is the system's, or hides what it does.
//
//go:nosplit
func commute_counts(gp *g, addr uintptr) bool {
	return addr-gp.stack.lo >= gp.stack.hi-gp.stack.lo && gp == gp.m.curg && gp.raceignore == 0
}

// racefuncenter comes at the start of an instrumented function, and racefuncexit before its return.
//
//go:nosplit
func racefuncenter(callerpc uintptr) {
	gp := getg()
	if gp.racectx == 0 {
		return
	}
	f := commute_ctx(gp.racectx).Frames()
	if f == nil {
		f = commute_newFrames(gp)
	}
	f.Enter(uint32(gp.stack.hi - sys.GetCallerSP()))
}

//go:nosplit
func commute_newFrames(gp *g) *commute_access_Frames {
	mp := acquirem()
	var f *commute_access_Frames
	systemstack(func() { f = commute_ctx(gp.racectx).NewFrames() })
	releasem(mp)
	return f
}

//go:nosplit
func racefuncexit() {
	gp := getg()
	if gp.racectx == 0 {
		return
	}
	if f := commute_ctx(gp.racectx).Frames(); f != nil {
		f.Exit()
	}
}

// Where the compiler announces an access is no place for a stack to grow, nor for a goroutine to be stopped: not
// all that its frames hold is what they say. So the functions from commute_access to commute_recordEvent have
// preemption disabled, and work on the system's stack if the goroutine's has less than commute_room left, in bytes.
// Those that are nosplit are in chains with callers that must not grow the stack either, and so have small frames.
//
// What runs on the system's stack itself, as functions of timers, is no goroutine's. And where synchronization is
// hidden, as by package testing for the turns of parallel tests, so are accesses: what orders them is not seen.
const commute_room = 3 << 10

// commute_access records an access by the instrumented function that pc is in; sp is its stack pointer.
//
//go:nosplit
func commute_access(gp *g, addr, size uintptr, kind int, pc, sp uintptr) {
	gp.m.locks++
	if sp-gp.stack.lo > commute_room {
		if commute_record(gp, addr, size, kind, pc, sp, 0, getfp()) {
			systemstack(commute_report)
		}
	} else {
		e := commute_ctx(gp.racectx).Event()
		e.Addr, e.Size, e.Kind, e.PC, e.SP, e.By, e.FP = addr, size, kind, pc, sp, 0, getfp()
		systemstack(commute_recordEvent)
	}
	releasem(gp.m)
}

// commute_recordQuick puts an access that needs no more than that into the trace.
//
//go:nosplit
func commute_recordQuick(gp *g, addr uintptr, kind int, site uint32, sp uintptr) {
	gp.m.locks++
	if sp-gp.stack.lo > commute_room {
		commute_ctx(gp.racectx).RecordAccess(addr, 1, kind, site)
	} else {
		e := commute_ctx(gp.racectx).Event()
		e.Addr, e.Kind, e.Site = addr, kind, site
		systemstack(commute_recordQuickEvent)
	}
	releasem(gp.m)
}

func commute_recordQuickEvent() {
	g := commute_ctx(getg().m.curg.racectx)
	e := g.Event()
	g.RecordAccess(e.Addr, 1, e.Kind, e.Site)
}

// commute_accessAt records an access by the function that pc is in, which calls, directly or not; if by is not
// 0 it's one by that function of the runtime for it.
//
//go:nosplit
func commute_accessAt(addr, size uintptr, kind int, pc, by uintptr) {
	gp := getg()
	if gp.racectx == 0 || addr-gp.stack.lo < gp.stack.hi-gp.stack.lo || size == 0 || gp != gp.m.curg || gp.raceignore >= 64 {
		return
	}
	gp.m.locks++
	if sys.GetCallerSP()-gp.stack.lo > commute_room {
		if commute_record(gp, addr, size, kind, pc, 0, by, getfp()) {
			systemstack(commute_report)
		}
	} else {
		e := commute_ctx(gp.racectx).Event()
		e.Addr, e.Size, e.Kind, e.PC, e.SP, e.By, e.FP = addr, size, kind, pc, 0, by, getfp()
		systemstack(commute_recordEvent)
	}
	releasem(gp.m)
}

// commute_recordEvent records the access that the current goroutine's context has.
func commute_recordEvent() {
	gp := getg().m.curg
	e := commute_ctx(gp.racectx).Event()
	if commute_record(gp, e.Addr, e.Size, e.Kind, e.PC, e.SP, e.By, e.FP) {
		commute_report()
	}
}

// commute_record records an access by the function that pc is in, or by another that it calls; sp is the stack
// pointer there if the function is instrumented, else 0. The callers are found from the frame pointer fp on. It
// reports whether there is a race.
func commute_record(gp *g, addr, size uintptr, kind int, pc, sp, by, fp uintptr) bool {
	g := commute_ctx(gp.racectx)
	if (size > 1 || sp == 0) && g.Repeats(addr, size, kind) || !g.CountsAccesses() {
		return false
	}
	f := g.Frames()
	node := uint32(0)
	if sp != 0 {
		node = f.CallerNode(uint32(gp.stack.hi - sp))
	}
	if node == 0 {
		node = commute_callers(gp, g, fp, pc, sp != 0)
	}
	site := f.Site(node, pc)
	if by != 0 {
		site = f.Site(site, by+1)
	}
	if commute_record_On() {
		g.RecordAccess(addr, size, kind, site)
	}
	return g.Access(addr, size, kind, site)
}

// commute_report reports the race of the last access.
func commute_report() {
	commute_ctx(getg().m.curg.racectx).Report()
	if commute_finding_Halting() && gomaxprocs > 1 {
		usleep(2_000_000) // who makes the text ends the program before
	}
}

// commute_accessBy records an access by a function of the runtime, pc, that callerpc has called.
//
//go:nosplit
func commute_accessBy(addr unsafe.Pointer, size uintptr, kind int, callerpc, pc uintptr) {
	commute_accessAt(uintptr(addr), size, kind, callerpc, pc)
}

// commute_accessFor is commute_accessBy for an access that the program makes, by the runtime.
//
//go:nosplit
func commute_accessFor(addr unsafe.Pointer, size uintptr, kind int, callerpc, pc uintptr) {
	if getg().raceignore == 0 {
		commute_accessAt(uintptr(addr), size, kind, callerpc, pc)
	}
}

// commute_object is the size of an access to a value: for the compiler, one to a number or pointer is to its
// first byte.
func commute_object(t *_type) uintptr {
	switch t.Kind() {
	case abi.Array, abi.Struct, abi.String, abi.Slice, abi.Interface, abi.Complex64, abi.Complex128:
		return t.Size_
	}
	return min(t.Size_, 1)
}

//go:nosplit
func raceReadObjectPC(t *_type, addr unsafe.Pointer, callerpc, pc uintptr) {
	commute_accessFor(addr, commute_object(t), 0, callerpc, pc)
}

//go:nosplit
func raceWriteObjectPC(t *_type, addr unsafe.Pointer, callerpc, pc uintptr) {
	commute_accessFor(addr, commute_object(t), 1, callerpc, pc)
}

func racemapshadow(addr unsafe.Pointer, size uintptr) {}

//go:nosplit
func racewritepc(addr unsafe.Pointer, callerpc, pc uintptr) {
	commute_accessFor(addr, 1, 1, callerpc, pc)
}

//go:nosplit
func racereadpc(addr unsafe.Pointer, callerpc, pc uintptr) {
	commute_accessFor(addr, 1, 0, callerpc, pc)
}

//go:nosplit
func racereadrangepc(addr unsafe.Pointer, sz, callerpc, pc uintptr) {
	commute_accessFor(addr, sz, 0, callerpc, pc)
}

//go:nosplit
func racewriterangepc(addr unsafe.Pointer, sz, callerpc, pc uintptr) {
	commute_accessFor(addr, sz, 1, callerpc, pc)
}

// commute_malloc comes from mallocgc, when an object has been allocated. It notes for whom, if that is an
// instrumented function's goroutine.
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
		commute_datarace_SetAllocSite(uintptr(x), commute_datarace_CutOff) // other small ones are there already
	} else {
		commute_datarace_SetAllocSite(uintptr(x), commute_allocator(gp, g, getfp()))
	}
	releasem(mp)
}

// commute_touched reports whether accesses to that memory are recorded.
func commute_touched(base, size uintptr) bool { return commute_datarace_Touched(base, size) }

// commute_freeMemory forgets them.
func commute_freeMemory(addr, size uintptr) {
	if commute_record_On() && commute_touched(addr, size) {
		if commute_growing() {
			return
		}
		commute_recorder_Fresh(uint64(addr), uint64(size))
	}
	commute_datarace_Free(addr, size)
}

// commute_growing reports whether the current goroutine's stack is being made larger, for which the memory is. It may be that of the
// recorder's function that has run out of it, and has locks of its. Accesses to stacks are not recorded; what is known of
// the memory is forgotten when it becomes part of the heap again (see commute_newSpan).
func commute_growing() bool {
	gp := getg().m.curg
	return gp != nil && readgstatus(gp)&^_Gscan == _Gcopystack
}

// commute_atomicRead comes after an atomic load by the function that pc is in, and commute_atomicWrite before
// an atomic store: for the mix of those with plain accesses.
//
//go:nosplit
func commute_atomicRead(addr unsafe.Pointer, pc uintptr) {
	if getg().raceignore == 0 {
		commute_accessAt(uintptr(addr), 1, commute_datarace_Read|commute_datarace_Atomic, pc, 0)
	}
}

//go:nosplit
func commute_atomicWrite(addr unsafe.Pointer, pc uintptr) {
	if getg().raceignore == 0 {
		commute_accessAt(uintptr(addr), 1, commute_datarace_Write|commute_datarace_Atomic, pc, 0)
	}
}
