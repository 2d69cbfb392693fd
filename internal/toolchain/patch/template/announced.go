// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build commute_patch && commute_memory

package runtime

// Accesses that package internal/race announces, and what package runtime exports where it is built
// with -race. An access of kind 0 is a read, and of kind 1 a write.

import (
	"internal/abi"
	"internal/runtime/sys"
	"unsafe"
)

//go:linkname commute_race_Read internal/race.Read
func commute_race_Read(addr unsafe.Pointer) {
	commute_makeRoom(getg())
	commute_modelAccess(addr, 0, sys.GetCallerPC(), abi.FuncPCABIInternal(commute_race_Read))
}

//go:linkname commute_race_ReadPC internal/race.ReadPC
func commute_race_ReadPC(addr unsafe.Pointer, callerpc, pc uintptr) {
	commute_makeRoom(getg())
	commute_accessBy(addr, 1, 0, callerpc, pc)
}

//go:linkname commute_race_ReadObjectPC internal/race.ReadObjectPC
func commute_race_ReadObjectPC(t *abi.Type, addr unsafe.Pointer, callerpc, pc uintptr) {
	commute_makeRoom(getg())
	commute_accessBy(addr, commute_objectSize(t), 0, callerpc, pc)
}

//go:linkname commute_race_Write internal/race.Write
func commute_race_Write(addr unsafe.Pointer) {
	commute_makeRoom(getg())
	commute_modelAccess(addr, 1, sys.GetCallerPC(), abi.FuncPCABIInternal(commute_race_Write))
}

//go:linkname commute_race_WritePC internal/race.WritePC
func commute_race_WritePC(addr unsafe.Pointer, callerpc, pc uintptr) {
	commute_makeRoom(getg())
	commute_accessBy(addr, 1, 1, callerpc, pc)
}

//go:linkname commute_race_WriteObjectPC internal/race.WriteObjectPC
func commute_race_WriteObjectPC(t *abi.Type, addr unsafe.Pointer, callerpc, pc uintptr) {
	commute_makeRoom(getg())
	commute_accessBy(addr, commute_objectSize(t), 1, callerpc, pc)
}

//go:linkname commute_race_ReadRange internal/race.ReadRange
func commute_race_ReadRange(addr unsafe.Pointer, len int) {
	commute_makeRoom(getg())
	commute_accessBy(addr, uintptr(len), 0, sys.GetCallerPC(),
		abi.FuncPCABIInternal(commute_race_ReadRange))
}

//go:linkname commute_race_WriteRange internal/race.WriteRange
func commute_race_WriteRange(addr unsafe.Pointer, len int) {
	commute_makeRoom(getg())
	commute_accessBy(addr, uintptr(len), 1, sys.GetCallerPC(),
		abi.FuncPCABIInternal(commute_race_WriteRange))
}

// commute_lock comes before an operation on a mutex. The words of the mutex belong to it, so a
// plain access to them at the same time is a race. The operations of a goroutine at one epoch are
// one access; so is Unlock, mostly, with the Lock before it.
//
//go:linkname commute_lock
func commute_lock(addr unsafe.Pointer) {
	gp := getg()
	if gp.racectx == 0 || gp.raceignore != 0 ||
		uintptr(addr)-gp.stack.lo < gp.stack.hi-gp.stack.lo || gp != gp.m.curg {
		return
	}
	pc, cell := sys.GetCallerPC(), commute_datarace_CellOf(uintptr(addr))
	if cell.AtomicBefore(commute_ctx(gp.racectx).EpochID(), false) {
		return
	}
	commute_makeRoom(gp)
	if sys.GetCallerSP()-gp.stack.lo > commute_minStack && !commute_record_On() &&
		!tracefpunwindoff() && !gp.m.hasCgoOnStack() {
		mp := acquirem()
		done := commute_lockEasily(gp, cell, pc, getfp())
		releasem(mp)
		if done {
			return
		}
	}
	commute_atomicWrite(addr, pc)
}

// commute_lockEasily records an access to a mutex at pc, if its site is known, and what is to be
// done is easy. It reports whether it was so.
func commute_lockEasily(gp *g, cell commute_datarace_Cell, pc, fp uintptr) bool {
	g := commute_ctx(gp.racectx)
	now, f := g.EpochID(), g.Frames()
	if f == nil {
		return false
	}
	if now == 0 {
		if now = g.QuickEpoch(); now == 0 {
			return false
		}
	}
	way, node := commute_way(gp, f, pc, 0, fp)
	if node == 0 {
		return false
	}
	site := f.Announced(way, node)
	return site != 0 && g.Memory.P().EasyAtomicWrite(cell, now, site)
}

// RaceErrors is the number of races reported so far.
func RaceErrors() int { return commute_race_Errors() }

// RaceAcquire orders the releases of addr before what follows.
//
//go:nosplit
func RaceAcquire(addr unsafe.Pointer) { raceacquire(addr) }

// RaceRelease orders what came before it before the acquires of addr, and forgets earlier releases.
//
//go:nosplit
func RaceRelease(addr unsafe.Pointer) { racerelease(addr) }

// RaceReleaseMerge is RaceRelease, but earlier releases stay.
//
//go:nosplit
func RaceReleaseMerge(addr unsafe.Pointer) { racereleasemerge(addr) }

// RaceDisable ends the watching of synchronization by the current goroutine, until RaceEnable.
//
//go:nosplit
func RaceDisable() { getg().raceignore++ }

// RaceEnable undoes RaceDisable.
//
//go:nosplit
func RaceEnable() { getg().raceignore-- }

// RaceRead is a read of the byte at addr.
func RaceRead(addr unsafe.Pointer) {
	commute_accessBy(addr, 1, 0, sys.GetCallerPC(), abi.FuncPCABIInternal(RaceRead))
}

// RaceWrite is a write of the byte at addr.
func RaceWrite(addr unsafe.Pointer) {
	commute_accessBy(addr, 1, 1, sys.GetCallerPC(), abi.FuncPCABIInternal(RaceWrite))
}

// RaceReadRange is a read of some bytes.
func RaceReadRange(addr unsafe.Pointer, len int) {
	commute_accessBy(addr, uintptr(len), 0, sys.GetCallerPC(), abi.FuncPCABIInternal(RaceReadRange))
}

// RaceWriteRange is a write of some bytes.
func RaceWriteRange(addr unsafe.Pointer, len int) {
	commute_accessBy(addr, uintptr(len), 1, sys.GetCallerPC(),
		abi.FuncPCABIInternal(RaceWriteRange))
}
