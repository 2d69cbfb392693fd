// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build commute_patch && commute_memory

package runtime

// Transactions: what code that is marked as atomic announces, and which synchronization conflicts
// with them.

import (
	"internal/goarch"
	"unsafe"
)

// commute_atomicBegin comes at the start of a function or block that is marked. t is in the
// caller's frame until commute_atomicEnd.
//
//go:linkname commute_atomicBegin
func commute_atomicBegin(t *commute_txn_Transaction, p *commute_atomicity_AtomicCode) {
	gp := getg()
	mp := acquirem()
	commute_ctx(gp.racectx).BeginAtomic(t, p)
	releasem(mp)
	if commute_exploring {
		commute_exploreTransaction(1, true)
	}
}

// commute_atomicEnd comes at its end, however it ends: the call is deferred.
//
//go:linkname commute_atomicEnd
func commute_atomicEnd(t *commute_txn_Transaction) {
	gp := getg()
	mp := acquirem()
	commute_ctx(gp.racectx).EndAtomic(t)
	releasem(mp)
	if commute_exploring {
		commute_exploreTransaction(-1, true)
	}
	if commute_finding_Halting() {
		commute_halt()
	}
}

// commute_atomicFresh reports whether the current goroutine is in a transaction that has made no
// event yet. It comes at the start of a function that may look again.
//
//go:linkname commute_atomicFresh
func commute_atomicFresh() (fresh bool) {
	gp := getg()
	if gp.racectx == 0 {
		return false
	}
	mp := acquirem()
	fresh = commute_ctx(gp.racectx).Fresh()
	releasem(mp)
	return fresh
}

// commute_atomicAgain comes where such a function looks again: its transaction begins anew.
//
//go:linkname commute_atomicAgain
func commute_atomicAgain() {
	gp := getg()
	if gp.racectx == 0 {
		return
	}
	mp := acquirem()
	commute_ctx(gp.racectx).Again()
	releasem(mp)
	if commute_finding_Halting() {
		commute_halt()
	}
}

// commute_atomicLeaveOut comes before and after code that only counts, with true and with false.
//
//go:linkname commute_atomicLeaveOut
func commute_atomicLeaveOut(out bool) {
	gp := getg()
	if gp.racectx == 0 {
		return
	}
	mp := acquirem()
	commute_ctx(gp.racectx).LeaveOut(out)
	releasem(mp)
}

// commute_atomicCall comes before a call of f by package commutetest, which is to be a transaction.
// Its name and position are those of the code at f's entry.
//
//go:linkname commute_atomicCall
func commute_atomicCall(t *commute_txn_Transaction, f func()) {
	gp := getg()
	if f == nil {
		return // the call panics
	}
	entry := **(**uintptr)(unsafe.Pointer(&f))
	mp := acquirem()
	commute_ctx(gp.racectx).BeginFunction(t, entry)
	releasem(mp)
}

// commute_follow puts an event of gp at an address into the trace, and into the conflicts of
// transactions.
func commute_follow(gp *g, addr unsafe.Pointer, k commute_event_Kind) {
	if commute_record_On() || commute_instance_Transactions.Running() {
		commute_followOn(gp, addr, k)
	}
}

// commute_followOn is commute_follow where there is a trace, or a transaction. It is apart, so that
// the other one is inlined.
//
//go:noinline
func commute_followOn(gp *g, addr unsafe.Pointer, k commute_event_Kind) {
	commute_recordSync(gp, addr, k)
	if !k.Library() {
		commute_conflict(gp, addr, k)
	}
}

// commute_conflict hands an event of gp at an address to the transactions, if any run and a watched
// package makes it. gp is the current goroutine, or one that is parked.
func commute_conflict(gp *g, addr unsafe.Pointer, k commute_event_Kind) {
	if commute_instance_Transactions.Running() {
		mp := acquirem()
		if site, ok := commute_conflictSite(gp, addr, k); ok {
			commute_ctx(gp.racectx).SyncEvent(uintptr(addr), k, site, gp.goid)
		}
		releasem(mp)
	}
}

// commute_conflictSite finds out whether an event counts for transactions, and its site. The engine
// is asked first, as finding the site means a walk of the stack. If the event doesn't count, the
// engine forgets what was released at the address before. A later acquire takes up this event, and
// not the earlier ones.
func commute_conflictSite(gp *g, addr unsafe.Pointer, k commute_event_Kind) (site uint32, ok bool) {
	g := commute_ctx(gp.racectx)
	if g.MayConflict(uintptr(addr), k) {
		at := gp.stack.hi - gp.sched.bp
		if gp == getg() {
			at = gp.stack.hi - getfp()
		}
		site, ok = commute_syncSite(gp, at, k.Atomic())
	}
	if !ok {
		g.ForgetHistory(uintptr(addr), k)
	}
	return site, ok
}

// commute_atomicConflict is commute_conflict for an atomic operation of the current goroutine. The
// operation is not made in the hook. So another one could come in between, and conflicts would be
// drawn the wrong way round. If the operation counts it therefore fixes the order: until
// commute_atomicMade, no other operation that counts takes effect at an address with the same lock.
func commute_atomicConflict(addr unsafe.Pointer, k commute_event_Kind) (fixed bool) {
	if !commute_instance_Transactions.Running() {
		return false
	}
	gp := getg()
	if commute_ignored(gp.racectx, addr) {
		return false
	}
	mp := acquirem()
	site, ok := commute_conflictSite(gp, addr, k)
	if !ok {
		releasem(mp)
		return false
	}
	commute_atomicLock(addr).Lock()
	commute_ctx(gp.racectx).SyncEvent(uintptr(addr), k, site, gp.goid)
	return true // and it is not stopped before the operation is made
}

// commute_atomicUnfix comes after an operation whose order commute_atomicConflict has fixed.
func commute_atomicUnfix(addr unsafe.Pointer) {
	commute_atomicLock(addr).Unlock()
	releasem(getg().m)
}

// commute_atomicLocks are the locks that fix the order of atomic operations. Several addresses
// share one lock; each lock has a line of the cache for itself.
var commute_atomicLocks [256]struct {
	lock commute_offheap_Lock
	_    [60]byte
}

// commute_atomicLock is the lock for addr. The hash drops the two low bits, which are 0, and
// spreads neighbours.
func commute_atomicLock(addr unsafe.Pointer) *commute_offheap_Lock {
	hash := uintptr(addr) >> 2 * 0x9E3779B1 >> 8
	return &commute_atomicLocks[hash%uintptr(len(commute_atomicLocks))].lock
}

// commute_followRendezvous is commute_follow for a send and a receive on an unbuffered channel:
// that of the current goroutine, and that of gp, which waits. The send comes before the receive.
// That the sender waits for the receiver makes no edge: no value goes that way.
func commute_followRendezvous(gp *g, addr unsafe.Pointer) {
	if !commute_instance_Transactions.Running() && !commute_record_On() {
		return
	}
	sends := false
	switch gp.waitreason {
	case waitReasonChanSend, waitReasonSynctestChanSend:
	case waitReasonChanReceive, waitReasonSynctestChanReceive:
		sends = true
	default: // gp is in a select: the function of the current goroutine says which way it goes
		switch commute_innermost("runtime.send", "runtime.recv") {
		case 0:
			sends = true
		case -1:
			return
		}
	}
	from, to := gp, getg()
	if sends {
		from, to = to, from
	}
	commute_chosen(gp)
	commute_followPassing(from, addr, commute_event_Release)
	commute_followPassing(to, addr, commute_event_Acquire)
}

// commute_chosen records of a meeting with gp, which waits, that both goroutines are in a select,
// or that it isn't known: then it depends on other channels, too, whether they can meet. A
// goroutine that can do nothing else comes first, and waits.
func commute_chosen(gp *g) {
	switch gp.waitreason {
	case waitReasonChanSend, waitReasonChanReceive, waitReasonSynctestChanSend,
		waitReasonSynctestChanReceive:
		return
	}
	if commute_record_On() && commute_innermost("runtime.chansend1", "runtime.chanrecv1",
		"runtime.chanrecv2") < 0 {
		mp := acquirem()
		commute_ctx(getg().racectx).MeetAnywhere(commute_ctx(gp.racectx))
		releasem(mp)
	}
}

// commute_followPassing is commute_follow for gp's part of a meeting. To the prediction, only the
// meeting orders the two goroutines.
func commute_followPassing(gp *g, addr unsafe.Pointer, k commute_event_Kind) {
	if commute_record_On() && !commute_ignored(gp.racectx, addr) {
		mp := acquirem()
		commute_ctx(gp.racectx).RecordPassing()
		releasem(mp)
	}
	commute_follow(gp, addr, k)
}

// commute_innermost tells in which of some functions the current goroutine is: the index of the
// innermost one, or -1 for none. The walk ends after eight frames.
func commute_innermost(names ...string) int {
	gp := getg()
	at := gp.stack.hi - getfp()
	for range 8 {
		if tracefpunwindoff() || !commute_isFrame(gp, gp.stack.hi-at) {
			break
		}
		ret := *(*uintptr)(unsafe.Pointer(gp.stack.hi - at + goarch.PtrSize))
		for i := 0; ; i++ {
			name, ok := commute_host_NameAt(ret, i)
			if !ok {
				break
			}
			for k := range names {
				if name == names[k] {
					return k
				}
			}
		}
		at = gp.stack.hi - *(*uintptr)(unsafe.Pointer(gp.stack.hi - at))
	}
	return -1
}

// commute_syncSite finds the call by a watched package of the library's function that announces an
// event. It returns the site in that function, and false if it's another package that calls.
//
// As any call may move the stack, frames are kept as distances from its end. at is that of the
// innermost function that is looked at. gp is the current goroutine, or parked. The walk goes
// outward from there over frames of the runtime, of sync/atomic and of sync, 16 at most.
func commute_syncSite(gp *g, at uintptr, atomic bool) (site uint32, ok bool) {
	f := commute_ctx(gp.racectx).Frames()
	if f == nil || tracefpunwindoff() || gp.m != nil && gp.m.hasCgoOnStack() {
		return 0, false
	}
	inside := uintptr(0) // the return address in the function that was passed last
	for range 16 {
		if !commute_isFrame(gp, gp.stack.hi-at) {
			return 0, false
		}
		ret := *(*uintptr)(unsafe.Pointer(gp.stack.hi - at + goarch.PtrSize))
		layer := commute_source_SeenLayer(ret)
		if layer < 0 {
			layer = commute_source_LayerOf(ret)
		}
		switch layer {
		case commute_source_LayerRuntime, commute_source_LayerAtomic:
		case commute_source_LayerSync:
			if atomic {
				return 0, false // a lock's own words
			}
		case commute_source_LayerWatched:
			off := uint32(gp.stack.hi - commute_callerSP(gp.stack.hi-at))
			node, in := f.Seek(off)
			if !in {
				return 0, false
			}
			switch {
			case node != 0:
			case gp == getg() && f.IsInnermost(off):
				node = commute_knownCallersAbove(gp, f, at, off)
			default:
				node = commute_callersAbove(gp, at)
			}
			site = f.Site(node, ret)
			if inside != 0 {
				site = f.Site(site, inside)
			}
			return site, true
		default:
			return 0, false
		}
		inside = ret
		at = gp.stack.hi - *(*uintptr)(unsafe.Pointer(gp.stack.hi - at))
	}
	return 0, false
}

// commute_knownCallersAbove is commute_callersAbove for the current goroutine, if the caller is the
// instrumented function that was entered last, and its frame ends at off. The walk goes no further
// than where callers are known, and what it finds is remembered.
func commute_knownCallersAbove(gp *g, f *commute_access_Frames, at uintptr, off uint32) uint32 {
	w := f.Walk(off, true)
	for {
		at = gp.stack.hi - *(*uintptr)(unsafe.Pointer(gp.stack.hi - at))
		if !commute_isFrame(gp, gp.stack.hi-at) {
			return w.End()
		}
		ret := *(*uintptr)(unsafe.Pointer(gp.stack.hi - at + goarch.PtrSize))
		if w.Up(ret, uint32(gp.stack.hi-commute_callerSP(gp.stack.hi-at))) {
			return w.End()
		}
	}
}

// commute_callersAbove is the node of the return address of a function's caller; at is the distance
// of the function's frame from the stack's end. It walks the whole stack.
func commute_callersAbove(gp *g, at uintptr) uint32 {
	w := commute_ctx(gp.racectx).Frames().WalkAll()
	for fp := *(*uintptr)(unsafe.Pointer(gp.stack.hi - at)); commute_isFrame(gp,
		fp); fp = *(*uintptr)(unsafe.Pointer(fp)) {
		if w.Up(*(*uintptr)(unsafe.Pointer(fp + goarch.PtrSize)), 0) {
			break
		}
	}
	return w.End()
}

// commute_modelAccess records an access by internal/race that stands for what a type promises, such
// as the order of a WaitGroup's first Add and Wait. It's looked at for races, and is no conflict of
// transactions.
func commute_modelAccess(addr unsafe.Pointer, kind commute_event_Access, callerpc, pc uintptr) {
	ctx := getg().racectx
	if ctx == 0 {
		return
	}
	x := commute_ctx(ctx).Atomicity()
	was := x.InCall
	x.InCall = true
	commute_accessBy(addr, 1, kind, callerpc, pc)
	x.InCall = was
}
