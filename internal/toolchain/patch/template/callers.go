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
	if node, by := f.Outer(0, off); by == 0 && node == 0 && commute_isFrame(gp, fp) {
		// Mostly it is the innermost one, and has been called by the one before it.
		outer := *(*uintptr)(unsafe.Pointer(fp))
		node, by := f.Outer(1, uint32(gp.stack.hi-commute_callerSP(fp)))
		if by == 0 && node != 0 && commute_isFrame(gp, outer) &&
			commute_datarace_PC(node) == *(*uintptr)(unsafe.Pointer(outer + goarch.PtrSize)) {
			node = f.Known(node, *(*uintptr)(unsafe.Pointer(fp + goarch.PtrSize)))
			if node != 0 {
				f.SetOuter(0, node)
			}
			return node
		}
	}
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

// commute_way is the way from the function that pc is in to the innermost instrumented function,
// for an access at pc by the function of the runtime that by stands for, or 0; and the node of the
// innermost one. What pc's function has called is at fp, or further out. The node is 0 if one of
// the two functions is not found, or its node is not known.
func commute_way(
	gp *g, f *commute_access_Frames, pc, by, fp uintptr,
) (way commute_access_Way, node uint32) {
	off, node := f.Innermost()
	inner := gp.stack.hi - uintptr(off) // the stack pointer of that function
	way = commute_access_Way(by).To(pc)
	for n := 0; *(*uintptr)(unsafe.Pointer(fp + goarch.PtrSize)) != pc; n++ {
		fp = *(*uintptr)(unsafe.Pointer(fp))
		if n == commute_access_MaxSteps || !commute_isFrame(gp, fp) {
			return way, 0
		}
	}
	for range commute_access_MaxSteps {
		sp := commute_callerSP(fp)
		fp = *(*uintptr)(unsafe.Pointer(fp))
		if sp > inner || !commute_isFrame(gp, fp) {
			return way, 0
		}
		ret := *(*uintptr)(unsafe.Pointer(fp + goarch.PtrSize))
		switch {
		case sp < inner:
			way = way.To(ret)
			continue
		case node == 0:
			return way, commute_quickNode(gp, f, fp, off)
		case commute_datarace_PC(node) == ret:
			return way, node
		}
		return way, 0 // an earlier function had this entry
	}
	return way, 0
}

// commute_announcedSite is the site of an access at pc that is announced. By is the function of the
// runtime that makes it for the one that pc is in, or 0. The site is known where the last access of
// its kind was made by the same way; a walk of the stack is rare.
func commute_announcedSite(
	gp *g, g *commute_engine_Goroutine, pc, by, fp uintptr,
) (site uint32) {
	f, way, node := g.Frames(), commute_access_Way(0), uint32(0)
	if !tracefpunwindoff() && !gp.m.hasCgoOnStack() {
		if way, node = commute_way(gp, f, pc, by, fp); node != 0 {
			if site = f.Announced(way, node); site != 0 {
				return site
			}
		}
	}
	site = f.Site(commute_callers(gp, g, fp, pc, false), pc)
	if by != 0 {
		site = f.Site(site, by+1)
	}
	if node != 0 && site != 0 {
		f.KeepAnnounced(way, node, site)
	}
	return site
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
