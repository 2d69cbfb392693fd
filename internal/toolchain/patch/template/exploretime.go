// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build commute_patch && commute_explore

package runtime

// Time, as goroutines under control see it. It stands still while one runs, but for a little with
// each point, and each time that it is read: so who waits for it in a loop comes to an end. If
// nobody can run it jumps to the next timer. If something from outside may come, such as input, it
// goes as the real time does. The scheduler's own time is the real one.
//
// Before the first run, and in a process that another one has started, it doesn't jump: who sleeps
// there may wait for a signal.
//
// Timers run where a thread picks: they are due by a clock that depends on nothing but points.

const (
	commute_pointTime = 200  // nanoseconds
	commute_readTime  = 1000 // nanoseconds
	commute_startTime = 1e12 // nanoseconds: what the clock has shown at first
	commute_near      = 1e5  // nanoseconds
)

// commute_nano is the time in nanoseconds.
//
//go:nosplit
func commute_nano() int64 {
	x := &commute_explore
	now := x.now.Load()
	if now == 0 {
		now = commute_startTime
		x.now.Store(now)
	}
	if x.flows.Load() != 0 {
		return now + nanotime() - x.base
	}
	if x.holder.ptr() == getg() {
		x.now.Store(now + commute_readTime)
	}
	return now
}

// commute_timeNow is the time of the wall, and that in nanoseconds.
func commute_timeNow() (sec int64, nsec int32, mono int64) {
	x := &commute_explore
	mono = commute_nano()
	if !x.wallSet {
		s, ns, _ := time_now()
		x.wall = s*1e9 + int64(ns) - mono
		x.wallSet = true
	}
	at := x.wall + mono
	return at / 1e9, int32(at % 1e9), mono
}

// commute_flow lets the time go with the real one, if something from outside may come.
func commute_flow() {
	x := &commute_explore
	if x.flows.Load() == 0 && (netpollAnyWaiters() || x.away > 0 ||
		commute_nextTimer() != 0 && (!x.jumps || commute_foreignThreads())) {
		x.base = nanotime()
		x.flows.Store(1)
	}
}

// commute_freezeClock has it stand still again.
func commute_freezeClock() {
	x := &commute_explore
	if x.flows.Load() != 0 {
		x.now.Store(x.now.Load() + nanotime() - x.base)
		x.flows.Store(0)
	}
}

// commute_nextTimer is when the next timer is due, 0 if there is none.
func commute_nextTimer() (next int64) {
	for _, pp := range allp {
		if pp == nil {
			continue
		}
		if w := pp.timers.wakeTime(); w != 0 && (next == 0 || w < next) {
			next = w
		}
	}
	return next
}

// commute_timersDue reports whether a timer is.
func commute_timersDue() bool {
	x := &commute_explore
	if x.flows.Load() != 0 {
		return false
	}
	next := commute_nextTimer()
	return next != 0 && next <= x.now.Load()
}

// commute_runTimers runs the timers that are due, on the system stack.
func commute_runTimers() {
	now := commute_nano()
	for _, pp := range allp {
		if pp != nil {
			pp.timers.commute_check(now, nil)
		}
	}
}

// check is in place of the scheduler's own. Timers run here only while the time goes.
func (ts *timers) check(now int64, bubble *synctestBubble) (rnow, pollUntil int64, ran bool) {
	if bubble != nil {
		return ts.commute_check(now, bubble)
	}
	if now == 0 {
		now = nanotime()
	}
	x := &commute_explore
	if x.flows.Load() == 0 {
		return now, 0, false
	}
	at := commute_nano()
	next := commute_nextTimer()
	if next != 0 && next <= at {
		for _, pp := range allp {
			if pp != nil {
				pp.timers.commute_check(at, nil)
			}
		}
		ran = true
		next = commute_nextTimer()
	}
	if next == 0 || x.flows.Load() == 0 {
		return now, 0, ran
	}
	return now, max(now+1, next-at+now), ran
}

// commute_canJump reports whether the time may jump, as nobody can run until it does: no thread but
// the current one, which has the processor pp, does anything, and nothing may come from outside.
func commute_canJump(pp *p) bool {
	x := &commute_explore
	return x.jumps && commute_nextTimer() != 0 && !netpollAnyWaiters() && x.away == 0 &&
		sched.npidle.Load() == gomaxprocs-1 && runqempty(pp) && sched.runq.empty() &&
		gcphase == _GCoff && !sched.gcwaiting.Load() &&
		fingStatus.Load()&(fingWait|fingWake) != fingWait|fingWake && !gcCleanups.needsWake() &&
		!commute_foreignThreads()
}

// commute_jump lets the time jump to the next timer, and a little further: timers that are so near
// are due at once, in any order.
func commute_jump() {
	if next, now := commute_nextTimer(), &commute_explore.now; next > now.Load() {
		now.Store(next + commute_near)
	}
}

// commute_idle comes where a thread has found nothing to run. If nobody has the token the time may
// have to jump. It reports whether there may be something now.
func commute_idle() bool {
	x := &commute_explore
	if x.holder != 0 || x.releaser != 0 {
		return false
	}
	mp := getg().m
	x.lock.Lock()
	stands := x.holder == 0 && x.releaser == 0 && x.flows.Load() == 0
	jumps := stands && commute_canJump(mp.p.ptr())
	switch {
	case jumps:
		x.releaser.set(mp)
	case stands && iscgo:
		commute_flow() // there may be threads that were not there before
	}
	flows := stands && x.flows.Load() != 0
	x.lock.Unlock()
	if jumps {
		commute_pick()
	}
	return jumps || flows
}
