// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build commute_patch && commute_explore

package runtime

// What sysmon looks after: a holder of the token that waits in a system call, or comes to no point.

import (
	"internal/goarch"
	"internal/runtime/syscall/linux"
	"unsafe"
)

// commute_longCall is after how many nanoseconds the token of a goroutine in a system call is given
// to another one, if the system has put its thread to sleep.
const commute_longCall = 20e6

// commute_longRun is after how many nanoseconds without a point the holder has to let others run,
// in a call that keeps its thread busy, too: C may wait there in a loop. What counts is the time for
// which its thread had a processor: on a busy machine, or if the process was stopped, that is less.
const commute_longRun = 1e9

// commute_watch comes from sysmon, on its thread.
func commute_watch(now int64) {
	x := &commute_explore
	gp := x.holder.ptr()
	if gp == nil {
		commute_awaitTold(now)
		if x.jumps && x.releaser == 0 && sched.npidle.Load() == gomaxprocs &&
			commute_nextTimer() != 0 {
			if commute_endWait(); x.flows.Load() == 0 {
				wakep() // its thread lets the time jump
			}
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
		x.watchedRan, x.watchedTid = 0, 0
		return
	}
	commute_countRun(mp.procid, now)
	if !call {
		if x.watchedRan > commute_longRun {
			x.overdue = 1
		}
		return
	}
	if !commute_callIsLong(mp.procid, now-x.watchedAt) {
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

// commute_countRun counts how long the holder, which is on a thread, had a processor since it was
// looked at last.
func commute_countRun(tid uint64, now int64) {
	x := &commute_explore
	cpu, ok := commute_threadTime(tid)
	switch {
	case !ok:
		x.watchedRan = now - x.watchedAt
	case tid == x.watchedTid:
		x.watchedRan += cpu - x.watchedCPU
	}
	x.watchedTid, x.watchedCPU = tid, cpu
}

// commute_callIsLong reports whether a thread has been in a system call for so long that others are
// to run: it sleeps until somebody wakes it, or the call takes a second. Until then it may wait for a
// processor, or for a disk that is busy: how long that takes is not to make a difference.
func commute_callIsLong(tid uint64, after int64) bool {
	if after < commute_longCall {
		return false
	}
	switch commute_threadState(tid) {
	case 'S':
		return true
	case 'R':
		return commute_explore.watchedRan > commute_longRun
	}
	return after > commute_longRun
}

// commute_threadTime is for how many nanoseconds a thread of this process has had a processor.
func commute_threadTime(tid uint64) (ns int64, ok bool) {
	const clockGettime = 228*goarch.IsAmd64 + 113*goarch.IsArm64 + 265*goarch.Is386
	var t struct{ sec, nsec int }
	clock := ^uint32(tid)<<3 | 6 // the thread's, of the scheduler
	_, _, errno := linux.Syscall6(clockGettime, uintptr(clock),
		uintptr(noescape(unsafe.Pointer(&t))), 0, 0, 0, 0)
	return int64(t.sec)*1e9 + int64(t.nsec), errno == 0
}

// commute_threadState is the letter by which the system has the state of a thread of this process,
// S if it is not known.
func commute_threadState(tid uint64) byte {
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
		return 'S'
	}
	var text [128]byte
	got := read(fd, noescape(unsafe.Pointer(&text[0])), int32(len(text)))
	closefd(fd)
	for i := int(got) - 3; i > 0; i-- {
		if text[i] == ')' {
			return text[i+2]
		}
	}
	return 'S'
}
