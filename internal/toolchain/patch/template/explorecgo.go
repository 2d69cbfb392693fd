// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build commute_patch && commute_explore

package runtime

// Programs with C. A call of C is a system call. What C calls back on the thread of such a call
// goes on as the goroutine that has made it, under control. What it calls back on threads of its
// own is not under control: it runs at once, beside the holder, and whom it makes ready has
// arrived.

import (
	"internal/runtime/atomic"
	"unsafe"
)

// commute_ofC reports whether a goroutine is one by which threads of C call back. It is made by no
// go statement.
func commute_ofC(gp *g) bool { return gp.startpc == 0 }

// commute_threadTries is how often threads are counted until none has begun or ended meanwhile.
const commute_threadTries = 100

// commute_foreignThreads reports whether there are threads that are not Go's own, or that cannot be
// known. They may call back at any time.
func commute_foreignThreads() bool {
	if !iscgo {
		return false
	}
	for range commute_threadTries {
		ended := sched.nmfreed
		own, starting := commute_ownThreads()
		all := commute_allThreads()
		again, startingAgain := commute_ownThreads()
		switch {
		case all == 0:
			return true
		case own != again || starting != startingAgain || ended != sched.nmfreed:
		case all <= own:
			return false
		case all > own+starting:
			return true
		}
		osyield()
	}
	return true
}

// commute_ownThreads is the number of threads that Go has made and that run, and of those that
// start. The runtime's own counts won't do: those of the threads that may call back change one
// after the other, so that a thread which is about to would be taken for one of Go's.
func commute_ownThreads() (own, starting int) {
	for mp := (*m)(atomic.Loadp(unsafe.Pointer(&allm))); mp != nil; mp = mp.alllink {
		switch {
		case mp.isextra:
		case mp.procid == 0:
			starting++
		default:
			own++
		}
	}
	return own, starting
}

// commute_allThreads is the number of threads of the process, 0 if it is not known.
func commute_allThreads() (n int) {
	const path = "/proc/self/stat\x00"
	fd := open(unsafe.StringData(path), _O_RDONLY|_O_CLOEXEC, 0)
	if fd < 0 {
		return 0
	}
	var text [512]byte
	got := read(fd, noescape(unsafe.Pointer(&text[0])), int32(len(text)))
	closefd(fd)
	const threads = 17 // the index of their number among the fields after the program's name
	at := int(got) - 1
	for at >= 0 && text[at] != ')' {
		at--
	}
	field := 0
	for at = at + 2; at < int(got) && field <= threads; at++ {
		switch c := text[at]; {
		case c == ' ':
			field++
		case field == threads:
			n = n*10 + int(c-'0')
		}
	}
	return n
}
