// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build commute_patch

package runtime

// Reports: hooks only post messages, for they can't wait, and must not keep others waiting. Here
// messages become texts, and texts are written.
//
// A goroutine of the runtime's makes the texts. It can be preempted, and allocate. A hook can't
// make it ready to run, as any lock of the runtime may be held there. A thread does that, the
// waker. It has no P, as sysmon has none, and sleeps on a note that hooks may wake. Another such
// thread, the writer, writes the texts, and it alone waits while they aren't read. Neither thread
// delays the garbage collector, or keeps a deadlock from being seen.
//
//	state      what comes next
//	posted     the goroutine: a message has to become a text
//	unwritten  the writer: a text has to be written
//	progress   a counter of parts that are written; waiting ends when it stands still

import (
	"internal/runtime/atomic"
	"unsafe"
)

var commute_reports struct {
	started atomic.Uint32 // 1 once the waker runs
	wake    note          // the waker sleeps on it
	waking  atomic.Uint32 // 1 from the wakeup of wake until the waker has cleared it
	writer  atomic.Uint32 // 1 once the writer runs
	write   note          // the writer sleeps on it
	writing atomic.Uint32 // as waking, for write
	dead    atomic.Uint32 // 1 if checkdead is to be called when all is written

	lock mutex
	g    *g   // the goroutine that makes the texts
	idle bool // it is parked; set and cleared with lock held, so that it's made ready once

	asked  atomic.Uint32    // 1 if what was found so far is to be written
	signal atomic.Uint32    // the signal that ends the program, 0 for none
	ending bool             // the goroutine has begun to write what is written then
	die    func(sig uint32) // dieFromSignal; nil on ports without signals

	gaveUp atomic.Uint64 // 1 + what Progress was when a drain gave up; 0 for never
	drain  func()        // commute_drain, which throw may not call by name: it has write barriers
}

// Both the goroutine and the waker come before main. Ports without threads have neither: there
// commute_host_Wake returns false, and the engine makes and writes reports in the hook itself.
func init() {
	if haveSysmon {
		go commute_reporter()
		commute_reports.drain = commute_drain
		systemstack(func() { newm(commute_waker, nil, -1) })
		commute_reports.started.Store(1)
	}
}

// commute_host_Wake has the waker look; it may be called from any hook. It returns false before
// there is a waker.
func commute_host_Wake() bool {
	r := &commute_reports
	if r.started.Load() == 0 {
		return false
	}
	if r.waking.Swap(1) == 0 {
		notewakeup(&r.wake)
	}
	return true
}

// commute_wakeWriter has the writer look for texts.
func commute_wakeWriter() {
	r := &commute_reports
	if r.writer.Load() != 0 && r.writing.Swap(1) == 0 {
		notewakeup(&r.write)
	}
}

// commute_system makes the current thread one that no goroutine depends on, so that the detection
// of deadlocks doesn't count it.
func commute_system() {
	lock(&sched.lock)
	sched.nmsys++
	checkdead()
	unlock(&sched.lock)
}

// commute_hasWork reports whether the goroutine that makes texts has something to do: a message, a
// text while there is no writer yet, or a signal.
func commute_hasWork() bool {
	r := &commute_reports
	return commute_finding_Posted() || commute_output_Unwritten() && r.writer.Load() == 0 ||
		r.asked.Load() != 0 || r.signal.Load() != 0 && !r.ending
}

// commute_signalTime is how many nanoseconds nothing may happen before a signal ends the program.
const commute_signalTime = 2e9

// commute_heed does what signals ask for, on the goroutine that makes texts.
func commute_heed() {
	r := &commute_reports
	if r.asked.Swap(0) != 0 {
		mp := acquirem()
		commute_finding_SoFar()
		releasem(mp)
	}
	if sig := r.signal.Load(); sig != 0 && !r.ending {
		r.ending = true
		commute_exiting(128 + int(sig))
		systemstack(func() { r.die(sig) })
	}
}

// commute_waker is the thread that lets the goroutine run that makes texts.
func commute_waker() {
	commute_system()
	r := &commute_reports
	for {
		waked := true
		switch {
		case r.dead.Load() != 0:
			waked = notetsleep(&r.wake, 10_000_000)
		case r.signal.Load() != 0:
			if waked = notetsleep(&r.wake, commute_signalTime); !waked {
				r.die(r.signal.Load()) // no goroutine runs
			}
		default:
			notesleep(&r.wake)
		}
		if waked { // else a hook may be about to wake the note, which must be clear then
			noteclear(&r.wake)
			r.waking.Store(0)
		}
		lock(&r.lock)
		if r.idle && commute_hasWork() {
			r.idle = false
			var list gList
			list.push(r.g)
			injectglist(&list)
		}
		unlock(&r.lock)
		commute_wakeWriter()
		if r.dead.Load() != 0 && !commute_busy() {
			r.dead.Store(0)
			lock(&sched.lock)
			checkdead()
			unlock(&sched.lock)
		}
	}
}

// commute_busy reports whether there are reports that will be written soon. Texts that a drain has
// given up on don't count until there is progress again.
func commute_busy() bool {
	return commute_finding_Posted() ||
		commute_output_Unwritten() && commute_reports.gaveUp.Load() != commute_output_Progress()+1
}

// commute_reportsPending is asked before the runtime says that all goroutines are asleep. If it
// returns true, that is too early: findings have to be reported before, and the waker then has the
// runtime look again.
func commute_reportsPending() bool {
	if !commute_busy() {
		return false
	}
	commute_reports.dead.Store(1)
	commute_host_Wake()
	return true
}

// commute_reporter is the goroutine that makes the texts. The writer's thread is started with the
// first one, so that a program without findings has none.
func commute_reporter() {
	r := &commute_reports
	r.g = getg()
	for {
		if r.writer.Load() == 0 && commute_hasWork() {
			systemstack(func() { newm(commute_writer, nil, -1) })
			r.writer.Store(1)
		}
		commute_makeTexts()
		commute_heed()
		if commute_finding_Halting() && !commute_finding_Posted() {
			commute_halt()
		}
		lock(&r.lock)
		if commute_hasWork() {
			unlock(&r.lock)
			Gosched() // a goroutine that drains has the message in hand
			continue
		}
		r.idle = true
		goparkunlock(&r.lock, waitReasonForceGCIdle, traceBlockSystemGoroutine, 1)
	}
}

// commute_makeTexts makes the texts of all messages but those that another goroutine has in hand.
func commute_makeTexts() {
	for {
		mp := acquirem()
		m := commute_finding_Take()
		releasem(mp)
		if m == nil {
			return
		}
		m.MakeText()
		mp = acquirem()
		m.Done()
		releasem(mp)
		commute_wakeWriter()
	}
}

// commute_writer is the thread that writes the texts.
func commute_writer() {
	commute_system()
	r := &commute_reports
	for {
		for t := commute_output_NextText(); t != nil; t = commute_output_NextText() {
			fd, p, n := t.Contents()
			commute_output_Written(t, commute_writeAll(fd, p, n))
		}
		notesleep(&r.write)
		noteclear(&r.write)
		r.writing.Store(0)
	}
}

// commute_writeAll writes n bytes, however long that takes. It reports whether it did.
func commute_writeAll(fd uintptr, p *byte, n int) bool {
	const interrupted = -4
	again := int32(-11)
	switch GOOS {
	case "darwin", "ios", "freebsd", "netbsd", "openbsd", "dragonfly":
		again = -35
	}
	for n > 0 {
		k := write(fd, unsafe.Pointer(p), int32(min(n, 64<<10)))
		switch {
		case k > 0:
			p = (*byte)(unsafe.Add(unsafe.Pointer(p), k))
			n -= int(k)
			commute_output_Advance()
		case k == again: // the program has made the file non-blocking
			usleep(2000)
		case k != interrupted:
			return false
		}
	}
	return true
}

// commute_drain waits until all findings are written. It gives up if there is no progress for a
// second, or after a minute in all. Later calls then give up at once until there is progress. The
// caller makes texts, too: the goroutine might not get to run.
func commute_drain() {
	r := &commute_reports
	if !commute_finding_Posted() && !commute_output_Unwritten() {
		return
	}
	done := commute_output_Progress()
	since := nanotime()
	start := since
	for n := uint32(0); ; n++ {
		commute_makeTexts()
		commute_host_Wake() // the writer may not have been started yet
		if !commute_finding_Posted() && !commute_output_Unwritten() {
			return
		}
		now := nanotime()
		if p := commute_output_Progress(); p != done {
			done, since = p, now
		}
		if r.gaveUp.Load() == done+1 {
			return
		}
		if now-since > 1_000_000_000 || now-start > 60_000_000_000 {
			r.gaveUp.Store(done + 1)
			return
		}
		commute_sleep(min(10+n, 1000))
	}
}

// commute_sleep lets the current goroutine sleep in a system call, so that its P serves others.
// There must be threads.
//
//go:nosplit
func commute_sleep(us uint32) {
	entersyscallblock()
	usleep(us)
	exitsyscall()
}

// commute_finish comes last before the program ends: findings, then the summary, which counts them.
func commute_finish() {
	if commute_exploring {
		commute_exploreEnd()
	}
	commute_drain()
	mp := acquirem()
	more := commute_finding_LastWords()
	releasem(mp)
	if more {
		commute_drain()
	}
}

// commute_halt ends the program, which is to stop at the first report.
func commute_halt() {
	commute_finish()
	exit(commute_finding_HaltStatus())
}

// commute_fatal comes before a panic that ends the program, or a fatal error, is printed. If the
// runtime is sound, the goroutine itself makes the texts that there are. Otherwise, or if it holds
// a lock of the runtime, it only waits a while for those that do.
func commute_fatal(sound bool) {
	if commute_exploring {
		commute_exploreEnd()
	}
	if commute_reports.started.Load() == 0 {
		return
	}
	if gp := getg(); sound && gp == gp.m.curg && gp.m.locks == 0 && gp.m.mallocing == 0 {
		commute_reports.drain()
		return
	}
	done := commute_output_Progress()
	for n := 0; n < 200 && (commute_finding_Posted() || commute_output_Unwritten()); n++ {
		if p := commute_output_Progress(); p != done {
			done, n = p, 0
		}
		usleep(500)
	}
}
