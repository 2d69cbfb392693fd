// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build commute_patch && commute_explore

package runtime

// Input: what the poller finds is asked for where nobody can run, and else after many points. What
// the program has sent to itself by then is there, so that it is found at the same point in each
// run. While somebody has the token, no thread polls: one that waits for input looks whether there
// is any, and leaves it there.

import "internal/runtime/syscall/linux"

// commute_inputs is a poller that waits for the scheduler's one to have something; -1 before it is
// made.
var commute_inputs int32 = -1

// commute_skipPoll tells the poller to return nothing.
const commute_skipPoll = -2

// commute_tokenFree reports whether nobody has the token, and nobody is to pick.
func commute_tokenFree() bool {
	x := &commute_explore
	return x.holder == 0 && x.releaser == 0
}

// commute_mayPoll is netpollAnyWaiters for the scheduler.
func commute_mayPoll() bool { return commute_tokenFree() && netpollAnyWaiters() }

// commute_awaitInput comes before the poller is asked, and waits in its place. It returns how long
// the poller is to wait.
func commute_awaitInput(delay int64) int64 {
	x := &commute_explore
	mp := getg().m
	if delay == 0 {
		if x.poller.ptr() == mp || commute_tokenFree() {
			return 0
		}
		return commute_skipPoll
	}
	if commute_inputs < 0 && !commute_makeInputs() {
		return delay
	}
	ms := int32(-1)
	if delay > 0 {
		ms = int32(min((delay+999_999)/1_000_000, 1_000_000_000))
	}
	var events [1]linux.EpollEvent
	for {
		_, errno := linux.EpollWait(commute_inputs, events[:], 1, ms)
		if errno != _EINTR || ms > 0 {
			break
		}
	}
	if !commute_tokenFree() {
		return commute_skipPoll
	}
	return 1 // not 0: it also takes what it was woken by
}

// commute_makeInputs makes that poller. One thread at a time waits for input.
func commute_makeInputs() bool {
	fd, errno := linux.EpollCreate1(linux.EPOLL_CLOEXEC)
	if errno != 0 {
		return false
	}
	event := linux.EpollEvent{Events: linux.EPOLLIN}
	if linux.EpollCtl(fd, linux.EPOLL_CTL_ADD, epfd, &event) != 0 {
		closefd(fd)
		return false
	}
	commute_inputs = fd
	return true
}

// Input takes time: who copies it until a deadline comes to an end, though so much may be sent at
// once that it is hardly ever waited for.
const (
	commute_inputTime = 1e4  // nanoseconds, for what has come when it is looked for
	commute_askTime   = 2000 // nanoseconds, for each time that it is asked for, or sent
)

// commute_poll has goroutines for which there is input arrive. It runs on the system stack, of the
// thread that is to pick or of the holder.
func commute_poll() {
	if !netpollinited() || !netpollAnyWaiters() {
		return
	}
	x := &commute_explore
	x.poller.set(getg().m)
	list, delta := netpoll(0)
	x.poller = 0
	netpollAdjustWaiters(delta)
	if !list.empty() && x.flows.Load() == 0 {
		x.now.Store(x.now.Load() + commute_inputTime)
	}
	for !list.empty() {
		gp := list.pop()
		trace := traceAcquire()
		casgstatus(gp, _Gwaiting, _Grunnable)
		if trace.ok() {
			trace.GoUnpark(gp, 0)
			traceRelease(trace)
		}
		if !commute_controlled(gp) || x.holder.ptr() == gp {
			lock(&sched.lock)
			globrunqput(gp)
			unlock(&sched.lock)
			continue
		}
		x.lock.Lock()
		x.control.Arrivals.Come(gp.commute_task)
		x.lock.Unlock()
	}
}

// commute_poolIndex is the index of the part of a sync.Pool that the current goroutine has, which
// is pinned to the processor pid. Goroutines under control share one.
func commute_poolIndex(pid int) int {
	if commute_controlled(getg()) {
		commute_share(uintptr(commute_explore_Pools), true)
		return 0
	}
	return pid + 1
}
