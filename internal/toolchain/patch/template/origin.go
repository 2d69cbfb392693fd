// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build commute_patch

package runtime

// The stacks of go statements.

import (
	"internal/goarch"
	"unsafe"
)

// commute_origin is the stack of gp, which executes a go statement. The current system stack mostly
// works for gp, and the stack is the one that the go statement had last.
func commute_origin(gp *g) *commute_stack_Stack {
	fp := gp.sched.bp
	if fp == 0 || gp == getg() || tracefpunwindoff() || gp.m.hasCgoOnStack() {
		return commute_newOrigin(gp)
	}
	inner, outer := *(*uintptr)(unsafe.Pointer(fp + goarch.PtrSize)), uintptr(0)
	if next := *(*uintptr)(unsafe.Pointer(fp)); next != 0 {
		outer = *(*uintptr)(unsafe.Pointer(next + goarch.PtrSize))
	}
	at := commute_stack_Latest(inner, outer)
	s := at.Load()
	if !s.Whole() || !commute_hasFrames(fp, s) {
		s = commute_newOrigin(gp)
		at.Store(s)
	}
	return s
}

// commute_hasFrames reports whether the return addresses from the frame pointer fp on, up to the
// outermost frame, are those of a stack.
func commute_hasFrames(fp uintptr, s *commute_stack_Stack) bool {
	for _, pc := range s.Frames() {
		if fp == 0 || *(*uintptr)(unsafe.Pointer(fp + goarch.PtrSize)) != pc {
			return false
		}
		fp = *(*uintptr)(unsafe.Pointer(fp))
	}
	return fp == 0
}

// commute_newOrigin is commute_origin where it isn't known what the last stack was. Most stacks are
// short, and a buffer for a long one takes time to clear.
//
//go:noinline
func commute_newOrigin(gp *g) *commute_stack_Stack {
	var pcs [16]uintptr
	if n, _ := commute_stack(gp, pcs[:], 0); n < len(pcs) {
		return commute_stack_All.Put(pcs[:n], 0)
	}
	return commute_deepOrigin(gp)
}

// commute_deepOrigin is commute_newOrigin where the stack is not short.
//
//go:noinline
func commute_deepOrigin(gp *g) *commute_stack_Stack {
	var pcs [commute_stack_MaxDepth + commute_stack_Outermost]uintptr
	n, elided := commute_stack(gp, pcs[:], commute_stack_Outermost)
	return commute_stack_All.Put(pcs[:n], elided)
}
