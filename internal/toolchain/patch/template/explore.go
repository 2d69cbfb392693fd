// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build commute_patch && commute_explore

package runtime

// Control of which goroutine runs: one of those under control at a time, the one with the token.
//
// All others that could run are in no queue of the scheduler's: the engine's package explore has
// them. The scheduler is asked to queue a goroutine, and commute_hold takes it. A goroutine that
// parks, yields or ends gives the token up. The thread that it has run on may then pick the next
// one, and nobody else: so nobody is picked before the goroutine has parked. With one token it
// makes no difference on which thread, or which P, its holder runs.
//
// Goroutines are under control if they have a context, but for those whose function is the
// runtime's own. What these do, timers, and what the system does, comes from outside: a goroutine
// that is made ready so is an arrival.

import (
	"internal/runtime/atomic"
	"unsafe"
)

const commute_exploring = true

// commute_uncontrolled is the g.commute_task of a goroutine that is not under control.
const commute_uncontrolled = ^uint32(0)

var commute_explore struct {
	lock    commute_offheap_Lock // of what follows; nothing else is locked under it
	control commute_explore_Control

	holder   guintptr // has the token, 0 for nobody
	releaser muintptr // the thread that has given it up, and is to pick; 0 for none
	chosen   uint32   // the task that it is to pick; 0: it decides
	resume   uint32   // the task that it has interrupted for timers, and which may go on
	passed   uint32   // operations that were no points, since the last one
	overdue  uint32   // 1 if the holder has run for so long that it is to let others run
	leaving  bool     // the holder is about to give the token up, as in the run that is told
	asking   bool     // and that as it asks for input
	spins    bool     // it is, after many system calls in a row
	away     int32    // how many goroutines are in system calls without the token
	poller   muintptr // the thread that polls for who picks, or for the holder; 0 for none
	ownClock int32    // how often package testing is about to look at the clock

	watched     guintptr // the holder that sysmon has found,
	watchedCall bool     // in a system call or not,
	watchedTick uint32   // in which one, or after how many points,
	watchedAt   int64    // and when;
	watchedRan  int64    // how long it has had a processor since then,
	watchedTid  uint64   // its thread at the last look,
	watchedCPU  int64    // and how long that had had one by then

	toldSince int64  // since when something is waited for that is told,
	toldIndex uint32 // and what

	// the clock of goroutines under control; see exploretime.go
	jumps   bool // it may jump: runs are told to this process
	now     atomic.Int64
	flows   atomic.Uint32 // 1 while it goes with the real one
	base    int64         // the real one when that began
	lag     int64         // what the real one has gone ahead meanwhile
	timers  atomic.Uint32 // that were set
	wall    int64
	wallSet bool
}

// commute_controlled reports whether a goroutine is under control.
//
//go:nosplit
func commute_controlled(gp *g) bool { return gp.commute_task-1 < commute_uncontrolled-1 }

// commute_isFree reports whether a goroutine's function is one of the runtime's for itself, or C
// calls back by it.
func commute_isFree(gp *g) bool {
	if commute_ofC(gp) {
		return true
	}
	f := findfunc(gp.startpc)
	if !f.valid() {
		return false
	}
	switch name := funcname(f); name {
	case "runtime.main", "runtime.corostart":
		return false
	default:
		return len(name) > 8 && name[:8] == "runtime."
	}
}

// commute_enlist gives a goroutine a task, if it is to be under control. Parent is the task of the
// goroutine that has made it.
func commute_enlist(gp *g, parent uint32) {
	gp.commute_task = commute_uncontrolled
	if gp.racectx == 0 || commute_isFree(gp) {
		return
	}
	x := &commute_explore
	if id := x.control.New(uintptr(unsafe.Pointer(gp)), parent); id != 0 {
		gp.commute_task = id
	}
}

// commute_inside reports whether the current thread has the token, or is to pick.
func commute_inside(mp *m) bool {
	x := &commute_explore
	return x.releaser.ptr() == mp || mp.curg != nil && x.holder.ptr() == mp.curg
}

// commute_hold comes where the scheduler is about to queue a goroutine that can run. It reports
// whether the goroutine is held. The holder passes, and whoever finds the token free.
func commute_hold(gp *g) bool {
	if gp.commute_task == commute_uncontrolled {
		return false
	}
	mp := acquirem()
	x := &commute_explore
	x.lock.Lock()
	inside := commute_inside(mp)
	if gp.commute_task == 0 {
		parent := uint32(0)
		if inside && mp.curg != nil && commute_controlled(mp.curg) {
			parent = mp.curg.commute_task
		}
		commute_enlist(gp, parent)
	}
	held := false
	if commute_controlled(gp) {
		commute_returned(gp)
		held = !commute_take(gp)
	}
	switch {
	case held && inside && !x.leaving:
		x.control.Ready(gp.commute_task)
	case held:
		x.leaving = false
		x.control.Arrivals.Come(gp.commute_task)
	}
	x.lock.Unlock()
	releasem(mp)
	return held
}

// commute_take gives a goroutine the token if that is free: it has come from outside then. It
// reports whether the goroutine has the token.
func commute_take(gp *g) bool {
	x := &commute_explore
	if x.holder.ptr() == gp {
		return true
	}
	if x.holder != 0 || x.releaser != 0 || x.control.Arrivals.Told() {
		return false
	}
	x.holder.set(gp)
	commute_freezeClock()
	x.control.Arrivals.Clock = x.now.Load()
	x.control.Arrivals.Take(&x.control, gp.commute_task)
	return true
}

// commute_release takes the token from a goroutine. The current thread is to pick the next one.
func commute_release(gp *g) {
	x := &commute_explore
	if x.holder.ptr() == gp {
		x.holder = 0
		x.releaser.set(getg().m)
	}
}

// commute_parking comes before a goroutine parks. One that waits for the garbage collector alone
// keeps the token: collections decide nothing.
func commute_parking(gp *g) {
	if !commute_controlled(gp) {
		return
	}
	switch gp.waitreason {
	case waitReasonGCAssistMarking, waitReasonGCAssistWait, waitReasonGCSweepWait,
		waitReasonGCScavengeWait, waitReasonGCMarkTermination, waitReasonGarbageCollection,
		waitReasonGarbageCollectionScan, waitReasonWaitForGCCycle, waitReasonGCWeakToStrongWait,
		waitReasonFlushProcCaches, waitReasonStoppingTheWorld, waitReasonForceGCIdle:
		return
	}
	commute_logPark(gp)
	x := &commute_explore
	x.lock.Lock()
	if gp.waitreason != waitReasonIOWait || commute_parksAsking(gp) {
		commute_release(gp)
	}
	x.lock.Unlock()
}

// commute_preempted reports whether a goroutine that is preempted gives the token up. It does if it
// makes no point for long: it may wait for others, in a loop.
func commute_preempted(gp *g) bool {
	x := &commute_explore
	if x.overdue == 0 || x.holder.ptr() != gp {
		return false
	}
	x.overdue = 0
	x.control.Steps.Break()
	return true
}

// commute_yielding comes before a goroutine gives its processor up, and is queued.
func commute_yielding(gp *g) {
	if commute_controlled(gp) {
		x := &commute_explore
		x.lock.Lock()
		if x.leaving = x.leaving && x.holder.ptr() == gp; x.leaving {
			x.control.Arrivals.Clock = x.now.Load()
			if x.asking {
				x.control.Arrivals.LeaveAsking(&x.control, gp.commute_task)
			} else {
				x.control.Arrivals.Leave(&x.control, gp.commute_task)
			}
		}
		if x.spins && x.holder.ptr() == gp {
			x.spins = false
			x.control.Spins()
			commute_pass(commute_explore_CallsMost * commute_callTime)
		}
		commute_release(gp)
		x.lock.Unlock()
	}
}

// commute_gone comes when a goroutine is over. If its thread ends with it, that does not come to
// schedule, and picks here.
func commute_gone(gp *g) {
	if id := gp.commute_task; commute_controlled(gp) {
		x := &commute_explore
		x.lock.Lock()
		commute_release(gp)
		x.control.End(id)
		x.lock.Unlock()
	}
	gp.commute_task = 0
	if gp.lockedm != 0 {
		commute_pick()
	}
}

// commute_run comes when a goroutine is about to run on the current thread. One that could not park
// gets the token back.
func commute_run(gp *g) {
	x := &commute_explore
	if !commute_controlled(gp) || x.holder.ptr() == gp {
		return
	}
	x.lock.Lock()
	commute_returned(gp)
	if x.holder == 0 && x.releaser.ptr() == getg().m {
		x.holder.set(gp)
		x.releaser = 0
	} else {
		commute_take(gp)
	}
	x.lock.Unlock()
}

// commute_late comes when the scheduler is about to run a goroutine, which it may have from the
// poller. It reports whether that has to wait for the token.
func commute_late(gp *g) bool {
	x := &commute_explore
	if !commute_controlled(gp) || x.holder.ptr() == gp {
		return false
	}
	x.lock.Lock()
	has, picks := commute_take(gp), false
	if !has {
		x.control.Arrivals.Come(gp.commute_task)
		picks = commute_toldCome()
	}
	x.lock.Unlock()
	if picks {
		commute_pick()
	}
	return !has
}

// commute_pick comes where a thread looks for something to run. If it has given the token up, it
// gives that to the next one, and queues it here.
func commute_pick() {
	x := &commute_explore
	mp := getg().m
	if x.releaser.ptr() != mp {
		return
	}
	if x.chosen == 0 && x.control.Pace.Idles() && x.flows.Load() == 0 {
		x.now.Store(x.now.Load() + commute_idleTime) // somebody yields until a timer fires
	}
	for spins := 0; ; {
		if x.chosen == 0 && commute_timersDue() {
			commute_runTimers()
		}
		if x.chosen == 0 && x.control.Pace.Due() {
			commute_poll()
		}
		x.lock.Lock()
		id := x.chosen
		x.control.Arrivals.Clock = x.now.Load()
		if id == 0 && x.control.Arrivals.Halts(&x.control) {
			x.releaser = 0
			x.lock.Unlock()
			return
		}
		if id == 0 {
			id = x.control.Choose(x.resume)
		}
		if id == 0 {
			x.lock.Unlock()
			commute_poll()
			x.lock.Lock()
			if x.control.Arrivals.Admit(&x.control) {
				id = x.control.Choose(0)
			}
		}
		x.chosen, x.resume = 0, 0
		if id != 0 {
			gp := (*g)(unsafe.Pointer(x.control.Task(id).G))
			x.holder.set(gp)
			x.releaser = 0
			commute_toldClock()
			x.lock.Unlock()
			runqput(mp.p.ptr(), gp, true)
			return
		}
		if !commute_canJump(mp.p.ptr()) {
			if spins++; spins < commute_pickSpins && commute_couldJump() {
				x.lock.Unlock()
				osyield()
				continue
			}
			x.releaser = 0 // an arrival takes the token itself
			commute_flow()
			x.lock.Unlock()
			return
		}
		x.lock.Unlock()
		commute_jump()
	}
}

// commute_pickSpins is how often a thread looks whether the others have nothing to do, before the
// last one of them lets the time jump. What a goroutine allocates depends on the processor.
const commute_pickSpins = 100

// commute_keep has the holder of the token, which is preempted, stay on its processor. It reports
// whether it does.
func commute_keep(gp *g) bool {
	pp := getg().m.p.ptr()
	if pp == nil || commute_explore.holder.ptr() != gp {
		return false
	}
	runqput(pp, gp, false)
	return true
}

// commute_quiet reports whether there is nothing that another thread could run, so that none has to
// be woken.
func commute_quiet() bool {
	pp := getg().m.p.ptr()
	return pp != nil && gcBlackenEnabled == 0 && runqempty(pp) && sched.runq.empty()
}

// commute_coroutine comes before a goroutine switches to another one, as those of iter.Pull do. It
// returns the goroutine's task if it has the token, 0 otherwise.
func commute_coroutine(gp *g) uint32 {
	if x := &commute_explore; commute_controlled(gp) && x.holder.ptr() == gp {
		return gp.commute_task
	}
	return 0
}

// commute_switched comes when the goroutine to which that one switches is known. It gets the token.
func commute_switched(from uint32, gp *g) {
	if from == 0 {
		return
	}
	x := &commute_explore
	x.lock.Lock()
	x.control.Steps.Break()
	if gp.commute_task == 0 {
		commute_enlist(gp, from)
	}
	x.releaser = 0
	if commute_controlled(gp) {
		x.holder.set(gp)
	}
	x.lock.Unlock()
}

// commute_unheld reports whether the current goroutine, which comes from a system call, has to wait
// for the token, or to let others run.
//
//go:nosplit
func commute_unheld(gp *g) bool {
	x := &commute_explore
	if !commute_controlled(gp) {
		return false
	}
	if x.holder.ptr() != gp {
		return true
	}
	if x.control.Arrivals.Leaves(&x.control, gp.commute_task) {
		x.leaving, x.asking = true, false // it gives the token up where it yields
		return true
	}
	x.spins = x.control.Arrivals.Back()
	return x.spins
}
