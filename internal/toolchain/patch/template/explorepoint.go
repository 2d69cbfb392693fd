// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build commute_patch && commute_explore

package runtime

// Points: where the holder of the token is about to make an operation that others can see. These
// are operations that acquire: what others do next to a release they can do next to the acquire,
// too. Operations of the standard library's own are no points, nor what its packages hide.

import (
	"internal/goarch"
	"unsafe"
)

// commute_point comes before the current goroutine makes an operation at an address. The hook that
// calls it has its frame at fp.
func commute_point(addr unsafe.Pointer, k commute_explore_Kind, fp uintptr) {
	made := k == commute_explore_Observed // already
	if addr != nil && made {
		commute_use(addr, true)
	}
	commute_decide(addr, k, fp)
	if addr != nil && !made {
		commute_use(addr, k != commute_explore_Load)
	}
}

// commute_decide decides who goes on before the current goroutine makes an operation.
func commute_decide(addr unsafe.Pointer, k commute_explore_Kind, fp uintptr) {
	gp := getg()
	if !commute_controlled(gp) || gp != gp.m.curg || gp.m.locks != 0 || gp.raceignore != 0 {
		return
	}
	x := &commute_explore
	pc, takes := commute_programCalls(gp, gp.stack.hi-fp, k), int64(commute_pointTime)
	if pc == 0 {
		x.control.Steps.Passed++
		if x.passed++; x.passed < commute_explore_PassedMost || x.holder.ptr() != gp {
			return
		}
		addr, k = nil, commute_explore_None // it may wait in a loop, by the library alone
		takes = commute_idleTime
	}
	x.passed = 0
	for x.holder.ptr() != gp { // it comes from a system call
		Gosched()
	}
	if uintptr(addr)-gp.stack.lo < gp.stack.hi-gp.stack.lo {
		addr = nil // no other goroutine has it
	}
	mp := acquirem()
	x.lock.Lock()
	id := gp.commute_task
	if x.control.Same(id, uintptr(addr), k) {
		x.lock.Unlock()
		releasem(mp)
		return
	}
	x.control.Operate(id, uintptr(addr), k, pc)
	x.now.Store(x.now.Load() + takes)
	yield := true
	if commute_timersDue() || x.control.Pace.Due() {
		x.resume = id
	} else if next := x.control.Choose(id); next != id {
		x.chosen = next
	} else {
		yield = false
	}
	x.lock.Unlock()
	releasem(mp)
	if yield {
		mcall(goyield_m)
	}
}

// commute_programCalls is the return address at which the program makes an operation, 0 if the
// library does for itself. The frame of the operation's hook is so far from the end of the stack,
// which may grow.
func commute_programCalls(gp *g, at uintptr, k commute_explore_Kind) uintptr {
	if !framepointer_enabled {
		return commute_programCallsSlow(gp, k)
	}
	for range 16 {
		if !commute_isFrame(gp, gp.stack.hi-at) {
			return 0
		}
		ret := *(*uintptr)(unsafe.Pointer(gp.stack.hi - at + goarch.PtrSize))
		if by, known := commute_calledBy(ret, k); known {
			return by
		}
		at = gp.stack.hi - *(*uintptr)(unsafe.Pointer(gp.stack.hi - at))
	}
	return 0
}

// commute_programCallsSlow is commute_programCalls by the tables of the linker, for ports without
// frame pointers.
func commute_programCallsSlow(gp *g, k commute_explore_Kind) (ret uintptr) {
	systemstack(func() {
		var u unwinder
		u.init(gp, unwindSilentErrors)
		for n := 0; n < 24 && u.valid(); n++ {
			by, known := commute_calledBy(u.frame.pc, k)
			if known {
				ret = by
				return
			}
			u.next()
		}
	})
	return ret
}

// commute_calledBy is a return address if the program makes an operation there, and 0 if the
// library does. Known is not set if that has to be asked of the caller.
func commute_calledBy(ret uintptr, k commute_explore_Kind) (by uintptr, known bool) {
	switch commute_explore_CallerAt(ret) {
	case commute_explore_Through:
		return 0, false
	case commute_explore_Sync:
		return 0, k == commute_explore_Atomic || k == commute_explore_Load
	case commute_explore_Program:
		return ret, true
	}
	return 0, true
}

// The hooks: each comes before its operation.

//go:linkname commute_mutexPoint
func commute_mutexPoint(addr unsafe.Pointer) { commute_point(addr, commute_explore_Lock, getfp()) }

//go:linkname commute_writerPoint
func commute_writerPoint(addr unsafe.Pointer) { commute_point(addr, commute_explore_WLock, getfp()) }

//go:linkname commute_readerPoint
func commute_readerPoint(addr unsafe.Pointer) { commute_point(addr, commute_explore_RLock, getfp()) }

//go:linkname commute_waitPoint
func commute_waitPoint(addr unsafe.Pointer) { commute_point(addr, commute_explore_Wait, getfp()) }

//go:linkname commute_signalPoint
func commute_signalPoint(addr unsafe.Pointer) {
	commute_point(addr, commute_explore_Signal, getfp())
}

//go:linkname commute_atomicPoint
func commute_atomicPoint(addr unsafe.Pointer) {
	commute_point(addr, commute_explore_Atomic, getfp())
}

//go:linkname commute_atomicLoadPoint
func commute_atomicLoadPoint(addr unsafe.Pointer) {
	commute_point(addr, commute_explore_Load, getfp())
}

// commute_channelPoint comes before a send, a receive or a close. An operation on a nil channel is
// none.
func commute_channelPoint(c *hchan, k commute_explore_Kind) {
	if c != nil {
		commute_point(unsafe.Pointer(c), k, getfp())
		commute_useChannel(c)
	}
}

// commute_selectPoint comes before a select. Its object is the first channel.
func commute_selectPoint(cases *scase, n int) {
	var first *hchan
	for i := range n {
		if c := (*scase)(add(unsafe.Pointer(cases), uintptr(i)*unsafe.Sizeof(scase{}))).c; c != nil {
			first = c
			break
		}
	}
	commute_point(unsafe.Pointer(first), commute_explore_Select, getfp())
	for i := range n {
		commute_useChannel((*scase)(add(unsafe.Pointer(cases), uintptr(i)*unsafe.Sizeof(scase{}))).c)
	}
}

// commute_beginPoint comes before a call of a specified method.
func commute_beginPoint(obj unsafe.Pointer) { commute_point(obj, commute_explore_Begin, getfp()) }

// commute_observedPoint comes after a call that only observes.
func commute_observedPoint(obj unsafe.Pointer) {
	commute_point(obj, commute_explore_Observed, getfp())
}

// commute_spawned comes after a go statement.
func commute_spawned() { commute_point(nil, commute_explore_Go, getfp()) }

// commute_exploreTransaction comes where the current goroutine begins a transaction, or ends one
// with by = -1.
func commute_exploreTransaction(by int, point bool) {
	gp := getg()
	if !commute_controlled(gp) {
		return
	}
	mp := acquirem()
	x := &commute_explore
	x.lock.Lock()
	x.control.Transaction(gp.commute_task, by)
	x.lock.Unlock()
	releasem(mp)
	if point {
		commute_point(nil, commute_explore_Transaction, getfp())
	}
}

// commute_rand is a number for the program: of the seed, if the current goroutine has the token.
//
//go:nosplit
func commute_rand() (n uint64, ok bool) {
	gp := getg()
	if x := &commute_explore; gp.commute_task != 0 && x.holder.ptr() == gp {
		return x.control.Random(), true
	}
	return 0, false
}

// commute_cheaprandn is cheaprandn for select.
func commute_cheaprandn(n uint32) uint32 {
	if r, ok := commute_rand(); ok {
		return uint32(r>>32) % n
	}
	return cheaprandn(n)
}

// commute_startup is in place of the random numbers that the system gives a process: hashes of
// maps, and the address of the heap, depend on them.
var commute_startup = [16]byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}

func commute_fixRandom() { startupRand = commute_startup[:] }
