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
	commute_idleTime  = 2e5  // nanoseconds, for many choices without a point, and many operations
	commute_readTime  = 1000 // nanoseconds
	commute_callTime  = 2000 // nanoseconds, for each of many system calls
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
		commute_looked()
		x.now.Store(now + commute_readTime)
	}
	return now
}

// commute_pass has nanoseconds pass, unless the time goes by itself.
func commute_pass(nanoseconds int64) {
	if x := &commute_explore; x.flows.Load() == 0 {
		x.now.Store(x.now.Load() + nanoseconds)
	}
}

// commute_starveTime is the time by which a goroutine has waited for a mutex so long that it is the
// next one to get it. It stands still while the time goes, as it is not to depend on the machine.
func commute_starveTime() int64 { return max(1, commute_explore.now.Load()) }

// commute_timeNow is the time of the wall, and that in nanoseconds. It begins at a full second, in
// each process: who waits for one has as long to wait. It is the next one by the real time: what is
// stamped by others, such as files, seems to be up to a second old, as where only seconds count, and
// not to be from the future.
func commute_timeNow() (sec int64, nsec int32, mono int64) {
	x := &commute_explore
	mono = commute_nano()
	if !x.wallSet {
		s, ns, _ := time_now()
		begun := s*1e9 + int64(ns) - (mono - commute_startTime)
		x.wall = (begun+1e9-1)/1e9*1e9 - commute_startTime
		x.wallSet = true
	}
	at := x.wall + mono
	return at / 1e9, int32(at % 1e9), mono
}

// commute_flow lets the time go with the real one, if something from outside may come.
func commute_flow() {
	x := &commute_explore
	if x.flows.Load() == 0 && commute_mayCome() {
		x.base = nanotime()
		x.flows.Store(1)
	}
}

// commute_mayCome reports whether something from outside may come.
func commute_mayCome() bool {
	x := &commute_explore
	return netpollAnyWaiters() || x.away > 0 ||
		commute_nextTimer() != 0 && (!x.jumps || commute_outside())
}

// commute_endWait comes from sysmon while all threads wait. If the time goes, and nothing may come
// from outside any more, as the last thread of C has ended, it stands still. Then it can jump.
func commute_endWait() {
	x := &commute_explore
	if x.flows.Load() == 0 || commute_mayCome() {
		return
	}
	x.lock.Lock()
	if commute_tokenFree() && !commute_mayCome() {
		commute_freezeClock()
	}
	x.lock.Unlock()
}

// commute_lag is how far the clock may stay behind the real one: how long input takes that the
// program itself has made is not to make a difference.
const commute_lag = 10e6 // nanoseconds

// commute_freezeClock has it stand still again.
func commute_freezeClock() {
	x := &commute_explore
	if x.flows.Load() == 0 {
		return
	}
	if x.lag += nanotime() - x.base; x.lag >= commute_lag {
		x.now.Store(x.now.Load() + x.lag)
		x.lag = 0
	}
	x.flows.Store(0)
}

// commute_timers are the timers of all processors, in place of those of each: which one a goroutine
// runs on makes no difference.
func commute_timers() *timers { return &allp[0].timers }

// commute_timerOrder is greater with each timer: those that are due at the same time fire in the
// order in which they were set.
func commute_timerOrder() uint32 { return commute_explore.timers.Add(1) }

// commute_nextTimer is when the next timer is due, 0 if there is none.
func commute_nextTimer() int64 { return commute_timers().wakeTime() }

// commute_timersDue reports whether a timer is.
func commute_timersDue() bool {
	x := &commute_explore
	if x.flows.Load() != 0 {
		return false
	}
	next := commute_nextTimer()
	return next != 0 && next <= x.now.Load()
}

// commute_runTimers runs the timers that are due, on the system stack. The current thread has a
// processor.
//
//go:yeswritebarrierrec
func commute_runTimers() {
	ts := commute_timers()
	ts.commute_check(commute_explore.now.Load(), nil)
	if int(ts.zombies.Load()) > int(ts.len.Load())/4 {
		ts.lock()
		ts.adjust(commute_explore.now.Load(), true)
		ts.unlock()
	}
}

// check is in place of the scheduler's own. While the time goes, and nobody has the token, timers
// become due here: the current thread is to pick, as where the time jumps.
func (ts *timers) check(now int64, bubble *synctestBubble) (rnow, pollUntil int64, ran bool) {
	if bubble != nil {
		return ts.commute_check(now, bubble)
	}
	x := &commute_explore
	for {
		if now = nanotime(); x.flows.Load() == 0 {
			return now, 0, ran
		}
		if x.control.Arrivals.Waits() {
			return now, now + commute_toldPause, ran
		}
		next := commute_nextTimer()
		if next == 0 {
			return now, 0, ran
		}
		if at := commute_nano(); next > at {
			return now, max(now+1, next-at+now), ran
		}
		ran = true
		if commute_endFlow() {
			commute_pick()
		}
	}
}

// commute_endFlow lets the time jump to the next timer, if that is due by the real time, and nobody
// has got the token meanwhile. The current thread is to pick then. Another thread may have had the
// same timer run before this one has the lock: the next one may be due in hours.
func commute_endFlow() bool {
	x := &commute_explore
	x.lock.Lock()
	next := commute_nextTimer()
	ok := x.flows.Load() != 0 && commute_tokenFree() && !x.control.Arrivals.Waits() &&
		next != 0 && next <= commute_nano()
	if ok {
		x.flows.Store(0)
		x.lag = 0
		x.releaser.set(getg().m)
		commute_jump()
	}
	x.lock.Unlock()
	return ok
}

// commute_couldJump reports whether the time may jump if all other threads are idle.
func commute_couldJump() bool {
	x := &commute_explore
	return x.jumps && commute_nextTimer() != 0 && !netpollAnyWaiters() && x.away == 0 &&
		gcphase == _GCoff && !sched.gcwaiting.Load() && !commute_toldHolds() && !commute_outside()
}

// commute_canJump reports whether the time may jump, as nobody can run until it does: no thread but
// the current one, which has the processor pp, does anything, and nothing may come from outside.
func commute_canJump(pp *p) bool {
	x := &commute_explore
	return x.jumps && commute_nextTimer() != 0 && !netpollAnyWaiters() && x.away == 0 &&
		sched.npidle.Load() == gomaxprocs-1 && runqempty(pp) && sched.runq.empty() &&
		gcphase == _GCoff && !sched.gcwaiting.Load() &&
		fingStatus.Load()&(fingWait|fingWake) != fingWait|fingWake && !gcCleanups.needsWake() &&
		!commute_toldHolds() && !commute_outside()
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
