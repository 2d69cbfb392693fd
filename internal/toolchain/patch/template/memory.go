// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build commute_patch && commute_memory

package runtime

// Accesses to memory that the compiler announces where it is called with -race. Nearly all of them
// repeat an access that is recorded already. This is found out with no lock, no call and few loads.
//
// What an access goes through, from the cheapest way out to the dearest:
//
//	the epoch has a write of that byte, or has read it     nothing to do
//	the access is ignored, or to the goroutine's stack     nothing to do
//	the function is the one that was entered last          Quick: its site is known
//	else                                                   commute_access: find callers, record
//
// The first four hooks are alike, and written out each: a function between them and the engine
// would take stack that there may not be. The compiler calls them in functions that must not grow
// the stack.

import (
	"internal/runtime/sys"
	"unsafe"
)

// commute_memory is a constant, so that what is not watched isn't in the program at all.
const commute_memory = true

// raceread comes before a read of the byte at addr, or of a value that begins there. Reads of the
// program's code and constants can't race, and are not recorded.
//
//go:nosplit
func raceread(addr uintptr) {
	if getg().racectx == 0 {
		return
	}
	cell := commute_datarace_CellOf(addr)
	if cell.Mapped() {
		now := commute_ctx(getg().racectx).EpochID()
		if cell.Wrote(now) {
			return
		}
		if cell.ReadBefore(now) { // apart from the former, as that takes fewer instructions
			return
		}
	}
	gp := getg() // here, as it is kept in the frame
	if addr-firstmoduledata.text < firstmoduledata.noptrdata-firstmoduledata.text ||
		!commute_tracked(gp, addr) {
		return
	}
	pc, sp := sys.GetCallerPC(), sys.GetCallerSP()
	g := commute_ctx(gp.racectx)
	now := g.EpochID()
	if f := g.Frames(); f != nil {
		off := uint32(gp.stack.hi - sp)
		site, caller := f.Quick(off, pc)
		if site == 0 && caller != 0 {
			site = f.Second(caller, pc)
		}
		looked := now == 0 // nothing is recorded at a new epoch
		if site == 0 {
			if !looked && cell.ReadAmong(now) {
				return
			}
			looked = true
			site, caller = commute_quickSite(gp, f, off, pc, *(*uintptr)(unsafe.Pointer(getfp())))
		}
		if now == 0 {
			now = g.QuickEpoch()
		}
		if site != 0 {
			switch {
			case !commute_record_On() && g.Memory.P().EasyRead(cell, now, 0, site, caller):
				return
			case !looked && cell.ReadAmong(now):
				return
			case g.Memory.P().QuickRead(cell, now, site, caller):
				if commute_record_On() {
					commute_recordQuick(gp, addr, 0, site, sp)
				}
				return
			}
		}
	}
	commute_access(gp, addr, 1, 0, pc, sp)
}

// racewrite comes before a write, as raceread before a read. A write is not covered by an earlier
// read.
//
//go:nosplit
func racewrite(addr uintptr) {
	if getg().racectx == 0 {
		return
	}
	cell := commute_datarace_CellOf(addr)
	if cell.Mapped() && cell.Wrote(commute_ctx(getg().racectx).EpochID()) {
		return
	}
	gp := getg() // here, as it is kept in the frame
	if !commute_tracked(gp, addr) {
		return
	}
	pc, sp := sys.GetCallerPC(), sys.GetCallerSP()
	g := commute_ctx(gp.racectx)
	now := g.EpochID()
	if f := g.Frames(); f != nil {
		off := uint32(gp.stack.hi - sp)
		site, caller := f.Quick(off, pc)
		if site == 0 && caller != 0 {
			site = f.Second(caller, pc)
		}
		looked := now == 0 // nothing is recorded at a new epoch
		if site == 0 {
			if !looked && cell.WroteAmong(now) {
				return
			}
			looked = true
			site, caller = commute_quickSite(gp, f, off, pc, *(*uintptr)(unsafe.Pointer(getfp())))
		}
		if now == 0 {
			now = g.QuickEpoch()
		}
		if site != 0 {
			easy := g.Memory.P().EasyWrite(cell, now, site, caller)
			if !easy && !looked && cell.WroteAmong(now) {
				return
			}
			if easy || g.Memory.P().QuickWrite(cell, now, site, caller) {
				if commute_record_On() {
					commute_recordQuick(gp, addr, 1, site, sp)
				}
				return
			}
		}
	}
	commute_access(gp, addr, 1, 1, pc, sp)
}

// racereadrange comes before a read of several bytes. Where the first of them repeats an access,
// those at the front that do are done with before a site is looked for: mostly these are all. Of
// the rest, those at the front that are easy are recorded here. A trace has each range as a whole.
//
//go:nosplit
func racereadrange(addr, size uintptr) {
	gp := getg()
	if gp.racectx == 0 || size == 0 || !commute_tracked(gp, addr) {
		return
	}
	g := commute_ctx(gp.racectx)
	cell, now, from, end := commute_datarace_CellOf(addr), g.EpochID(), addr, addr+size
	if cell.Wrote(now) || cell.ReadBefore(now) {
		if from = commute_datarace_NewFrom(now, addr, size, false); from == end {
			return
		}
	}
	pc, sp := sys.GetCallerPC(), sys.GetCallerSP()
	if f := g.Frames(); f != nil && !commute_record_On() {
		off := uint32(gp.stack.hi - sp)
		site, caller := f.Quick(off, pc)
		if site == 0 && caller != 0 {
			site = f.Second(caller, pc)
		}
		if site == 0 {
			site, caller = commute_quickSite(gp, f, off, pc, *(*uintptr)(unsafe.Pointer(getfp())))
		}
		if site != 0 {
			if now == 0 {
				now = g.QuickEpoch()
			}
			addr = g.Memory.P().QuickRange(from, end-from, now, 0, site, caller)
			if size = end - addr; size == 0 {
				return
			}
		}
	}
	commute_access(gp, addr, size, 0, pc, sp)
}

// racewriterange is racereadrange for a write.
//
//go:nosplit
func racewriterange(addr, size uintptr) {
	gp := getg()
	if gp.racectx == 0 || size == 0 || !commute_tracked(gp, addr) {
		return
	}
	g := commute_ctx(gp.racectx)
	cell, now, from, end := commute_datarace_CellOf(addr), g.EpochID(), addr, addr+size
	if cell.Wrote(now) {
		if from = commute_datarace_NewFrom(now, addr, size, true); from == end {
			return
		}
	}
	pc, sp := sys.GetCallerPC(), sys.GetCallerSP()
	if f := g.Frames(); f != nil && !commute_record_On() {
		off := uint32(gp.stack.hi - sp)
		site, caller := f.Quick(off, pc)
		if site == 0 && caller != 0 {
			site = f.Second(caller, pc)
		}
		if site == 0 {
			site, caller = commute_quickSite(gp, f, off, pc, *(*uintptr)(unsafe.Pointer(getfp())))
		}
		if site != 0 {
			if now == 0 {
				now = g.QuickEpoch()
			}
			addr = g.Memory.P().QuickRange(from, end-from, now, 1, site, caller)
			if size = end - addr; size == 0 {
				return
			}
		}
	}
	commute_access(gp, addr, size, 1, pc, sp)
}

// commute_tracked reports whether an access by gp, which is running, counts. It does not if it is
// to gp's own stack. Nor does it if gp is the system's goroutine of the thread, or hides what it
// does. A variable that other goroutines can reach is on the heap.
//
//go:nosplit
func commute_tracked(gp *g, addr uintptr) bool {
	return addr-gp.stack.lo >= gp.stack.hi-gp.stack.lo && gp == gp.m.curg && gp.raceignore == 0
}

// racefuncenter comes at the start of an instrumented function. The engine's frames know, for each
// instrumented function that is active, the distance of its frame from the end of the stack.
//
//go:nosplit
func racefuncenter(callerpc uintptr) {
	if getg().racectx == 0 {
		return
	}
	f := commute_ctx(getg().racectx).Frames()
	if f == nil {
		f = commute_newFrames()
	}
	f.Enter(uint32(getg().stack.hi - sys.GetCallerSP()))
}

// commute_newFrames makes the frames of a goroutine at its first instrumented function. It does so
// on the system stack, as that takes more stack than a hook may use.
//
//go:nosplit
func commute_newFrames() *commute_access_Frames {
	gp, mp := getg(), acquirem()
	var f *commute_access_Frames
	systemstack(func() { f = commute_ctx(gp.racectx).NewFrames() })
	releasem(mp)
	return f
}

// racefuncexit comes before an instrumented function returns.
//
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
