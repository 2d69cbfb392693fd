// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build commute_patch

package runtime

// Hooks that packages of the standard library call, which commute has changed, and hooks in changed
// functions of the runtime. The former take them by linkname.
//
// An atomic operation is announced by two hooks or three. The first one reports whether it has
// fixed the order in which the operation takes effect, among the operations at its address. Then
// the operation is made; a load is made before its hook, and once more if the order was fixed. If
// it was, commute_atomicMade comes next; see commute_atomicConflict for the reason. Last comes
// commute_atomicDone for an operation that also reads.

import (
	"internal/goarch"
	"internal/runtime/sys"
	"unsafe"
)

// commute_atomicLoad comes after an atomic load.
//
//go:linkname commute_atomicLoad
func commute_atomicLoad(addr unsafe.Pointer) (fixed bool) {
	gp := getg()
	if commute_hides(gp) {
		return false
	}
	// Most loads are of an address that was loaded before, and end here.
	if !commute_memory && (commute_sync_LearnsNothing(commute_thread(gp), uintptr(addr)) ||
		commute_ignored(gp.racectx, addr) ||
		commute_sync_LooksKnown(commute_thread(gp), uintptr(addr)) ||
		commute_sync_LoadsAgain(commute_thread(gp), uintptr(addr))) {
		return false
	}
	if commute_memory || commute_instance_Sections.Atomics() {
		return commute_emitAtomic(addr, commute_event_AtomicLoad, sys.GetCallerPC())
	}
	// This is commute_emitAtomic where only the clock follows.
	mp := acquirem()
	if g := commute_ctx(gp.racectx); commute_isShort(g) {
		commute_borrow(g, addr, commute_sync_AcquireAtomic)
	} else {
		commute_sync_AcquireAtomic(&g.commute_sync_Thread, uintptr(addr))
	}
	releasem(mp)
	return false
}

// commute_atomicWhole reports whether each step of an operation of an atomic.Value is announced.
//
//go:linkname commute_atomicWhole
func commute_atomicWhole() bool { return commute_instance_Sections.Atomics() }

// commute_atomicStore comes before an atomic store.
//
//go:linkname commute_atomicStore
func commute_atomicStore(addr unsafe.Pointer) (fixed bool) {
	gp := getg()
	if commute_hides(gp) || !commute_memory && commute_changesNothing(gp, addr) {
		return false
	}
	return commute_emitAtomic(addr, commute_event_AtomicStore, sys.GetCallerPC())
}

// commute_atomicRMW comes before an atomic read-modify-write.
//
//go:linkname commute_atomicRMW
func commute_atomicRMW(addr unsafe.Pointer) (fixed bool) {
	gp := getg()
	if commute_hides(gp) || !commute_memory && commute_changesNothing(gp, addr) {
		return false
	}
	return commute_emitAtomic(addr, commute_event_AtomicRMW, sys.GetCallerPC())
}

// commute_changesNothing reports that an atomic operation of the current goroutine would change
// nothing in the clocks.
func commute_changesNothing(gp *g, addr unsafe.Pointer) bool {
	t := commute_thread(gp)
	if commute_sync_LearnsNothing(t, uintptr(addr)) {
		return commute_sync_ReleasesNothing(t)
	}
	if commute_ignored(gp.racectx, addr) {
		return true
	}
	idle, sure := commute_sync_LooksReleased(t, uintptr(addr))
	return idle || !sure && commute_sync_LearnsAgain(t, uintptr(addr)) &&
		commute_sync_ReleasesNothing(t)
}

// commute_hides reports whether the current goroutine has no context, or hides what it does. The
// package sync does so around the operations of its locks.
func commute_hides(gp *g) bool { return gp.racectx == 0 || gp.raceignore != 0 }

// commute_thread is what orders the current goroutine, which has a context.
func commute_thread(gp *g) *commute_sync_Thread {
	return &commute_ctx(gp.racectx).commute_sync_Thread
}

// commute_atomicDone comes after an operation that commute_atomicRMW, or the like, announced. It
// only acquires. It is no access: one was recorded before the operation, and the goroutine whose
// value was read may have written plainly since.
//
//go:linkname commute_atomicDone
func commute_atomicDone(addr unsafe.Pointer) {
	gp := getg()
	if commute_hides(gp) || !commute_memory &&
		(commute_sync_LearnsNothing(commute_thread(gp), uintptr(addr)) ||
			commute_ignored(gp.racectx, addr) ||
			commute_sync_LooksKnown(commute_thread(gp), uintptr(addr)) ||
			commute_sync_LearnsAgain(commute_thread(gp), uintptr(addr))) {
		return
	}
	commute_emit(gp, addr, commute_event_AtomicDone)
}

// commute_plainLoad comes after a load of a word that sync.Map is made of, where accesses to memory
// are watched. These words are atomic to sync.Map, and so conflict with plain accesses only.
//
//go:linkname commute_plainLoad
func commute_plainLoad(addr unsafe.Pointer) {
	commute_emit(getg(), addr, commute_event_PlainLoad)
	commute_atomicRead(addr, sys.GetCallerPC())
}

// commute_plainStore comes before a store to such a word. The access comes first: it must not be
// ordered after itself by the release.
//
//go:linkname commute_plainStore
func commute_plainStore(addr unsafe.Pointer) {
	commute_atomicWrite(addr, sys.GetCallerPC())
	commute_emit(getg(), addr, commute_event_PlainStore)
}

// commute_plainRMW comes before a read-modify-write of such a word.
//
//go:linkname commute_plainRMW
func commute_plainRMW(addr unsafe.Pointer) {
	commute_emit(getg(), addr, commute_event_PlainRMW)
}

// commute_testBegin comes when package testing begins a test on the current goroutine. Findings are
// charged to that test; root is set for the one that all others are part of.
//
//go:linkname commute_testBegin
func commute_testBegin(root bool, name string) {
	if commute_exploring && root {
		commute_exploreRun()
	}
	if ctx := getg().racectx; ctx != 0 {
		mp := acquirem()
		commute_ctx(ctx).TestBegin(root, name)
		releasem(mp)
	}
}

// commute_testArtifacts notes the folder of artifacts of a test with which something was found.
//
//go:linkname commute_testArtifacts
func commute_testArtifacts(name, dir string) {
	mp := acquirem()
	commute_counts_Artifacts(name, dir)
	releasem(mp)
}

// commute_ignoreEvents hides what the current goroutine does: with 64 from now on, with -64 no
// longer. Nested calls of race.Disable, which count by one, hide synchronization, and accesses by
// instrumented code. With 64 the accesses that internal/race announces are hidden, too: what orders
// them isn't seen.
//
//go:linkname commute_ignoreEvents
func commute_ignoreEvents(by int8) { getg().raceignore += by }

// commute_releaseAt and commute_acquireAt order what comes before the one before what follows the
// other, where the library has an order that it doesn't announce.
//
//go:linkname commute_releaseAt
func commute_releaseAt(addr unsafe.Pointer) {
	commute_emit(getg(), addr, commute_event_ReleaseMerge)
}

//go:linkname commute_acquireAt
func commute_acquireAt(addr unsafe.Pointer) { commute_emit(getg(), addr, commute_event_Acquire) }

// commute_poolPut comes before an object is put into a sync.Pool, and commute_poolGet after it was
// taken. A pool of scratch memory orders nothing.
//
//go:linkname commute_poolPut
func commute_poolPut(addr unsafe.Pointer) {
	pc := commute_poolCaller(getfp())
	if commute_counts_KnownOrdered(pc) || !commute_isScratch(pc) {
		commute_emit(getg(), addr, commute_event_ReleaseMerge)
	}
}

//go:linkname commute_poolGet
func commute_poolGet(addr unsafe.Pointer) {
	pc := commute_poolCaller(getfp())
	if commute_counts_KnownOrdered(pc) || !commute_isScratch(pc) {
		commute_emit(getg(), addr, commute_event_Acquire)
	}
}

// commute_poolCaller is the place where the method of a pool was called, 0 on ports without frame
// pointers. The method has called the function whose frame pointer is fp. As in commute_place, the
// method is Go, and has a frame.
//
//go:nosplit
func commute_poolCaller(fp uintptr) (pc uintptr) {
	if !framepointer_enabled {
		return 0
	}
	method := *(*uintptr)(unsafe.Pointer(fp))
	return *(*uintptr)(unsafe.Pointer(method + goarch.PtrSize))
}

// commute_isScratch reports whether a return address is in code whose pools have only scratch
// memory.
func commute_isScratch(pc uintptr) bool {
	if pc == 0 {
		return false
	}
	scratch, known := commute_counts_KnownScratch(pc)
	if !known {
		mp := acquirem()
		scratch = commute_counts_IsScratch(pc)
		releasem(mp)
	}
	return scratch
}

// commute_register takes what a package says of its source.
//
//go:linkname commute_register
func commute_register(r *commute_compiled_Registration) {
	mp := acquirem()
	commute_source_Register(r)
	releasem(mp)
}

// commute_exiting comes before os.Exit with a status other than 0, after the exit hooks. A status
// of 0 ends in racefini.
func commute_exiting(status int) {
	if status != 0 {
		mp := acquirem()
		commute_engine_Exiting(int32(status))
		releasem(mp)
		commute_finish()
	}
}

// commute_crashing comes when the program crashes, on the system stack, before the crash is
// printed.
func commute_crashing() {
	if commute_memory {
		commute_record_Crashing()
	}
}

// commute_setTimer comes when a timer is set, and lets raceacquirectx find the goroutine that set
// it.
func commute_setTimer(addr unsafe.Pointer) { commute_emit(getg(), addr, commute_event_TimerSet) }

// commute_rendezvous comes when a send and a receive meet on an unbuffered channel. One is made by
// the current goroutine, the other by gp, which is parked. Each comes before what follows the
// other, so both clocks are joined. If it returns false the runtime announces the events at the
// channel's address, as for a buffered channel.
func commute_rendezvous(gp *g, addr unsafe.Pointer) bool {
	me := getg()
	if commute_ignored(me.racectx, addr) || gp.racectx == 0 {
		return false
	}
	commute_followRendezvous(gp, addr)
	commute_orderBoth(me.racectx, gp.racectx)
	mp := acquirem()
	g, done := commute_ctx(me.racectx), false
	if commute_isShort(g) {
		systemstack(func() { done = g.Meet(commute_ctx(gp.racectx), uintptr(addr)) })
	} else {
		done = g.Meet(commute_ctx(gp.racectx), uintptr(addr))
	}
	releasem(mp)
	return done
}

// commute_sweep comes when the marks of a span tell which of its objects are free. What is known of
// these addresses is forgotten before they are allocated again. A chunk of a user arena is freed as
// a whole, with racefree.
func commute_sweep(s *mspan) {
	if s.isUserArenaChunk {
		return
	}
	mp := acquirem()
	commute_sync_Sweep(s.base(), s.npages*pageSize, func(addr uintptr) bool {
		i := s.objIndex(addr)
		return i < uintptr(s.nelems) && !s.markBitsForIndex(i).isMarked()
	})
	if commute_touched(s.base(), s.npages*pageSize) {
		mark := s.markBitsForBase()
		for i := uintptr(0); i < uintptr(s.nelems); i++ {
			if !mark.isMarked() {
				commute_freeMemory(s.base()+i*s.elemsize, s.elemsize)
			}
			mark.advance()
		}
	}
	releasem(mp)
}

// commute_newSpan comes when pages become part of the heap. They may have been anything else
// before, such as a stack, and nothing that is known of them is about the new owner.
func commute_newSpan(s *mspan) {
	if s != nil {
		commute_free(s.base(), s.npages*pageSize)
	}
}

// commute_free forgets what is known of objects and of memory at these addresses.
func commute_free(addr, size uintptr) {
	mp := acquirem()
	commute_sync_Free(addr, size)
	commute_freeMemory(addr, size)
	releasem(mp)
}
