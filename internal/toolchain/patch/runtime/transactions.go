// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build commute_patch && commute_memory

package runtime

// Transactions: what code that is marked as atomic announces, and which synchronization counts for them.

import (
	"internal/goarch"
	"unsafe"
)

// commute_atomicBegin comes at the start of a function or block that is marked.
//
//go:linkname commute_atomicBegin
func commute_atomicBegin(t *commute_engine_Transaction, p *commute_atomicity_Place) {
	gp := getg()
	mp := acquirem()
	commute_ctx(gp.racectx).BeginAtomic(t, p)
	releasem(mp)
}

// commute_atomicEnd comes at its end, however it ends.
//
//go:linkname commute_atomicEnd
func commute_atomicEnd(t *commute_engine_Transaction) {
	gp := getg()
	mp := acquirem()
	commute_ctx(gp.racectx).EndAtomic(t)
	releasem(mp)
}

// commute_contact tells of an event of gp at an address, if transactions run and a watched package makes it. gp is the
// current goroutine, or one that is parked.
func commute_contact(gp *g, addr unsafe.Pointer, kind int) {
	if !commute_atomicity_Running() {
		return
	}
	mp := acquirem()
	g := commute_ctx(gp.racectx)
	told := false
	if g.Concerned(uintptr(addr), kind) {
		var site uint32
		if site, told = commute_where(gp, kind >= commute_engine_AtomicLoaded); told {
			g.Contact(uintptr(addr), kind, site, gp.goid)
		}
	}
	if !told {
		g.Forget(uintptr(addr), kind)
	}
	releasem(mp)
}

// commute_meeting is commute_contact for a send and a receive on an unbuffered channel: the current goroutine's, and
// gp's, which waits. The send comes before the receive; that the sender waits for the receiver makes no edge.
func commute_meeting(gp *g, addr unsafe.Pointer) {
	switch gp.waitreason {
	case waitReasonChanReceive:
		commute_recordSync(getg(), addr, commute_engine_Released)
		commute_recordSync(gp, addr, commute_engine_Acquired)
		commute_contact(getg(), addr, commute_engine_Released)
		commute_contact(gp, addr, commute_engine_Acquired)
	case waitReasonChanSend:
		commute_recordSync(gp, addr, commute_engine_Released)
		commute_recordSync(getg(), addr, commute_engine_Acquired)
		commute_contact(gp, addr, commute_engine_Released)
		commute_contact(getg(), addr, commute_engine_Acquired)
	}
}

// commute_where finds the call by a watched package of the library's function that announces an event. It
// reports false if it's not a watched package that calls. As the stack may be moved by any call, frames are kept as
// distances from its end. gp is the current goroutine, or parked.
func commute_where(gp *g, atomic bool) (site uint32, ok bool) {
	at := gp.stack.hi - gp.sched.bp
	if gp == getg() {
		at = gp.stack.hi - getfp()
	}
	f := commute_ctx(gp.racectx).Frames()
	if f == nil || tracefpunwindoff() || gp.m != nil && gp.m.hasCgoOnStack() {
		return 0, false
	}
	for range 16 {
		if !commute_isFrame(gp, gp.stack.hi-at) {
			return 0, false
		}
		ret := *(*uintptr)(unsafe.Pointer(gp.stack.hi - at + goarch.PtrSize))
		switch commute_engine_LayerOf(ret) {
		case commute_engine_LayerRuntime, commute_engine_LayerAtomic:
		case commute_engine_LayerSync:
			if atomic {
				return 0, false // a lock's own words
			}
		case commute_engine_LayerWatched:
			off := uint32(gp.stack.hi - commute_callerSP(gp.stack.hi-at))
			node, in := f.Seek(off)
			if !in {
				return 0, false
			}
			if node == 0 {
				node = commute_above(gp, at)
			}
			return f.Site(node, ret), true
		default:
			return 0, false
		}
		at = gp.stack.hi - *(*uintptr)(unsafe.Pointer(gp.stack.hi - at))
	}
	return 0, false
}

// commute_above is the node of what the caller returns to of the function whose frame pointer is that far from the stack's
// end.
func commute_above(gp *g, at uintptr) uint32 {
	var pcs [commute_engine_MaxDepth]uintptr
	n := 0
	for fp := *(*uintptr)(unsafe.Pointer(gp.stack.hi - at)); n < len(pcs) && commute_isFrame(gp, fp); n++ {
		pcs[n] = *(*uintptr)(unsafe.Pointer(fp + goarch.PtrSize))
		fp = *(*uintptr)(unsafe.Pointer(fp))
	}
	node := uint32(0)
	for n--; n >= 0; n-- {
		node = commute_datarace_Context(node, pcs[n])
	}
	return node
}

// commute_modelled has an access by internal/race that stands for what a type promises, and is no conflict.
func commute_modelled(addr unsafe.Pointer, kind int, callerpc, pc uintptr) {
	ctx := getg().racectx
	if ctx == 0 {
		return
	}
	x := commute_ctx(ctx).Atomicity()
	was := x.Hidden
	x.Hidden = true
	commute_accessBy(addr, 1, kind, callerpc, pc)
	x.Hidden = was
}
