// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build commute_patch

package runtime

// Which goroutines have a context, which events count, and where a specified method is called.

import (
	"internal/goarch"
	"unsafe"
)

// commute_ctx is the context that the handle racectx stands for, nil for 0. Contexts are off Go's
// heap, so the handle keeps nothing alive.
func commute_ctx(racectx uintptr) *commute_engine_Goroutine {
	return *(**commute_engine_Goroutine)(unsafe.Pointer(&racectx))
}

// commute_ignored reports whether an event at addr is ignored. It is if the context is none, or if
// the current goroutine hides its synchronization. It also is if addr is on its own stack, which no
// two goroutines share, or no address at all.
func commute_ignored(racectx uintptr, addr unsafe.Pointer) bool {
	gp := getg()
	return racectx == 0 || gp.raceignore != 0 ||
		uintptr(addr)-gp.stack.lo < gp.stack.hi-gp.stack.lo || uintptr(addr) < 4096
}

// commute_place is where the program calls a specified method: the return address, and the frame of
// the caller. The method has called the function whose frame pointer is fp, and which returns to pc
// with the stack pointer sp. It must not grow the stack while it has an address in there.
//
//go:nosplit
func commute_place(gp *g, fp, pc, sp uintptr) (at commute_commrace_Place) {
	if !framepointer_enabled {
		return commute_unwindPlace(gp, pc, gp.stack.hi-sp)
	}
	fp = *(*uintptr)(unsafe.Pointer(fp)) // the method's, which is Go, and has a frame
	at.Site = *(*uintptr)(unsafe.Pointer(fp + goarch.PtrSize))
	at.Frame = gp.stack.hi - *(*uintptr)(unsafe.Pointer(fp))
	return at
}

// commute_isFrame reports whether a frame pointer is one: within the stack, and aligned. Functions
// in assembly may have left anything there.
func commute_isFrame(gp *g, fp uintptr) bool {
	return fp-gp.stack.lo < gp.stack.hi-gp.stack.lo-2*goarch.PtrSize && fp%goarch.PtrSize == 0
}

// commute_unwindPlace is commute_place for ports without frame pointers, where the linker's tables
// have the sizes of frames. pc is in the method. Its frame begins that far from the end of the
// stack, and ends where the caller's begins. An activation of a Go function has the same stack
// pointer at each of its calls. So that place identifies the activation.
func commute_unwindPlace(gp *g, pc, begin uintptr) (at commute_commrace_Place) {
	f := findfunc(pc)
	if !f.valid() {
		return at
	}
	size := uintptr(funcspdelta(f, pc))
	if usesLR {
		// The method makes a call, so it has saved its return address there.
		at.Site = *(*uintptr)(unsafe.Pointer(gp.stack.hi - begin))
	} else {
		at.Site = *(*uintptr)(unsafe.Pointer(gp.stack.hi - begin + size))
		size += goarch.PtrSize
	}
	at.Frame = begin - size
	return at
}

// commute_mainStarted is set once the first goroutine has its context. It is written before there
// is a second thread.
var commute_mainStarted bool

// commute_goKinds remembers of go statements, by their pc, whether they are the runtime's own: 1 if
// so. Finding that out means comparing names.
var commute_goKinds [64]commute_source_PCNumber

// commute_internal reports whether the go statement at pc starts a goroutine that only works for
// the runtime. It has no context then, as its synchronization isn't the program's. Finalizers and
// cleanups run the program's functions.
func commute_internal(pc uintptr) bool {
	at := &commute_goKinds[pc>>2%uintptr(len(commute_goKinds))]
	kind, ok := at.Get(pc)
	if !ok {
		kind = commute_goKind(pc)
		at.Put(pc, kind)
	}
	return kind == 1
}

// commute_goKind is what commute_goKinds remembers of a go statement.
func commute_goKind(pc uintptr) int {
	if f := findfunc(pc); f.valid() {
		name := funcname(f)
		switch name {
		case "runtime.createfing", "runtime.(*cleanupQueue).createGs", "runtime.newextram":
		default:
			if len(name) > 8 && name[:8] == "runtime." {
				return 1
			}
		}
	}
	return 0
}

// commute_starts remembers of functions that goroutines start with, by their pc, that they are none
// of package runtime: 1.
var commute_starts [64]commute_source_PCNumber

func commute_startAt(pc uintptr) *commute_source_PCNumber {
	return &commute_starts[pc>>4%uintptr(len(commute_starts))]
}

// commute_ordinary reports that a goroutine that starts at pc is remembered as not the runtime's.
func commute_ordinary(pc uintptr) bool {
	kind, ok := commute_startAt(pc).Get(pc)
	return ok && kind == 1
}

// commute_noteStart notes the name of the function at pc.
func commute_noteStart(pc uintptr, name string) {
	if len(name) < 8 || name[:8] != "runtime." {
		commute_startAt(pc).Put(pc, 1)
	}
}
