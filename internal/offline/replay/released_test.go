// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package replay

import (
	"testing"

	"github.com/commutego/commute/internal/engine/section"
	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace"
)

// TestReleased wants the weak clocks of threads to know what came before by an address, and nothing
// that was released to memory which is freed since, or that an exchange has taken.
func TestReleased(t *testing.T) {
	const addr = 0xc000004010
	at := func(thread uint32, k event.Kind) trace.SectionStep {
		return trace.SectionStep{Kind: k, Thread: thread, Address: addr}
	}
	exchange := func(thread uint32) trace.SectionStep {
		s := at(thread, event.Release)
		s.Exchange = true
		return s
	}
	fresh := func(address, size uint64) trace.SectionStep {
		return trace.SectionStep{Kind: event.Fresh, Address: address, Size: size}
	}
	fork := trace.SectionStep{Kind: event.Fork, Thread: 1, Child: 2}
	const acquires, releases, rmw = event.Acquire, event.Release, event.AtomicRMW
	type steps []trace.SectionStep
	for name, c := range map[string]struct {
		steps steps
		known bool // what thread 1 did first is known to thread 2
	}{
		"release": {steps{at(1, releases), at(2, acquires)}, true},
		"merge": {
			steps{at(1, releases), at(3, event.ReleaseMerge), at(2, acquires)}, true,
		},
		"replaced":     {steps{at(1, releases), at(3, releases), at(2, acquires)}, false},
		"atomic":       {steps{at(1, rmw), at(3, rmw), at(2, event.AtomicLoad)}, true},
		"one exchange": {steps{exchange(1), exchange(2)}, true},
		"two":          {steps{exchange(1), exchange(3), exchange(2)}, false},
		"all":          {steps{{Kind: event.AcquireAll, Thread: 2}}, true},
		"fork":         {steps{fork}, true},
		"freed":        {steps{at(1, releases), fresh(addr-8, 16), at(2, acquires)}, false},
		"freed beside": {steps{at(1, releases), fresh(addr+8, 1<<20), at(2, acquires)}, true},
		"freed before": {
			steps{at(1, releases), fresh(addr-1<<20, 1<<20), at(2, acquires)}, true,
		},
		"all freed": {steps{at(1, releases), fresh(0, 1<<63), at(2, acquires)}, false},
	} {
		s := NewSections(trace.NewProgram(), func(*trace.SectionFunc, *section.Finding) {})
		now := s.thread(1).weak.Clock.P().Thread.Tick()
		s.Steps(c.steps)
		if got := s.thread(2).weak.Clock.P().Thread.Knows(now); got != c.known {
			t.Errorf("%s: that it is known is %v", name, got)
		}
		s.Close()
	}
}
