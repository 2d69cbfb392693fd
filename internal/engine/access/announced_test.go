// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package access

import (
	"fmt"
	"testing"

	"github.com/commutego/commute/internal/engine/datarace"
)

// announced is the site of an access at pc that a hook announces which the i-th call has called, as
// the hook finds it: by the way to it, or by a walk. Known says that it was by the way.
func (th *thread) announced(i int, pc, by uintptr) (site uint32, known bool) {
	f, way, at := th.f, Way(by), th.top().off+8
	steps := int(f.Steps(pc, by, at))
	for k := range min(steps, i+2) {
		way = way.To(th.outwards(i, k, pc))
	}
	if steps > 0 && steps <= i+2 { // else it is a way beyond the end of the stack
		if site = f.Announced(pc, by, at, way); site != 0 {
			return site, true
		}
	}
	fresh := f.Fresh()
	site = f.Site(th.callers(i, true), pc)
	var keep Keeper
	if !f.Keep(&keep, pc, by, at, fresh, site) {
		return site, false
	}
	for k := 0; k <= i+1; k++ {
		off := th.top().off + 8 // of the hook
		if k > 0 {
			off = th.calls[i+1-k].off
		}
		if keep.Up(off, th.outwards(i, k, pc)) {
			break
		}
	}
	return site, false
}

// outwards is the k-th return address on the way from a hook that the i-th call has called at pc.
func (th *thread) outwards(i, k int, pc uintptr) uintptr {
	if k == 0 {
		return pc
	}
	return th.calls[i+1-k].ret
}

// wayUsed counts the sites that were found by the way to them.
var wayUsed int

// checkAnnounced compares the site of an access that a hook announces with what a walk finds.
func (th *thread) checkAnnounced(at int) error {
	i := len(th.calls) - 1
	pc, by := th.top().code.pc+uintptr(at%2)*8, uintptr(at/2%2)
	got, known := th.announced(i, pc, by)
	if known {
		wayUsed++
	}
	if want := datarace.Context(th.callers(i, true), pc); got != want {
		return fmt.Errorf("an access at %#x has site %d, want %d; by the way to it: %v",
			pc, got, want, known)
	}
	return th.check(i, true)
}

// TestAnnouncedTakeTurns has a function of the program call others that announce accesses, in
// turns. As many as two sections of a lock have are found by the way to them from the second turn
// on.
func TestAnnouncedTakeTurns(t *testing.T) {
	th := newThread()
	th.call(codes[1], 0)
	const accesses = 24
	known := 0
	for turn := range 10 {
		for at := range accesses {
			pc := th.top().code.pc + uintptr(at)*40
			site, way := th.announced(0, pc, uintptr(at%3))
			if want := datarace.Context(th.callers(0, true), pc); site != want {
				t.Fatalf("turn %d: access %d has site %d, want %d", turn, at, site, want)
			}
			if way && turn > 0 {
				known++
			}
		}
	}
	if known < 9*accesses*9/10 { // at first, functions have no nodes
		t.Errorf("%d of %d sites were found by the way to them", known, 9*accesses)
	}
}
