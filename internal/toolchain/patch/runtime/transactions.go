// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build commute_patch && commute_memory

package runtime

// Transactions: what code that is marked as atomic announces, and which synchronization counts for them.

import (
	"internal/goarch"
	"internal/runtime/sys"
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
	fp := getfp()
	if gp != getg() {
		fp = gp.sched.bp
	}
	mp := acquirem()
	if site, ok := commute_where(gp, fp, kind >= commute_engine_AtomicLoaded); ok {
		commute_ctx(gp.racectx).Contact(uintptr(addr), kind, site, gp.goid)
	}
	releasem(mp)
}

// commute_meeting is commute_contact for a send and a receive on an unbuffered channel: the current goroutine's, and
// gp's, which waits. The send comes before the receive; that the sender waits for the receiver makes no edge.
func commute_meeting(gp *g, addr unsafe.Pointer) {
	switch gp.waitreason {
	case waitReasonChanReceive:
		commute_contact(getg(), addr, commute_engine_Released)
		commute_contact(gp, addr, commute_engine_Acquired)
	case waitReasonChanSend:
		commute_contact(gp, addr, commute_engine_Released)
		commute_contact(getg(), addr, commute_engine_Acquired)
	}
}

// commute_where finds the call by a watched package of the library's function that announces an event: fp is the frame
// pointer of one that it calls. It reports false if it's not a watched package that calls.
func commute_where(gp *g, fp uintptr, atomic bool) (site uint32, ok bool) {
	g := commute_ctx(gp.racectx)
	f := g.Frames()
	if f == nil || tracefpunwindoff() || gp.m != nil && gp.m.hasCgoOnStack() {
		return 0, false
	}
	for range 16 {
		if !commute_isFrame(gp, fp) {
			return 0, false
		}
		ret := *(*uintptr)(unsafe.Pointer(fp + goarch.PtrSize))
		switch commute_layerOf(ret) {
		case layerRuntime:
		case layerSync:
			if atomic {
				return 0, false // a lock's own words
			}
		case layerAtomic:
			atomic = false
		case layerPool:
			return 0, false
		default:
			off := uint32(gp.stack.hi - commute_callerSP(fp))
			node, in := f.Seek(off)
			if !in {
				return 0, false
			}
			if node == 0 {
				node = commute_above(gp, *(*uintptr)(unsafe.Pointer(fp)))
			}
			return f.Site(node, ret), true
		}
		fp = *(*uintptr)(unsafe.Pointer(fp))
	}
	return 0, false
}

// commute_above is the node of what the function whose frame pointer is fp returns to.
func commute_above(gp *g, fp uintptr) uint32 {
	var pcs [commute_engine_MaxDepth]uintptr
	n := 0
	for ; n < len(pcs) && commute_isFrame(gp, fp); n++ {
		pcs[n] = *(*uintptr)(unsafe.Pointer(fp + goarch.PtrSize))
		fp = *(*uintptr)(unsafe.Pointer(fp))
	}
	node := uint32(0)
	for n--; n >= 0; n-- {
		node = commute_datarace_Context(node, pcs[n])
	}
	return node
}

// Layers of the library that announce events for who calls them.
const (
	layerOther = iota
	layerRuntime
	layerSync
	layerAtomic
	layerPool // events that are nobody's
)

// commute_layers remembers of return addresses which layer they are in: pc<<3 | layer.
var commute_layers [512]uint64

func commute_layerOf(pc uintptr) int {
	at := &commute_layers[pc>>1%uintptr(len(commute_layers))]
	if v := *at; v>>3 == uint64(pc) { // in one word, so that no two mix
		return int(v & 7)
	}
	layer := layerOther
	if f := findfunc(pc - sys.PCQuantum); f.valid() {
		layer = commute_layerNamed(funcname(f))
	}
	*at = uint64(pc)<<3 | uint64(layer)
	return layer
}

func commute_layerNamed(name string) int {
	for _, l := range [...]struct {
		prefix string
		layer  int
	}{
		{"runtime.", layerRuntime}, {"internal/race.", layerRuntime}, {"internal/runtime/", layerRuntime},
		{"sync/atomic.", layerAtomic}, {"sync.(*Pool)", layerPool}, {"sync.(*Map)", layerPool},
		{"sync.", layerSync}, {"internal/sync.", layerSync},
	} {
		if len(name) >= len(l.prefix) && name[:len(l.prefix)] == l.prefix {
			return l.layer
		}
	}
	return layerOther
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
