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
	way, node := Way(by).To(pc), uint32(0)
	off, inner := th.f.Innermost()
	for j := i; j >= 0 && i-j < MaxSteps && node == 0; j-- {
		way = way.To(th.outwards(i, i-j, pc))
		switch c := &th.calls[j]; {
		case c.off != off:
		case inner == 0:
			node = th.callers(j, false)
		case datarace.PC(inner) == c.ret:
			node = inner
		}
	}
	if node != 0 {
		if site = th.f.Announced(way, node); site != 0 {
			return site, true
		}
	}
	site = th.f.Site(th.callers(i, true), pc)
	if node != 0 {
		th.f.KeepAnnounced(way, node, site)
	}
	return site, false
}

// fresh is how many of the innermost instrumented functions have no node yet.
func (f *Frames) fresh() (n uint32) {
	for n < ring && f.ring[(f.top-n)%ring].off() != 0 && f.ring[(f.top-n)%ring].node() == 0 {
		n++
	}
	return n
}

// outwards is the k-th return address on the way from a hook that the i-th call has called at pc.
func (th *thread) outwards(i, k int, pc uintptr) uintptr {
	if k == 0 {
		return pc
	}
	return th.calls[i+1-k].ret
}

// deepest is how many functions tests have between the program's and the hook.
const deepest = 6

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

// TestAnnouncedFarIn has accesses announced that functions make which have just begun, one in the
// other, with no access before. From the second time on the way leads to the site. Where it is of
// use, the innermost of these have their nodes then.
func TestAnnouncedFarIn(t *testing.T) {
	for deep := 1; deep <= deepest; deep++ {
		th := newThread()
		th.call(codes[1], 0)
		if err := th.check(0, false); err != nil {
			t.Fatal(err)
		}
		for turn := range 3 {
			for i := range deep {
				th.call(codes[1+i%2], i%3)
			}
			if fresh := th.f.fresh(); fresh != uint32(deep) {
				t.Fatalf("%d functions have just begun, want %d", fresh, deep)
			}
			pc := th.top().code.pc + 24
			site, known := th.announced(deep, pc, 1)
			if want := datarace.Context(th.callers(deep, true), pc); site != want {
				t.Errorf("%d functions, turn %d: site %d, want %d", deep, turn, site, want)
			}
			if known != (turn > 0) {
				t.Errorf("%d functions, turn %d: found by the way: %v", deep, turn, known)
			}
			for i := range deep {
				if err := th.check(deep-i, false); err != nil {
					t.Errorf("%d functions, turn %d, %d further out: %v", deep, turn, i, err)
				}
				th.ret()
			}
		}
	}
}

// TestAnnouncedAlike has two calls of one function that come by ways which differ in one return
// address, at the same depth: further out than the first steps, or not. Neither has the other's
// site.
func TestAnnouncedAlike(t *testing.T) {
	for differs := range deepest {
		th := newThread()
		th.call(codes[1], 0)
		for turn := range 6 {
			th.check(0, false)
			for i := range deepest {
				site := 0
				if i == differs {
					site = turn % 2
				}
				th.call(codes[1], site)
			}
			pc := th.top().code.pc + 24
			site, _ := th.announced(deepest, pc, 1)
			if want := datarace.Context(th.callers(deepest, true), pc); site != want {
				t.Errorf("call %d differs, turn %d: site %d, want %d", differs, turn, site, want)
			}
			for range deepest {
				th.ret()
			}
		}
	}
}

// TestAnnouncedByOtherCallers has a function called from two places in turns. Where an access is
// announced further in, the way from the hook is the same as far as it is looked at, but not the
// site.
func TestAnnouncedByOtherCallers(t *testing.T) {
	th := newThread()
	th.call(codes[1], 0)
	for turn := range 8 {
		th.call(codes[2], turn/2%2)
		for range deepest {
			th.call(codes[1], 0)
		}
		i := len(th.calls)
		th.check(i-1, false)
		th.call(codes[2], 0)
		pc := th.top().code.pc + 24
		site, _ := th.announced(i, pc, 1)
		if want := datarace.Context(th.callers(i, true), pc); site != want {
			t.Errorf("turn %d: site %d, want %d", turn, site, want)
		}
		if err := th.check(i, true); err != nil { // the nodes that the functions have now
			t.Errorf("turn %d: %v", turn, err)
		}
		for len(th.calls) > 1 {
			th.ret()
		}
	}
}
