// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build commute_patch && commute_explore

package runtime

// A run of which it is told what comes from outside, as it was logged. Then nobody takes a free
// token. Who comes waits until all are there that came then; a thread that has found one lets them
// in, or else sysmon does. Where nobody else can run, or arrivals are let in, all wait for those
// that are to come, and time does not pass for the program; but not for long.

import "unsafe"

const (
	// commute_toldMost is how many nanoseconds something is waited for.
	commute_toldMost = 5e9
	// commute_toldPause is after how many nanoseconds a thread looks again for timers.
	commute_toldPause = 1e6
)

// commute_toldCome makes the current thread the one that picks, if all that are to come are there.
// It reports whether it does.
func commute_toldCome() bool {
	x := &commute_explore
	if !commute_tokenFree() || !x.control.Arrivals.Complete(&x.control) {
		return false
	}
	commute_toldFreeze()
	x.releaser.set(getg().m)
	return true
}

// commute_toldFreeze has the clock stand still. The log says what it shows, so what has gone by
// meanwhile does not count.
func commute_toldFreeze() {
	x := &commute_explore
	if x.flows.Load() != 0 {
		x.flows.Store(0)
		x.lag = 0
	}
}

// commute_toldClock sets the clock as it was told of those that were let in.
func commute_toldClock() {
	x := &commute_explore
	if x.control.Arrivals.Clock > x.now.Load() {
		x.now.Store(x.control.Arrivals.Clock)
	}
}

// commute_toldHolds reports whether time is not to jump: somebody is to be let in before, or has
// come, and there is no timer that is due soon. The program is not to run into its timeout.
func commute_toldHolds() bool {
	x := &commute_explore
	a := &x.control.Arrivals
	if !a.Told() {
		return false
	}
	held, _ := a.Held()
	next := commute_nextTimer()
	return a.Waits() || held && (next == 0 || next > x.now.Load()+commute_toldMost)
}

// commute_toldStays reports whether a holder that waits in a system call keeps the token, as it is
// not told that others get it.
func commute_toldStays(gp *g, now int64) bool {
	x := &commute_explore
	a := &x.control.Arrivals
	if !a.Told() || a.Leaves(&x.control, gp.commute_task) {
		return false
	}
	if now-x.watchedAt < commute_toldMost {
		return true
	}
	a.Stays(&x.control, gp.commute_task)
	return false
}

// commute_ask comes before the current goroutine asks for input, or sends. That takes time; timers
// that are due fire first. If it has waited then, it waits, though there may be input now: it comes
// back as it is told.
func commute_ask() {
	gp := getg()
	x := &commute_explore
	if !commute_controlled(gp) || x.holder.ptr() != gp {
		return
	}
	if x.control.Arrivals.Ask(&x.control) {
		commute_pass(commute_explore_AskMost * commute_askTime)
		if commute_timersDue() {
			x.resume = gp.commute_task
			mcall(goyield_m)
		}
	}
	for x.holder.ptr() == gp && x.control.Arrivals.LeavesAsking(&x.control, gp.commute_task) {
		x.leaving, x.asking = true, true
		Gosched()
	}
}

// commute_parksAsking reports whether a goroutine that waits for input gives the token up. If it is
// not told that it has waited, it keeps the token: the input is only late.
func commute_parksAsking(gp *g) bool {
	x := &commute_explore
	a := &x.control.Arrivals
	if x.holder.ptr() != gp {
		return true
	}
	if a.Told() && !a.LeavesAsking(&x.control, gp.commute_task) {
		x.toldSince = 0
		return false
	}
	a.LeaveAsking(&x.control, gp.commute_task)
	return true
}

// commute_awaitAsked comes from sysmon while the holder waits for input, and looks whether there is
// any; after long it gives up.
func commute_awaitAsked(gp *g, now int64) {
	x := &commute_explore
	if !x.control.Arrivals.Told() || readgstatus(gp) != _Gwaiting ||
		gp.waitreason != waitReasonIOWait {
		return
	}
	switch {
	case x.toldSince == 0:
		x.toldSince = now
	case now-x.toldSince > commute_toldMost:
		x.lock.Lock()
		var next *g
		if x.holder.ptr() == gp {
			x.control.Arrivals.Stays(&x.control, gp.commute_task)
			x.holder = 0
			next = commute_toldAdmit()
		}
		x.lock.Unlock()
		commute_toldQueue(next)
		return
	}
	commute_poll()
	if readgstatus(gp) == _Grunnable {
		wakep()
	}
}

// commute_toldQueue queues a goroutine that has got the token, from sysmon.
func commute_toldQueue(next *g) {
	if next == nil {
		return
	}
	lock(&sched.lock)
	globrunqput(next)
	unlock(&sched.lock)
	wakep()
}

// commute_awaitTold comes from sysmon while nobody has the token. It lets those in that are told,
// when all are there, or gives up.
func commute_awaitTold(now int64) {
	x := &commute_explore
	a := &x.control.Arrivals
	if !a.Told() {
		return
	}
	x.lock.Lock()
	var next *g
	stuck := false
	if held, index := a.Held(); commute_tokenFree() && a.Told() {
		switch {
		case a.Complete(&x.control):
			next = commute_toldAdmit()
		case !held && !a.Waits():
			x.toldSince = 0
		case held && !a.Waits() && commute_toldHolds(),
			x.toldSince != 0 && x.toldIndex == index && now-x.toldSince > commute_toldMost:
			a.GiveUp(&x.control)
			next = commute_toldAdmit()
			stuck = next == nil
		case x.toldSince == 0 || x.toldIndex != index:
			x.toldSince, x.toldIndex = now, index
		}
	}
	x.lock.Unlock()
	commute_toldQueue(next)
	if stuck {
		lock(&sched.lock)
		checkdead()
		unlock(&sched.lock)
		wakep()
	}
}

// commute_toldAdmit lets those in that have come, and gives the token to one who can run. It returns
// nil if there is none.
func commute_toldAdmit() *g {
	x := &commute_explore
	commute_toldFreeze()
	x.toldSince = 0
	x.control.Arrivals.Clock = x.now.Load()
	x.control.Arrivals.Admit(&x.control)
	id := x.control.Choose(x.resume)
	x.resume = 0
	if id == 0 {
		commute_flow()
		return nil
	}
	next := (*g)(unsafe.Pointer(x.control.Task(id).G))
	x.holder.set(next)
	commute_toldClock()
	return next
}

// commute_toldWaits reports whether there are goroutines that can run, or may come, though no thread
// does anything.
func commute_toldWaits() bool {
	x := &commute_explore
	a := &x.control.Arrivals
	if gp := x.holder.ptr(); !a.Told() || gp != nil {
		return a.Told() && readgstatus(gp)&^_Gscan == _Gwaiting
	}
	if !commute_tokenFree() {
		return false
	}
	held, _ := a.Held()
	return held || a.Waits() || x.control.Pending() > 0
}
