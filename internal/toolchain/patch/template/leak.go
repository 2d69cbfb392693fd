// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build commute_patch && !commute_explore && !commute_perturb

package runtime

// Leaked goroutines at the end of the tests of a program, by the runtime's own search: see
// leakhide.go. The program goes on after it, with other goroutines that run meanwhile. The runtime
// marks goroutines as leaked, and throws if such a one is woken, which is possible where a weak
// pointer, a number or C leads to what it waits for. So the marks are taken back before the world
// goes on, and a goroutine that was woken since is not told of.

import (
	"internal/runtime/sys"
	"internal/stringslite"
	"unsafe"
)

// The goroutines that the tests have left may have something to do that takes no time: they have
// so many turns, in so many nanoseconds.
const (
	commute_leakYields = 100
	commute_leakTime   = 2e7
)

// commute_maxLeaks is how many leaked goroutines are looked at.
const commute_maxLeaks = 1 << 12

// A commute_leakedG is a goroutine that the search has found.
type commute_leakedG struct {
	g    guintptr
	goid uint64
}

// commute_leaks is what the collection finds that the search has asked for. Only that collection
// uses the slice, while the world is stopped.
var commute_leaks struct {
	searching bool
	found     []commute_leakedG // of which n are set
	n         int
}

// commute_leaked comes when the tests of the program are over. It reports the goroutines that they
// have left and that can never go on, and whether tests fail by that.
//
// A goroutine that goes on and on rules the search out. The collection yields once for each span of
// the heap, and each time would wait for such a goroutine's turn to end, some 10 ms.
//
//go:linkname commute_leaked
func commute_leaked() (fails bool) {
	mp := acquirem()
	on := commute_option_LooksForLeaks()
	releasem(mp)
	if !on || debug.asyncpreemptoff != 0 {
		return false
	}
	if !commute_letOthersRun() || !commute_any(commute_mayLeak) || !commute_anyOfTest() {
		return false
	}
	l := &commute_leaks
	l.found = make([]commute_leakedG, min(allglen, commute_maxLeaks))
	list := make([]commute_report_Leaked, 0, len(l.found))
	var pcs [commute_stack_MaxDepth + commute_stack_Outermost]uintptr
	stw := stopTheWorld(stwAllGoroutinesStack)
	l.searching, l.n = true, 0
	startTheWorld(stw)
	goroutineLeakGC()
	stw = stopTheWorld(stwAllGoroutinesStack)
	l.searching = false
	for _, f := range l.found[:l.n] {
		if gp := f.g.ptr(); gp.goid == f.goid && commute_mayLeak(gp) && commute_ofTest(gp) {
			list = append(list, commute_describeLeak(gp, pcs[:]))
		}
	}
	startTheWorld(stw)
	l.found = nil
	if len(list) == 0 {
		return false
	}
	mp = acquirem()
	commute_finding_Leaks(list)
	fails = commute_finding_FailingLeaks() > 0
	releasem(mp)
	return fails
}

// commute_letOthersRun lets goroutines of the program run, and reports whether all of them wait
// then.
func commute_letOthersRun() bool {
	start := nanotime()
	for range commute_leakYields {
		if !commute_any(commute_canGoOn) {
			return true
		}
		if nanotime()-start > commute_leakTime {
			return false
		}
		Gosched()
	}
	return false
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
	found := commute_any(func(gp *g) bool { return commute_mayLeak(gp) && commute_ofTest(gp) })
	startTheWorld(stw)
	return found
}

// commute_mayLeak reports whether a goroutine of the program waits for something that may be lost.
// Who asks for it, with a select that has no case, does so on purpose; a bubble looks after itself.
func commute_mayLeak(gp *g) bool {
	return gp.racectx != 0 && readgstatus(gp)&^_Gscan == _Gwaiting && !gp.internalBlocked() &&
		gp.bubble == nil && gp.waitreason != waitReasonSelectNoCases
}

// commute_ofTest reports whether a test has started a goroutine of the program. The world is
// stopped: else its context may end.
func commute_ofTest(gp *g) bool { return !commute_ctx(gp.racectx).Test.Nil() }

// commute_collected comes when a collection that looks for leaked goroutines has found them. The
// world is stopped.
func commute_collected() {
	l := &commute_leaks
	if !l.searching {
		return
	}
	forEachGRace(func(gp *g) {
		if gp.atomicstatus.CompareAndSwap(_Gleaked, _Gwaiting) && l.n < len(l.found) {
			l.found[l.n].g.set(gp)
			l.found[l.n].goid = gp.goid
			l.n++
		}
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
