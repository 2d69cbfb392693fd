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
	node, ok := f.Outer(0, off)
	if !ok || node == 0 && (tracefpunwindoff() || gp.m.hasCgoOnStack()) {
		return 0, 0
	}
	if node == 0 {
		if node = commute_quickNode(gp, f, fp); node == 0 {
			return 0, 0
		}
	}
	if site = f.Known(node, pc); site == 0 {
		return 0, 0
	}
	return site, node
}

// commute_quickNode is the node of the innermost instrumented function, whose frame pointer is fp,
// and of those of its callers that have none yet. It's 0 if the next callers are not all
// instrumented, up to one whose node is known, or if one of the nodes is a new one.
//
//go:nosplit
func commute_quickNode(gp *g, f *commute_access_Frames, fp uintptr) uint32 {
	var pcs [3]uintptr
	for n := uint32(0); commute_isFrame(gp, fp); {
		pcs[n] = *(*uintptr)(unsafe.Pointer(fp + goarch.PtrSize))
		off := uint32(gp.stack.hi - commute_callerSP(fp))
		fp = *(*uintptr)(unsafe.Pointer(fp))
		n++
		node, ok := f.Outer(n, off)
		if !ok || !commute_isFrame(gp, fp) {
			return 0
		}
		if node == 0 {
			if n == uint32(len(pcs)) {
				return 0
			}
			continue
		}
		if commute_datarace_PC(node) != *(*uintptr)(unsafe.Pointer(fp + goarch.PtrSize)) {
			return 0 // of an earlier function at this offset
		}
		for n > 0 && node != 0 {
			n--
			if node = f.Known(node, pcs[n]); node != 0 {
				f.SetOuter(n, node)
			}
		}
		return node
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
		if !instrumented {
			if node := commute_nearCallers(gp, f, fp, off); node != 0 {
				return node
			}
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

// commute_nearCallers is the node of the return address of the function whose frame pointer is fp
// and whose frame ends at off. It's 0 if neither that nor one of its next callers is the
// instrumented function that was entered last.
func commute_nearCallers(gp *g, f *commute_access_Frames, fp uintptr, off uint32) uint32 {
	var pcs [3]uintptr
	for n := 0; commute_isFrame(gp, fp); n++ {
		ret := *(*uintptr)(unsafe.Pointer(fp + goarch.PtrSize))
		if node := f.CallerNode(off); node != 0 && commute_datarace_PC(node) == ret {
			for n--; n >= 0; n-- {
				node = f.Site(node, pcs[n])
			}
			return node
		}
		if n == len(pcs) {
			break
		}
		pcs[n] = ret
		off = uint32(gp.stack.hi - commute_callerSP(fp))
		fp = *(*uintptr)(unsafe.Pointer(fp))
	}
	return 0
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
	if node := commute_nearCallers(gp, g.Frames(), *(*uintptr)(unsafe.Pointer(fp)),
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
