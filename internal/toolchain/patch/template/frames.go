// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build commute_patch

package runtime

// Stacks and positions: what package host promises of them. Nothing here allocates, but for the
// names of generic functions in commute_host_FrameAt.

import (
	"internal/abi"
	"internal/goarch"
	"internal/runtime/atomic"
	"unsafe"
)

// Walks to the outer end of deep stacks take time for each frame. In a recursion that calls at
// each depth, that would be the square of the depth. So walks may pass commute_walkFrames in the
// middle of stacks altogether; later ones pass no more than commute_walkLimit each.
const (
	commute_walkFrames = 1 << 24 // a tenth of a second
	commute_walkLimit  = 1 << 10
)

// commute_walked is how many frames deep walks have passed.
var commute_walked atomic.Int64

func commute_host_Callers(buf []uintptr, outer int) (n, elided int) {
	return commute_stack(getg(), buf, outer)
}

// commute_stack stores the return addresses of gp's physical frames, innermost first, and returns
// their number. If buf has too little room its last outer places are for the outermost frames,
// before which elided ones are left out. gp is the current goroutine, or the one that the current
// system stack works for. If the walk ends before the outermost frames, those are not among the n,
// and elided is commute_walkLimit.
//
// The frames on the outside are in a ring while the walk lasts: how many there are isn't known
// before.
func commute_stack(gp *g, buf []uintptr, outer int) (n, elided int) {
	if tracefpunwindoff() || gp.m.hasCgoOnStack() {
		return commute_unwind(gp, buf, outer)
	}
	fp := gp.sched.bp
	if gp == getg() {
		fp = getfp()
	}
	for ; n < len(buf) && fp != 0; n++ {
		buf[n] = *(*uintptr)(unsafe.Pointer(fp + goarch.PtrSize))
		fp = *(*uintptr)(unsafe.Pointer(fp))
	}
	if fp == 0 || outer == 0 {
		return n, 0
	}
	last, room := buf[len(buf)-outer:], commute_walkRoom()
	for ; fp != 0; elided++ {
		if elided == room {
			return len(buf) - outer, elided
		}
		last[elided%outer] = *(*uintptr)(unsafe.Pointer(fp + goarch.PtrSize))
		fp = *(*uintptr)(unsafe.Pointer(fp))
	}
	commute_noteWalk(elided)
	commute_rotate(last, elided%outer)
	return n, elided
}

// commute_walkRoom is how many frames a walk may pass before it ends without the outermost ones.
func commute_walkRoom() int {
	if commute_walked.Load() > commute_walkFrames {
		return commute_walkLimit
	}
	return int(^uint(0) >> 1)
}

// commute_noteWalk counts a walk that has passed so many frames, if it's a deep one.
func commute_noteWalk(passed int) {
	if passed > commute_walkLimit {
		commute_walked.Add(int64(passed))
	}
}

func commute_host_CallersFrom(buf []uintptr, frame, ret uintptr) (n int) {
	gp := getg()
	if tracefpunwindoff() || gp.m.hasCgoOnStack() {
		return 0
	}
	fp := getfp()
	for gp.stack.hi-fp != frame {
		if fp = *(*uintptr)(unsafe.Pointer(fp)); !commute_isFrame(gp, fp) || gp.stack.hi-fp < frame {
			return 0
		}
	}
	if *(*uintptr)(unsafe.Pointer(fp + goarch.PtrSize)) != ret {
		return 0
	}
	for fp = *(*uintptr)(unsafe.Pointer(fp)); n < len(buf) && fp != 0; n++ {
		buf[n] = *(*uintptr)(unsafe.Pointer(fp + goarch.PtrSize))
		fp = *(*uintptr)(unsafe.Pointer(fp))
	}
	return n
}

// commute_rotate moves the element at i to the front, and those before it to the end: two halves
// are reversed, and then the whole.
func commute_rotate(s []uintptr, i int) {
	for _, part := range [...][]uintptr{s[:i], s[i:], s} {
		for a, b := 0, len(part)-1; a < b; a, b = a+1, b-1 {
			part[a], part[b] = part[b], part[a]
		}
	}
}

// commute_unwind is commute_stack by the tables of the linker. It serves ports without frame
// pointers, and stacks with frames of C.
func commute_unwind(gp *g, buf []uintptr, outer int) (n, elided int) {
	room, cut := commute_walkRoom(), false
	systemstack(func() {
		var u unwinder
		for u.init(gp, unwindSilentErrors); u.valid(); u.next() {
			switch {
			case n < len(buf):
				buf[n] = u.frame.pc
				n++
			case outer == 0:
				return
			case elided == room:
				cut = true
				return
			default:
				buf[len(buf)-outer+elided%outer] = u.frame.pc
				elided++
			}
		}
	})
	if cut {
		return len(buf) - outer, elided
	}
	commute_noteWalk(elided)
	if elided > 0 {
		commute_rotate(buf[len(buf)-outer:], elided%outer)
	}
	return n, elided
}

// commute_host_FrameAt gives the i-th frame at pc, as a stack trace shows it: wrappers that were
// inlined are left out.
func commute_host_FrameAt(pc uintptr, i int) (f commute_host_Frame, ok bool) {
	fi := findfunc(pc)
	if !fi.valid() {
		return f, false
	}
	at := pc
	if pc > fi.entry() {
		pc-- // a return address: the call is before it
	}
	u, uf := newInlineUnwinder(fi, pc)
	for ; uf.valid(); uf = u.next(uf) {
		sf := u.srcFunc(uf)
		if sf.funcID == abi.FuncIDWrapper && u.isInlined(uf) {
			continue
		}
		if i > 0 {
			i--
			continue
		}
		file, line := u.fileLine(uf)
		return commute_host_Frame{Func: commute_text_PrintedName(sf.name()), File: file, Line: line,
			Offset: at - fi.entry()}, true
	}
	return f, false
}

// commute_host_NameAt is the name of the i-th function at pc, wrappers included. It allocates
// nothing.
func commute_host_NameAt(pc uintptr, i int) (name string, ok bool) {
	name, _, _, ok = commute_host_PlaceAt(pc, i)
	return name, ok
}

// commute_host_PlaceAt gives the name and position of the i-th function at pc. It allocates
// nothing.
func commute_host_PlaceAt(pc uintptr, i int) (name, file string, line int, ok bool) {
	fi := findfunc(pc)
	if !fi.valid() {
		return "", "", 0, false
	}
	if pc > fi.entry() {
		pc--
	}
	u, uf := newInlineUnwinder(fi, pc)
	for ; uf.valid(); uf = u.next(uf) {
		if i == 0 {
			file, line = u.fileLine(uf)
			return u.srcFunc(uf).name(), file, line, true
		}
		i--
	}
	return "", "", 0, false
}

// commute_host_Frame is host.Frame.
type commute_host_Frame struct {
	Func, File string
	Line       int
	Offset     uintptr
}
