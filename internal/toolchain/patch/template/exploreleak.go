// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build commute_patch && commute_explore

package runtime

import _ "unsafe"

// Leaked goroutines, of a test that is explored: those that it has started, and that can never go
// on. See leakhide.go for how they are found.

// commute_leakYields is how often the test lets the goroutines run that it has left.
const commute_leakYields = 1000

// commute_leakTime is after how many nanoseconds these have run for long enough: one may never end.
const commute_leakTime = 1e9

// commute_leakSleep is how many nanoseconds pass, as the goroutines see it, for those that wait for
// the time: who sends late may find that nobody receives any more. The first step is shorter.
// So many points of the goroutines are enough.
const (
	commute_leakSleep  = 5e8
	commute_leakStep   = 1e6
	commute_leakPoints = 1e5
)

// commute_leaksTold is how many leaked goroutines are told of.
const commute_leaksTold = 4

// commute_leaked comes when a test function is over, with its subtests and what it cleans up. It is
// what is to be told of the goroutines that the run has leaked, "" if there are none. Left is how
// many nanoseconds there are until the test's timeout.
//
//go:linkname commute_leaked
func commute_leaked(left int64) string {
	if !commute_controlled(getg()) || gogetenv("COMMUTE_EXPLORE_LEAKS") == "off" {
		return ""
	}
	commute_letPass(left)
	if !commute_anyOfRun(commute_mayLeak) {
		return ""
	}
	commute_exploreEnd() // what the collection makes ready is no arrival of the run
	goroutineLeakGC()
	text := ""
	var buf []byte
	if commute_anyOfRun(commute_isLeaked) {
		buf = make([]byte, 32<<10)
	}
	stw := stopTheWorld(stwAllGoroutinesStack)
	if buf != nil {
		systemstack(func() { buf = buf[:commute_printLeaks(buf)] })
	}
	// They wait as they did: the search is a look.
	forEachGRace(func(gp *g) { gp.atomicstatus.CompareAndSwap(_Gleaked, _Gwaiting) })
	startTheWorld(stw)
	if len(buf) > 0 {
		text = string(buf)
	}
	return text
}

// commute_letRun lets the goroutines run that the test has left, until all of them wait.
func commute_letRun() {
	start := nanotime()
	for range commute_leakYields {
		commute_seeAll()
		if commute_explore.control.Pending() == 0 || nanotime()-start > commute_leakTime {
			return
		}
		Gosched()
	}
}

// commute_letPass is commute_letRun, and then lets time pass for those that wait for it, if that
// takes none. Each step is as long as all before it, and one more. It ends at half of what is left
// until the timeout.
func commute_letPass(left int64) {
	x := &commute_explore
	commute_letRun()
	first := x.control.Points()
	for step := int64(commute_leakStep); step <= commute_leakSleep; step *= 2 {
		next := commute_nextTimer()
		if next == 0 || next > x.now.Load()+commute_leakSleep || 4*step > left ||
			x.control.Pending() > 0 || x.control.Points()-first > commute_leakPoints ||
			!commute_anyOfRun(commute_waitsForTime) || commute_mayCome() {
			return
		}
		timeSleep(step)
		commute_letRun()
	}
}

// commute_waitsForTime reports whether a goroutine may go on when time has passed: it sleeps, or it
// waits for a channel, which may be that of a timer, or of who sleeps.
func commute_waitsForTime(gp *g) bool {
	return readgstatus(gp)&^_Gscan == _Gwaiting && gp.bubble == nil &&
		(gp.waitreason == waitReasonSleep || gp.waitreason.isChanWait())
}

// commute_anyOfRun reports whether a goroutine that this run has made is as f says.
func commute_anyOfRun(f func(*g) bool) bool {
	found := false
	forEachGRace(func(gp *g) {
		if !found && commute_ofRun(gp) && f(gp) {
			found = true
		}
	})
	return found
}

// commute_ofRun reports whether this run has made a goroutine.
func commute_ofRun(gp *g) bool {
	return commute_controlled(gp) && commute_explore.control.Made(gp.commute_task)
}

// commute_mayLeak reports whether a goroutine waits for something that may be lost. Who asks for
// it, with a select that has no case, does so on purpose; a bubble looks after itself.
func commute_mayLeak(gp *g) bool {
	return readgstatus(gp)&^_Gscan == _Gwaiting && !gp.internalBlocked() && gp.bubble == nil &&
		gp.waitreason != waitReasonSelectNoCases
}

func commute_isLeaked(gp *g) bool {
	return readgstatus(gp)&^_Gscan == _Gleaked && gp.bubble == nil &&
		gp.waitreason != waitReasonSelectNoCases
}

// commute_printLeaks writes to a buffer what is told, and returns how long it is. The world is
// stopped.
func commute_printLeaks(buf []byte) int {
	g0 := getg()
	g0.m.traceback = 1
	g0.writebuf = buf[0:0:len(buf)]
	n := 0
	forEachGRace(func(gp *g) {
		if !commute_ofRun(gp) || !commute_isLeaked(gp) {
			return
		}
		if n++; n > commute_leaksTold {
			return
		}
		print("leaked goroutine: ", commute_leakReason(gp.waitreason), "\n")
		goroutineheader(gp)
		traceback(^uintptr(0), ^uintptr(0), 0, gp)
	})
	if n > commute_leaksTold {
		print("leaked goroutines: ", n-commute_leaksTold, " more\n")
	}
	length := len(g0.writebuf)
	g0.writebuf = nil
	g0.m.traceback = 0
	return length
}

// commute_leakReason says what a goroutine waits for in vain.
func commute_leakReason(r waitReason) string {
	switch r {
	case waitReasonChanReceiveNilChan:
		return "it waits to receive from a nil channel, and nobody ever sends to one"
	case waitReasonChanSendNilChan:
		return "it waits to send to a nil channel, and nobody ever receives from one"
	case waitReasonChanReceive:
		return "it waits to receive from a channel, and nobody who can go on has that, to send to " +
			"it or to close it"
	case waitReasonChanSend:
		return "it waits to send to a channel, and nobody who can go on has that, to receive from it"
	case waitReasonSelect:
		return "it waits in a select, and nobody who can go on has one of its channels"
	case waitReasonSyncCondWait:
		return "it waits for a sync.Cond, and nobody who can go on has that, to signal it"
	case waitReasonSyncWaitGroupWait:
		return "it waits for a sync.WaitGroup, and nobody who can go on has that, to call Done"
	}
	return "it waits for a lock, and nobody who can go on has that, to unlock it"
}
