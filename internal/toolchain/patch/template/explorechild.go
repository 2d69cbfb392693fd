// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build commute_patch && commute_explore

package runtime

// Children: what they do, and that they end, may come at any time. So the time doesn't jump while
// there is one that nobody has waited for: who looks for it, again and again, sleeps in between.

import (
	"internal/goarch"
	"internal/runtime/atomic"
	"internal/runtime/syscall/linux"
)

// commute_everForked is set when the program starts a process.
var commute_everForked atomic.Bool

// commute_forked comes when a process was started, or could not be.
//
//go:nosplit
func commute_forked() { commute_everForked.Store(true) }

// commute_hasChildren reports whether there are processes that this one has started, and that it
// has not waited for.
func commute_hasChildren() bool {
	if !commute_everForked.Load() {
		return false
	}
	const (
		waitid = 247*goarch.IsAmd64 + 95*goarch.IsArm64 + 284*goarch.Is386 // the system call
		any    = 0                                                         // P_ALL
		look   = 0x1 | 0x4 | 0x1000000                                     // WNOHANG|WEXITED|WNOWAIT
		none   = 10                                                        // ECHILD
	)
	_, _, errno := linux.Syscall6(waitid, any, 0, 0, look, 0, 0)
	return errno != none
}

// commute_outside reports whether something that is not under control may do something at any time,
// without input that the poller finds.
func commute_outside() bool { return commute_foreignThreads() || commute_hasChildren() }
