// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package vclock

import "sync/atomic"

// A World is the threads of one execution: a watched program, or a trace. Threads, Marks and
// Syncs of different Worlds must not meet. The zero World has no threads and is ready for use; it
// must not be copied, and must outlive its threads.
type World struct {
	slots slotTable
	// Spent is not 0 once the times of some slot are used up, after 10^12 steps: it is set before a
	// thread goes on with a moment that it should leave. From then on a moment may stand for more than
	// it did when it was given away, so that (R) does not hold, and what Knows says of any thread may
	// be wrong either way. Nothing that is found later may be reported.
	Exhausted atomic.Uint32
}

// Live is the number of threads that have started and not ended.
func (w *World) Live() int { return int(w.slots.live.n.Load()) }

// Slots is the number of slots that were ever in use at once.
func (w *World) Slots() int { return int(w.slots.used.Load()) }
