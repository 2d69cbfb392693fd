// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build commute_patch && commute_explore

package runtime

// What sysmon looks after: a holder of the token that waits in a system call.

import "unsafe"

// commute_longCall is after how many nanoseconds the token of a goroutine in a system call is given
// to another one, if the system has put its thread to sleep.
const commute_longCall = 20e6

// commute_longRun is after how many nanoseconds without a point the holder has to let others run,
// in a call that keeps its thread busy, too: C may wait there in a loop.
const commute_longRun = 1e9

// commute_watch comes from sysmon, on its thread.
func commute_watch(now int64) {
	x := &commute_explore
	gp := x.holder.ptr()
	if gp == nil {
		commute_awaitTold(now)
		if x.jumps && x.releaser == 0 && x.flows.Load() == 0 && sched.npidle.Load() == gomaxprocs &&
			commute_nextTimer() != 0 {
			wakep() // its thread lets the time jump
		}
		return
	}
	mp := gp.m
	if mp == nil {
		commute_awaitAsked(gp, now)
		x.watched = 0
		return
	}
	call, tick := readgstatus(gp)&^_Gscan == _Gsyscall, x.control.Points()
	if call {
		tick = mp.syscalltick
	}
	if x.watched.ptr() != gp || x.watchedCall != call || x.watchedTick != tick {
		x.watched.set(gp)
		x.watchedCall, x.watchedTick, x.watchedAt = call, tick, now
		return
	}
	if !call {
		if now-x.watchedAt > commute_longRun {
			x.overdue = 1
		}
		return
	}
	if after := now - x.watchedAt; after < commute_longCall ||
		after < commute_longRun && !commute_sleeps(mp.procid) {
		return
	}
	x.lock.Lock()
	var next *g
	if x.holder.ptr() == gp && x.watchedTick == mp.syscalltick {
		if commute_toldStays(gp, now) {
			x.lock.Unlock()
			return
		}
		x.holder = 0
		x.control.Steps.Break()
		x.away++
		x.control.Task(gp.commute_task).Away = true
		x.control.Arrivals.Clock = x.now.Load()
		x.control.Arrivals.Leave(&x.control, gp.commute_task)
		id := x.control.Choose(0)
		if id == 0 && x.control.Arrivals.Admit(&x.control) {
			id = x.control.Choose(0)
		}
		if id != 0 {
			next = (*g)(unsafe.Pointer(x.control.Task(id).G))
			x.holder.set(next)
		} else {
			commute_flow()
		}
	}
	x.watched = 0
	x.lock.Unlock()
	if next != nil {
		lock(&sched.lock)
		globrunqput(next)
		unlock(&sched.lock)
	}
	wakep()
}

// commute_returned notes that a goroutine is back whose token was given away.
func commute_returned(gp *g) {
	x := &commute_explore
	if t := x.control.Task(gp.commute_task); t.Away {
		t.Away = false
		x.away--
	}
}

// commute_sleeps reports whether the system has put a thread of this process to sleep, until
// somebody wakes it. Otherwise it may only wait for a processor, or for a disk that is busy: how
// long that takes is not to make a difference.
func commute_sleeps(tid uint64) bool {
	const begin, end = "/proc/self/task/", "/stat"
	var path [len(begin) + 20 + len(end) + 1]byte
	n := copy(path[:], begin)
	var digits [20]byte
	i := len(digits)
	for ; tid > 0; tid /= 10 {
		i--
		digits[i] = byte('0' + tid%10)
	}
	n += copy(path[n:], digits[i:])
	copy(path[n:], end)
	fd := open(&path[0], _O_RDONLY|_O_CLOEXEC, 0)
	if fd < 0 {
		return true
	}
	var text [128]byte
	got := read(fd, noescape(unsafe.Pointer(&text[0])), int32(len(text)))
	closefd(fd)
	for i := int(got) - 3; i > 0; i-- {
		if text[i] == ')' {
			return text[i+2] == 'S'
		}
	}
	return true
}
