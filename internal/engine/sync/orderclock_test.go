// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package sync

import (
	"strings"
	"testing"

	"github.com/commutego/commute/internal/engine/deadlock"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/option"
	"github.com/commutego/commute/internal/engine/vclock"
)

// TestForcedOrder has programs with two uses that only a critical section orders: random programs
// are hardly ever so. None can deadlock, and nothing may be reported.
func TestForcedOrder(t *testing.T) {
	if !host.FramePointers {
		t.Skip("locks are not followed on this port")
	}
	defer func(f func(*deadlock.Cycle)) { reportDeadlock = f }(reportDeadlock)
	option.Parse("deadlock=fail")
	defer option.Reset()
	// Thread 1 waits for a use of thread 2 in a section of lock 1, whose begin thread 3 knows.
	section := []string{"f1 f2 f3", "l1 p0 w1 u1", "l2 l0 u0 u2 p1", "w0 l1 u1 l0 l2 u2 u0"}
	// The same, and thread 3 takes lock 1 while it holds another one.
	inside := []string{"f1 f2 f3", "l1 p0 w1 u1", "l2 l0 u0 u2 p1", "w0 l0 l1 u1 l2 u2 u0"}
	// Thread 3 learns of the begin when it has the lock.
	held := []string{"f1 f2 f3", "l1 p0 w1 u1", "l2 l0 u0 u2 p1", "l1 w0 l0 l2 u2 u0 u1"}
	for _, c := range []struct {
		name    string
		threads []string
		steps   []int
	}{
		{"section", section, []int{0, 0, 0, 2, 2, 2, 2, 1, 1, 3, 2, 1, 1, 3, 3, 3, 3, 3, 3}},
		{"unknown begin", section, []int{0, 0, 0, 1, 1, 2, 2, 2, 2, 3, 2, 1, 1, 3, 3, 3, 3, 3, 3}},
		{"inside", inside, []int{0, 0, 0, 2, 2, 2, 2, 1, 1, 3, 2, 1, 1, 3, 3, 3, 3, 3, 3}},
		{"held", held, []int{0, 0, 0, 2, 2, 2, 2, 1, 1, 2, 1, 1, 3, 3, 3, 3, 3, 3, 3}},
	} {
		p := new(program)
		for _, text := range c.threads {
			var ops []op
			for _, word := range strings.Fields(text) {
				ops = append(ops, op{word[0], int(word[1] - '0')})
			}
			p.threads = append(p.threads, ops)
		}
		for seed := range uint64(2) {
			if cycles := p.watch(c.steps, seed); len(cycles) > 0 {
				t.Errorf("%s: %d reports, the first of %s\n%s", c.name, len(cycles),
					describe(&cycles[0]), p)
			}
		}
	}
}

// TestForgottenSections has more sections of a lock than there is room for: what was learned in one
// that was forgotten is known to all who take the lock.
func TestForgottenSections(t *testing.T) {
	if !host.FramePointers {
		t.Skip("locks are not followed on this port")
	}
	SetOrderClocks(true)
	defer func() {
		SetOrderClocks(false)
		Free(firstLock, 1<<17)
	}()
	g, learner := startThread(), startThread()
	defer g.Finish()
	defer learner.Finish()
	var learned []vclock.Epoch
	for range 6 {
		h := startThread()
		defer h.Finish()
		learned = append(learned, orderClock(h).Thread.AccessEpoch())
		begin := orderClock(g).Thread.AccessEpoch()
		g.ReleaseMerge(firstSignal)
		if len(learned) == 1 {
			learner.Acquire(firstSignal)
		}
		h.ReleaseMerge(firstSignal + 64)
		g.Acquire(firstSignal + 64)
		addSection(&g.order.P().Thread, firstLock, begin)
	}
	learnSections(learner, firstLock)
	if !learner.order.P().Thread.Knows(learned[0]) {
		t.Error("what was learned in the first section is not known")
	}
}
