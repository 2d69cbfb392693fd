// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build commute_patch && commute_memory

package runtime

// The long way of an access to memory: its callers are found, and it is recorded. The hooks of
// accesses that the runtime, package internal/race and sync/atomic announce always come here.

import (
	"internal/abi"
	"internal/runtime/sys"
	"unsafe"
)

// commute_minStack is what must be left of the goroutine's stack, in bytes, for an access to be
// recorded there.
//
// Where the compiler announces an access the stack must not grow, nor may the goroutine be stopped:
// its frames need not be as the stack maps say. So the functions from commute_access to
// commute_recordEvent have preemption disabled. They work on the system stack if the goroutine's
// has less than this left. What is nosplit is in a chain with callers that must not grow the stack
// either, and so has small frames.
//
// Code that runs on the system stack by itself, as functions of timers do, is no goroutine's. And
// where synchronization is hidden, as by package testing for the turns of parallel tests, so are
// accesses: what orders them is not seen.
const commute_minStack = 3 << 10

// commute_access records an access by the instrumented function that pc is in; sp is its stack
// pointer. For the system stack the arguments are put into the context, which keeps this frame
// small.
//
//go:nosplit
func commute_access(gp *g, addr, size uintptr, kind commute_event_Access, pc, sp uintptr) {
	gp.m.locks++
	if sp-gp.stack.lo > commute_minStack {
		if commute_record(gp, addr, size, kind, pc, sp, 0, getfp()) {
			systemstack(commute_report)
		}
	} else {
		e := commute_ctx(gp.racectx).Event()
		e.Addr, e.Size, e.Kind, e.PC, e.SP, e.By, e.FP = addr, size, kind, pc, sp, 0, getfp()
		e.Cramped++
		systemstack(commute_recordEvent)
	}
	releasem(gp.m)
}

// commute_makeRoom has the stack of gp grow, which is current, if much of what it has announced had
// too little: the way over the system stack costs more. It serves functions that the library calls
// as any other, where stacks may grow. Goroutines that announce little keep a small stack.
func commute_makeRoom(gp *g) {
	if sys.GetCallerSP()-gp.stack.lo < commute_minStack+commute_hooksStack && gp == gp.m.curg &&
		gp.racectx != 0 && commute_ctx(gp.racectx).Event().Cramped >= commute_maxCramped {
		commute_growStack(0)
	}
}

const (
	commute_hooksStack = 1 << 10 // what hooks take before an access is recorded, and more
	commute_maxCramped = 32
)

// commute_growStack has the stack grow by having a large frame.
//
//go:noinline
func commute_growStack(i int) byte {
	var frame [commute_minStack + commute_hooksStack]byte
	return frame[i]
}

// commute_recordQuick puts an access into the trace that needs nothing else: its site is known.
//
//go:nosplit
func commute_recordQuick(gp *g, addr uintptr, kind commute_event_Access, site uint32, sp uintptr) {
	gp.m.locks++
	if sp-gp.stack.lo > commute_minStack {
		commute_ctx(gp.racectx).RecordAccess(addr, 1, kind, site)
	} else {
		e := commute_ctx(gp.racectx).Event()
		e.Addr, e.Kind, e.Site = addr, kind, site
		systemstack(commute_recordQuickEvent)
	}
	releasem(gp.m)
}

// commute_recordQuickEvent is the second half of commute_recordQuick on the system stack.
func commute_recordQuickEvent() {
	g := commute_ctx(getg().m.curg.racectx)
	e := g.Event()
	g.RecordAccess(e.Addr, 1, e.Kind, e.Site)
}

// commute_accessAt records an access by the function that pc is in, which has called the hook,
// directly or not. If by is not 0, that function of the runtime makes the access for it.
//
//go:nosplit
func commute_accessAt(addr, size uintptr, kind commute_event_Access, pc, by uintptr) {
	gp := getg()
	if gp.racectx == 0 || addr-gp.stack.lo < gp.stack.hi-gp.stack.lo || size == 0 ||
		gp != gp.m.curg || gp.raceignore >= 64 {
		return
	}
	if size == 1 {
		now, cell := commute_ctx(gp.racectx).EpochID(), commute_datarace_CellOf(addr)
		reads := kind&commute_datarace_Write == 0
		if cell.Wrote(now) || reads && cell.ReadBefore(now) ||
			kind&commute_datarace_Atomic != 0 && cell.AtomicBefore(now, reads) {
			return // it repeats another
		}
	}
	gp.m.locks++
	if sys.GetCallerSP()-gp.stack.lo > commute_minStack {
		if commute_record(gp, addr, size, kind, pc, 0, by, getfp()) {
			systemstack(commute_report)
		}
	} else {
		e := commute_ctx(gp.racectx).Event()
		e.Addr, e.Size, e.Kind, e.PC, e.SP, e.By, e.FP = addr, size, kind, pc, 0, by, getfp()
		e.Cramped++
		systemstack(commute_recordEvent)
	}
	releasem(gp.m)
}

// commute_recordEvent records the access that the current goroutine's context has, on the system
// stack.
func commute_recordEvent() {
	gp := getg().m.curg
	e := commute_ctx(gp.racectx).Event()
	if commute_record(gp, e.Addr, e.Size, e.Kind, e.PC, e.SP, e.By, e.FP) {
		commute_report()
	}
}

// commute_record records an access by the function that pc is in, or by another one that it calls.
// sp is the stack pointer there if the function is instrumented, else 0. The callers are found from
// the frame pointer fp on. It reports whether there is a race.
//
// An instrumented function has its frame among the engine's frames, and often its callers are known
// from its last access. A new entry costs a walk of the stack.
func commute_record(
	gp *g, addr, size uintptr, kind commute_event_Access, pc, sp, by, fp uintptr,
) bool {
	g := commute_ctx(gp.racectx)
	if sp == 0 {
		return commute_recordAnnounced(gp, addr, size, kind, pc, by, fp)
	}
	if size > 1 && g.Repeats(addr, size, kind) || !g.CountsAccesses() {
		return false
	}
	f := g.Frames()
	node := f.CallerNode(uint32(gp.stack.hi - sp))
	if node == 0 {
		node = commute_callers(gp, g, fp, pc, true)
	}
	site := f.Site(node, pc)
	if commute_record_On() {
		g.RecordAccess(addr, size, kind, site)
	}
	return g.Access(addr, size, kind, site)
}

// commute_recordAnnounced is commute_record for an access that the library or the runtime
// announces. By is the function of the runtime that makes it for the one that pc is in, or 0.
func commute_recordAnnounced(
	gp *g, addr, size uintptr, kind commute_event_Access, pc, by, fp uintptr,
) bool {
	g, cell := commute_ctx(gp.racectx), commute_datarace_CellOf(addr)
	traced := commute_record_On()
	if traced && g.Repeats(addr, size, kind) || !g.CountsAccesses() {
		return false
	}
	site := commute_announcedSite(gp, g, pc, by, fp)
	if traced {
		g.RecordAccess(addr, size, kind, site)
	} else if site != 0 && !commute_instance_Transactions.Running() {
		t, now := g.Memory.P(), g.EpochID()
		if now == 0 {
			now = g.QuickEpoch()
		}
		switch {
		case size > 1:
			first := addr
			addr = t.QuickRange(addr, size, now, kind, site, 0)
			if size -= addr - first; size == 0 {
				return false
			}
		case kind == commute_datarace_Read:
			if t.EasyRead(cell, now, kind, site, 0) || cell.Repeats(now, kind) ||
				t.QuickRead(cell, now, site, 0) {
				return false
			}
		case kind == commute_datarace_Write:
			if t.EasyWrite(cell, now, site, 0) || cell.Repeats(now, kind) ||
				t.QuickWrite(cell, now, site, 0) {
				return false
			}
		case kind == commute_datarace_Read|commute_datarace_Atomic:
			if t.EasyRead(cell, now, kind, site, 0) {
				return false
			}
		case kind == commute_datarace_Write|commute_datarace_Atomic:
			if t.EasyAtomicWrite(cell, now, site) {
				return false
			}
		}
	}
	if !traced && g.Repeats(addr, size, kind) {
		return false
	}
	return g.Access(addr, size, kind, site)
}

// commute_report reports the race of the last access, on the system stack. If the program is to
// halt at the first report it's not let go on: the goroutine that makes the text ends the program.
func commute_report() {
	commute_ctx(getg().m.curg.racectx).Report()
	if commute_finding_Halting() && gomaxprocs > 1 {
		usleep(2_000_000) // the goroutine that makes the text ends the program before
	}
}

// commute_accessBy records an access by pc, a function of the runtime that callerpc has called.
//
//go:nosplit
func commute_accessBy(
	addr unsafe.Pointer, size uintptr, kind commute_event_Access, callerpc, pc uintptr,
) {
	commute_accessAt(uintptr(addr), size, kind, callerpc, pc)
}

// commute_accessFor is commute_accessBy for an access that the program makes by the runtime. It is
// hidden where the program's own accesses are.
//
//go:nosplit
func commute_accessFor(
	addr unsafe.Pointer, size uintptr, kind commute_event_Access, callerpc, pc uintptr,
) {
	if getg().raceignore == 0 {
		commute_accessAt(uintptr(addr), size, kind, callerpc, pc)
	}
}

// commute_objectSize is the size of an access to a value: for the compiler, one to a number or
// pointer is to its first byte.
func commute_objectSize(t *_type) uintptr {
	switch t.Kind() {
	case abi.Array, abi.Struct, abi.String, abi.Slice, abi.Interface, abi.Complex64, abi.Complex128:
		return t.Size_
	}
	return min(t.Size_, 1)
}

// The functions below come from the runtime, before it reads or writes for the program: in maps,
// channels, slices and conversions. pc is the runtime's function, and callerpc is in the one that
// has called it.
//
//go:nosplit
func raceReadObjectPC(t *_type, addr unsafe.Pointer, callerpc, pc uintptr) {
	commute_accessFor(addr, commute_objectSize(t), 0, callerpc, pc)
}

//go:nosplit
func raceWriteObjectPC(t *_type, addr unsafe.Pointer, callerpc, pc uintptr) {
	commute_accessFor(addr, commute_objectSize(t), 1, callerpc, pc)
}

// racemapshadow comes for new memory of the heap, whose shadow is reserved already.
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

// commute_atomicRead comes after an atomic load by the function that pc is in. Atomic accesses race
// with plain ones.
//
//go:nosplit
func commute_atomicRead(addr unsafe.Pointer, pc uintptr) {
	if getg().raceignore == 0 {
		commute_accessAt(uintptr(addr), 1, commute_datarace_Read|commute_datarace_Atomic, pc, 0)
	}
}

// commute_atomicWrite comes before an atomic store.
//
//go:nosplit
func commute_atomicWrite(addr unsafe.Pointer, pc uintptr) {
	if getg().raceignore == 0 {
		commute_accessAt(uintptr(addr), 1, commute_datarace_Write|commute_datarace_Atomic, pc, 0)
	}
}
