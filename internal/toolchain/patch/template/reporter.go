// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build commute_patch

package runtime

// Who makes the texts of reports, and who writes them. Hooks only post messages: they can't wait, and
// must not keep others waiting.
//
// A goroutine of the runtime's makes the texts. It can be preempted, and allocate. As hooks may hold
// any lock, they can't have it run: a thread does, that has no P, as sysmon has none, and is waked by
// a note. Another such thread writes the texts; it alone waits where nobody reads them. Neither
// thread delays the garbage collector, or keeps a deadlock from being seen.

import (
	"internal/runtime/atomic"
	"unsafe"
)

var commute_reports struct {
	started atomic.Uint32 // the waker runs
	wake    note          // for the waker
	waking  atomic.Uint32 // 1 if that has been waked
	writer  atomic.Uint32 // the writer runs
	write   note
	writing atomic.Uint32
	dead    atomic.Uint32 // 1 if checkdead is to be called when all is written

	lock mutex
	g    *g   // that makes the texts
	idle bool // it is parked

	gaveUp atomic.Uint64 // 1 + what Progress was when somebody waited in vain
	drain  func()        // commute_drain, which throw may not call by name: it has write barriers
}

func init() {
	if haveSysmon {
		go commute_reporter()
		commute_reports.drain = commute_drain
		systemstack(func() { newm(commute_waker, nil, -1) })
		commute_reports.started.Store(1)
	}
}

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

func commute_wakeWriter() {
	r := &commute_reports
	if r.writer.Load() != 0 && r.writing.Swap(1) == 0 {
		notewakeup(&r.write)
	}
}

// commute_system makes the current thread one that no goroutine depends on.
func commute_system() {
	lock(&sched.lock)
	sched.nmsys++
	checkdead()
	unlock(&sched.lock)
}

// commute_toDo reports whether there is something for the goroutine that makes texts.
func commute_toDo() bool {
	return commute_finding_Posted() || commute_output_Unwritten() && commute_reports.writer.Load() == 0
}

// commute_waker is a thread that has the goroutine run that makes texts.
func commute_waker() {
	commute_system()
	r := &commute_reports
	for {
		waked := true
		if r.dead.Load() != 0 {
			waked = notetsleep(&r.wake, 10_000_000)
		} else {
			notesleep(&r.wake)
		}
		if waked { // else somebody may be about to
			noteclear(&r.wake)
			r.waking.Store(0)
		}
		lock(&r.lock)
		if r.idle && commute_toDo() {
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

// commute_busy reports whether there are reports that will be written soon.
func commute_busy() bool {
	return commute_finding_Posted() ||
		commute_output_Unwritten() && commute_reports.gaveUp.Load() != commute_output_Progress()+1
}

// commute_alive reports whether it's too early to say that all goroutines are asleep: what was found has to be
// told before.
func commute_alive() bool {
	if !commute_busy() {
		return false
	}
	commute_reports.dead.Store(1)
	commute_host_Wake()
	return true
}

// commute_reporter makes the texts.
func commute_reporter() {
	r := &commute_reports
	r.g = getg()
	for {
		if r.writer.Load() == 0 && commute_toDo() {
			systemstack(func() { newm(commute_writer, nil, -1) })
			r.writer.Store(1)
		}
		commute_makeTexts()
		if commute_finding_Halting() && !commute_finding_Posted() {
			commute_halt()
		}
		lock(&r.lock)
		if commute_toDo() {
			unlock(&r.lock)
			Gosched() // another goroutine has taken one
			continue
		}
		r.idle = true
		goparkunlock(&r.lock, waitReasonForceGCIdle, traceBlockSystemGoroutine, 1)
	}
}

// commute_makeTexts makes the texts of all messages but one that somebody else has in hand.
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

// commute_writer is a thread that writes the texts.
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

// commute_writeAll writes n bytes, however long it takes. It reports whether it did.
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
		case k == again: // somebody has made it non-blocking
			usleep(2000)
		case k != interrupted:
			return false
		}
	}
	return true
}

// commute_drain waits until everything is written that was found. It gives up if there is no progress for
// a second, and then at once until there is some.
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
		commute_host_Wake() // if nobody has started the writer yet
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
		commute_nap(min(10+n, 1000))
	}
}

// commute_nap lets the current goroutine sleep.
//
//go:nosplit
func commute_nap(us uint32) {
	entersyscallblock()
	usleep(us)
	exitsyscall()
}

// commute_finish comes last before the program ends.
func commute_finish() {
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

// commute_dying comes before a panic that nobody recovers, or a fatal error, is told. If the runtime is sound,
// the goroutine itself makes the texts that there are.
func commute_dying(sound bool) {
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
