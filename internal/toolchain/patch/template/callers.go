// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build commute_patch && commute_memory

package runtime

// Callers: the contexts of accesses and allocations, found by frame pointers.
//
// A node stands for a return address and its callers. The engine's frames have the node of each
// instrumented function that is active, once it was needed. So a walk of the stack ends at the
// first frame whose node is known.

import (
	"internal/goarch"
	"unsafe"
)

// commute_quickSite is the site of an access at pc in the instrumented function whose frame ends at
// off and whose frame pointer is fp, and that function's node; both 0 if that takes more. It serves
// where a function makes its first access, or the goroutine has come to more sites than it
// remembers.
//
//go:nosplit
func commute_quickSite(
	gp *g, f *commute_access_Frames, off uint32, pc, fp uintptr,
) (site, node uint32) {
	node, by := f.Outer(0, off)
	if by != 0 || node == 0 && (tracefpunwindoff() || gp.m.hasCgoOnStack()) {
		return 0, 0
	}
	if node == 0 {
		if node = commute_quickNode(gp, f, fp, off); node == 0 {
			return 0, 0
		}
	}
	if site = f.Known(node, pc); site == 0 {
		return 0, 0
	}
	return site, node
}

// commute_quickNode is the node of the return address of the function whose frame pointer is fp and
// whose frame ends at off. Those of the instrumented ones among its callers, and its own if it is
// one, are noted. It's 0 if none of the next few is an instrumented function whose node is known,
// or if one of the nodes is a new one.
//
//go:nosplit
func commute_quickNode(gp *g, f *commute_access_Frames, fp uintptr, off uint32) uint32 {
	var pcs [5]uintptr   // the return addresses that were met
	entered := uint32(0) // the bits of those of functions with an entry in f
	n, outer := 0, uint32(0)
	for commute_isFrame(gp, fp) {
		ret := *(*uintptr)(unsafe.Pointer(fp + goarch.PtrSize))
		node, by := f.Outer(outer, off)
		switch {
		case by < 0:
			return 0 // the entry of a function that a panic has ended
		case by == 0 && node != 0:
			if commute_datarace_PC(node) != ret {
				return 0 // of an earlier function at this offset
			}
			for n > 0 && node != 0 {
				n--
				node = f.Known(node, pcs[n])
				if entered>>n&1 != 0 && node != 0 {
					outer--
					f.SetOuter(outer, node)
				}
			}
			return node
		case n == len(pcs):
			return 0
		case by == 0:
			entered |= 1 << n
			outer++
		}
		pcs[n] = ret
		n++
		off = uint32(gp.stack.hi - commute_callerSP(fp))
		fp = *(*uintptr)(unsafe.Pointer(fp))
	}
	return 0
}

// commute_callers is the node of the return address of the function that pc is in. That is one of
// the functions that fp's function returns to, among the next 16. For an instrumented function the
// node of its frame is taken; for any other, a frame at that place may have been another
// function's.
func commute_callers(gp *g, g *commute_engine_Goroutine, fp, pc uintptr, instrumented bool) uint32 {
	if tracefpunwindoff() || gp.m.hasCgoOnStack() {
		return commute_callersSlow(gp, g, pc)
	}
	for range 16 {
		ret := *(*uintptr)(unsafe.Pointer(fp + goarch.PtrSize))
		sp := commute_callerSP(fp)
		fp = *(*uintptr)(unsafe.Pointer(fp))
		if !commute_isFrame(gp, fp) {
			return 0
		}
		if ret != pc {
			continue
		}
		f, off := g.Frames(), uint32(gp.stack.hi-sp)
		if instrumented { // else what is known of a frame there may be another function's
			if node := f.CallerNode(off); node != 0 {
				return node
			}
		}
		if node := commute_quickNode(gp, f, fp, off); node != 0 {
			return node
		}
		w := f.Walk(off, instrumented)
		for commute_isFrame(gp, fp) {
			ret := *(*uintptr)(unsafe.Pointer(fp + goarch.PtrSize))
			if w.Up(ret, uint32(gp.stack.hi-commute_callerSP(fp))) {
				break
			}
			fp = *(*uintptr)(unsafe.Pointer(fp))
		}
		return w.End()
	}
	return 0
}

// commute_wayFrom is the first steps of the way to an access from fp's function on, for the
// function of the runtime that makes it; and the frame pointer of the next one.
func commute_wayFrom(gp *g, by, fp uintptr) (way commute_access_Way, next uintptr) {
	way = commute_access_Way(by)
	for range commute_access_FirstSteps {
		if !commute_isFrame(gp, fp) {
			break
		}
		way = way.To(*(*uintptr)(unsafe.Pointer(fp + goarch.PtrSize)))
		fp = *(*uintptr)(unsafe.Pointer(fp))
	}
	return way, fp
}

// commute_announcedSite is the site of an access that is announced, where the last one of its kind
// was made by the same way; else 0. That one's first steps are given, and the frame pointer after
// them.
func commute_announcedSite(
	gp *g, f *commute_access_Frames, pc uintptr, first commute_access_Way, fp, next uintptr,
) uint32 {
	at := uint32(gp.stack.hi - fp)
	site, more := f.Announced(pc, first, at)
	if more == 0 {
		return site
	}
	way := first
	for range more {
		if !commute_isFrame(gp, next) {
			return 0
		}
		way = way.To(*(*uintptr)(unsafe.Pointer(next + goarch.PtrSize)))
		next = *(*uintptr)(unsafe.Pointer(next))
	}
	return f.AnnouncedBy(pc, first, at, way)
}

// commute_keepAnnounced notes a site for commute_announcedSite. Fresh is how many of the innermost
// instrumented functions had no node before.
func commute_keepAnnounced(
	gp *g, f *commute_access_Frames, pc uintptr, first commute_access_Way, fp uintptr,
	fresh, site uint32,
) {
	var k commute_access_Keeper
	if tracefpunwindoff() || gp.m.hasCgoOnStack() ||
		!f.Keep(&k, pc, first, uint32(gp.stack.hi-fp), fresh, site) {
		return
	}
	off := uint32(0) // where the frame of fp's function ends; the hook is no instrumented one
	for commute_isFrame(gp, fp) && !k.Up(off, *(*uintptr)(unsafe.Pointer(fp + goarch.PtrSize))) {
		off = uint32(gp.stack.hi - commute_callerSP(fp))
		fp = *(*uintptr)(unsafe.Pointer(fp))
	}
}

// commute_recovered is called when a panic of gp was recovered, or when Goexit goes on with the
// deferred calls. Gp continues in the function whose stack pointer is sp.
func commute_recovered(gp *g, sp uintptr) {
	if gp.racectx == 0 {
		return
	}
	if f := commute_ctx(gp.racectx).Frames(); f != nil {
		f.Recovered(uint32(gp.stack.hi - sp))
	}
}

// commute_callerSP is the stack pointer of the caller of the function whose frame pointer is fp. On
// arm64 a frame pointer is one word below its function's frame. Elsewhere it's below the return
// address, which the caller's frame ends with.
func commute_callerSP(fp uintptr) uintptr {
	if GOARCH == "arm64" {
		return *(*uintptr)(unsafe.Pointer(fp)) + goarch.PtrSize
	}
	return fp + 2*goarch.PtrSize
}

// commute_callersSlow is commute_callers by the tables of the linker, where frame pointers are
// missing.
func commute_callersSlow(gp *g, g *commute_engine_Goroutine, pc uintptr) uint32 {
	w := g.Frames().WalkAll()
	systemstack(func() {
		called := false // pc has been met
		var u unwinder
		for u.init(gp, unwindSilentErrors); u.valid(); u.next() {
			if called && w.Up(u.frame.pc, 0) {
				break
			}
			called = called || u.frame.pc == pc
		}
	})
	return w.End()
}

// commute_allocator is the node of the place where the program calls the runtime for memory.
// mallocgc calls fp's function. Without frame pointers it's 0: allocations are too many for a slow
// walk.
func commute_allocator(gp *g, g *commute_engine_Goroutine, fp uintptr) uint32 {
	if tracefpunwindoff() || gp.m.hasCgoOnStack() {
		return 0 // it would take too long
	}
	fp = *(*uintptr)(unsafe.Pointer(fp)) // mallocgc's
	off := uint32(gp.stack.hi - commute_callerSP(fp))
	if node := commute_quickNode(gp, g.Frames(), *(*uintptr)(unsafe.Pointer(fp)),
		off); node != 0 {
		return node
	}
	w := g.Frames().Walk(uint32(gp.stack.hi-fp), false)
	for commute_isFrame(gp, fp) {
		if w.Up(*(*uintptr)(unsafe.Pointer(fp + goarch.PtrSize)),
			uint32(gp.stack.hi-commute_callerSP(fp))) {
			break
		}
		fp = *(*uintptr)(unsafe.Pointer(fp))
	}
	return w.End()
}
