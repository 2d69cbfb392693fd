// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package vclock

import "sync/atomic"

// A World is the threads of one execution: a watched program, or a trace. Threads and clocks of
// different Worlds must not meet, as their slots have the same numbers. The zero World has no
// threads and is ready for use; it must not be copied, and must outlive its threads.
type World struct {
	slots slotTable

	// Exhausted is not 0 once a slot has no times left, after 10^12 steps. It is set before a
	// thread goes on with an epoch that it should leave. From then on a published epoch may stand
	// for more than it did when it was published. Then (R) does not hold, and an answer of Knows
	// may be wrong either way: nothing that is found later may be reported.
	Exhausted atomic.Uint32

	// MergedInCall is not 0 once a clock has been the join of what several threads have released in
	// calls. A thread that acquires it may know an epoch that another thread goes on with, and
	// UnchangedSince does not notice this.
	MergedInCall atomic.Uint32
}

// Live is the number of threads that have started and not ended.
func (w *World) Live() int {
	s := &w.slots
	s.lock.Lock()
	s.collectFreed(false)
	n := s.live.n
	s.lock.Unlock()
	return int(n)
}

// Slots is the number of slots that were ever in use at once.
func (w *World) Slots() int { return int(w.slots.used.Load()) }
