// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build commute_patch && !commute_explore && !commute_perturb

package runtime

// Leaked goroutines at the end of the tests of a program, by the runtime's own search: see
// leakhide.go. The program goes on after it, with other goroutines that run meanwhile. The runtime
// marks goroutines as leaked, and throws if such a one is woken, which is possible where a number
// or C leads to what it waits for. So the marks are taken back before the world goes on, and a
// goroutine that has run since is not told of, though it may wait again.

import (
	"internal/runtime/atomic"
	"internal/runtime/sys"
	"internal/stringslite"
	"unsafe"
)

// The goroutines that the tests have left may have something to do that takes little time: they
// have so many turns, and then so many nanoseconds, in steps.
const (
	commute_leakYields = 100
	commute_leakTime   = 2e7
	commute_leakStep   = 1e5
)

// commute_maxLeaks is how many leaked goroutines are looked at.
const commute_maxLeaks = 1 << 12

// A commute_leakedG is a goroutine that the search has found.
type commute_leakedG struct {
	g     guintptr
	goid  uint64
	since int64 // its waitsince, which is another one when it has run
}

// commute_leaks is what the collection finds that the search has asked for. Only that collection
// uses the slice, while the world is stopped.
var commute_leaks struct {
	busy      atomic.Uint32 // 1 while a search is under way
	searching bool
	found     []commute_leakedG // of which n are set
	n         int
}

// commute_leaked comes when the tests of the program are over. It reports the goroutines that they
// have left and that can never go on, and whether tests fail by that. TestMain may run tests more
// than once, also at once: then the first search goes on, and there is no second beside it.
//
//go:linkname commute_leaked
func commute_leaked() (fails bool) {
	mp := acquirem()
	on := commute_option_LooksForLeaks()
	releasem(mp)
	if !on || debug.asyncpreemptoff != 0 || !commute_leaks.busy.CompareAndSwap(0, 1) {
		return false
	}
	var list []commute_report_Leaked
	if commute_letOthersRun() && commute_any(commute_mayLeak) && commute_anyOfTest() {
		list = commute_search()
	}
	if len(list) > 0 {
		mp = acquirem()
		fails = commute_finding_Leaks(list)
		releasem(mp)
	}
	commute_leaks.busy.Store(0)
	return fails
}

// commute_search collects garbage, and returns the leaked goroutines that this has found.
//
// A goroutine that goes on and on rules the search out. The collection yields once for each span of
// the heap, and each time would wait for such a goroutine's turn to end, some 10 ms.
func commute_search() []commute_report_Leaked {
	l := &commute_leaks
	l.found = make([]commute_leakedG, min(allglen, commute_maxLeaks))
	list := make([]commute_report_Leaked, 0, len(l.found))
	var pcs [commute_stack_MaxDepth + commute_stack_Outermost]uintptr
	stw := stopTheWorld(stwAllGoroutinesStack)
	l.searching, l.n = true, 0
	startTheWorld(stw)
	goroutineLeakGC()
	gcWaitOnMark(work.cycles.Load()) // another goroutine may have begun the collection
	stw = stopTheWorld(stwAllGoroutinesStack)
	l.searching = false
	for _, f := range l.found[:l.n] {
		gp := f.g.ptr()
		if gp.goid == f.goid && gp.waitsince == f.since && commute_isOfUser(gp) {
			list = append(list, commute_describeLeak(gp, pcs[:]))
		}
	}
	startTheWorld(stw)
	l.found = nil
	return list
}

// commute_letOthersRun lets goroutines of the program run, and reports whether all of them wait
// then.
func commute_letOthersRun() bool {
	start := nanotime()
	for i := 0; commute_any(commute_canGoOn); i++ {
		if nanotime()-start > commute_leakTime {
			return false
		}
		if i < commute_leakYields {
			Gosched()
		} else {
			timeSleep(commute_leakStep) // the other runs on another thread
		}
	}
	return true
}

// commute_canGoOn reports whether gp is another goroutine of the program, and waits for nothing.
func commute_canGoOn(gp *g) bool {
	s := readgstatus(gp) &^ _Gscan
	return gp.racectx != 0 && gp != getg() && (s == _Grunnable || s == _Grunning)
}

// commute_any reports whether a goroutine is as f says.
func commute_any(f func(*g) bool) (found bool) {
	forEachGRace(func(gp *g) { found = found || f(gp) })
	return found
}

// commute_anyOfTest reports whether a goroutine that a test has started may be leaked.
func commute_anyOfTest() bool {
	stw := stopTheWorld(stwAllGoroutinesStack)
	found := commute_any(commute_isOfUser)
	startTheWorld(stw)
	return found
}

// commute_isOfUser reports whether code of the user has a goroutine that may be leaked: a test has
// started it, and its first function is not of package testing, which runs tests in goroutines of
// its own. The world is stopped: else its context may end.
func commute_isOfUser(gp *g) bool {
	if !commute_mayLeak(gp) || commute_ctx(gp.racectx).Test.Nil() {
		return false
	}
	f := findfunc(gp.startpc)
	return f.valid() && !stringslite.HasPrefix(funcname(f), "testing.")
}

// commute_mayLeak reports whether a goroutine of the program waits for something that may be lost.
// Who asks for it, with a select that has no case, does so on purpose; a bubble looks after itself.
// A profile that the program has made of leaked goroutines leaves them marked.
func commute_mayLeak(gp *g) bool {
	s := readgstatus(gp) &^ _Gscan
	return gp.racectx != 0 && (s == _Gwaiting || s == _Gleaked) && !gp.internalBlocked() &&
		gp.bubble == nil && gp.waitreason != waitReasonSelectNoCases
}

// commute_collected comes when a collection that looks for leaked goroutines has found them. The
// world is stopped. A goroutine that runs later has its waitsince cleared. If it waits again, the
// next collection sets that to its own time, which is no less than the time of this one.
func commute_collected() {
	l := &commute_leaks
	if !l.searching {
		return
	}
	forEachGRace(func(gp *g) {
		if !gp.atomicstatus.CompareAndSwap(_Gleaked, _Gwaiting) || l.n == len(l.found) {
			return
		}
		if gp.waitsince == 0 {
			gp.waitsince = work.tstart
		}
		gp.waitsince--
		f := &l.found[l.n]
		f.g.set(gp)
		f.goid, f.since = gp.goid, gp.waitsince
		l.n++
	})
}

// commute_describeLeak says what is reported of a leaked goroutine. The world is stopped.
func commute_describeLeak(gp *g, pcs []uintptr) commute_report_Leaked {
	n, elided := commute_unwind(gp, pcs, commute_stack_Outermost)
	pcs = pcs[:n]
	for len(pcs) > 1 && elided == 0 && commute_waitsIn(pcs[0]) {
		pcs = pcs[1:]
	}
	t := commute_thread(gp)
	return commute_report_Leaked{Goid: gp.goid, Creator: t.Creator,
		Origin: uintptr(unsafe.Pointer(t.Origin.P())),
		Owner:  uintptr(unsafe.Pointer(t.Test.P())),
		Stack:  uintptr(unsafe.Pointer(commute_stack_All.Put(pcs, elided))),
		For:    commute_awaited(gp.waitreason)}
}

// commute_waitsIn reports whether a return address is of package runtime, or of a function by which
// it serves package sync.
func commute_waitsIn(pc uintptr) bool {
	f := findfunc(pc - sys.PCQuantum)
	if !f.valid() {
		return false
	}
	name := funcname(f)
	return stringslite.HasPrefix(name, "runtime.") || stringslite.HasPrefix(name, "sync.runtime_") ||
		stringslite.HasPrefix(name, "internal/sync.runtime_")
}

// commute_awaited is what a goroutine waits for.
func commute_awaited(r waitReason) commute_report_Awaited {
	switch r {
	case waitReasonChanReceiveNilChan:
		return commute_report_AwaitsNilReceive
	case waitReasonChanSendNilChan:
		return commute_report_AwaitsNilSend
	case waitReasonChanReceive:
		return commute_report_AwaitsReceive
	case waitReasonChanSend:
		return commute_report_AwaitsSend
	case waitReasonSelect:
		return commute_report_AwaitsSelect
	case waitReasonSyncCondWait:
		return commute_report_AwaitsCond
	case waitReasonSyncWaitGroupWait:
		return commute_report_AwaitsGroup
	}
	return commute_report_AwaitsLock
}
