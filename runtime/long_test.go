// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package runtime

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/commutego/commute/internal/engine/datarace"
	"github.com/commutego/commute/internal/engine/host"
)

// outside calls f below n calls of inside.
//
//go:noinline
func outside(n int, f func()) { inside(n, f) }

//go:noinline
func inside(n int, f func()) {
	if n > 0 {
		inside(n-1, f)
		return
	}
	f()
}

// calls are what a report shows of a stack that was called by outside: how often inside is there
// before the frames that are left out, how many these are, and how often it's there behind them.
func calls(text string) (before, elided, after int) {
	first, rest, ok := strings.Cut(text, "  ...")
	if ok {
		fmt.Sscanf(rest, "%d frames elided...\n", &elided)
	}
	count := func(s string) int { return len(regexp.MustCompile(`runtime\.inside\(\)\n`).FindAllString(s, -1)) }
	return count(first), elided, count(rest)
}

// TestLongStacks has stacks of calls that are written whole, and others of which it's the two ends.
func TestLongStacks(t *testing.T) {
	for _, depth := range []int{1, 30, 60, 80, 200, 10000} {
		var s *stack
		var elided int
		outside(depth, func() {
			var pcs [MaxDepth + Outermost]uintptr
			n := 0
			n, elided = host.Callers(pcs[:], Outermost)
			s = stacks.put(pcs[:n], elided)
		})
		b := new(buffer)
		trace(b, s, "", elided)
		before, between, after := calls(b.string())
		all := strings.Count(b.string(), "()\n") + between
		if before+between+after != depth+1 || depth <= 80 != (between == 0) ||
			depth > 100 && all != before+1+between+shown {
			t.Errorf("depth %d: %d calls, %d elided, %d calls, of %d", depth, before, between,
				after, all)
		}
		if !strings.Contains(b.string(), "runtime.outside()\n") ||
			!strings.Contains(b.string(), "testing.tRunner()\n") {
			t.Errorf("depth %d: the outermost frames are missing:\n%s", depth, b.string())
		}
	}
}

// TestElided has a stack of which less was kept than is written of a long one: what was left out
// stands before the outermost frames.
func TestElided(t *testing.T) {
	const elided = 7
	var s *stack
	n := 0
	outside(70, func() {
		var pcs [MaxDepth + Outermost]uintptr
		n, _ = host.Callers(pcs[:], 0)
		s = stacks.put(pcs[:n], elided)
	})
	if n > 2*shown {
		t.Fatalf("%d frames: this says nothing", n)
	}
	b := new(buffer)
	trace(b, s, "", elided)
	first, last, ok := strings.Cut(b.string(), "  ...7 frames elided...\n")
	if !ok || strings.Count(last, "()\n") != shown || strings.Count(first, "()\n") == 0 {
		t.Errorf("want %d frames behind those that are left out: %s", shown, b.string())
	}
}

// TestLongSites is TestLongStacks for what is kept of accesses to memory.
func TestLongSites(t *testing.T) {
	put, get, _ := appMain()
	inner, outer := put.frames()[0], get.frames()[0]
	for _, depth := range []int{1, 99, 100, 101, 10000} {
		site := datarace.Context(0, outer)
		for range depth - 1 {
			site = datarace.Context(site, inner)
		}
		b := new(buffer)
		frames(b, site)
		n, elided := strings.Count(b.string(), "appPut()\n"), 0
		if _, rest, ok := strings.Cut(b.string(), "  ..."); ok {
			fmt.Sscanf(rest, "%d frames elided...\n", &elided)
		}
		if n+elided != depth-1 || elided != max(depth-2*shown, 0) ||
			!strings.Contains(b.string(), "appGet()\n") {
			t.Errorf("depth %d: %d frames and %d that are elided:\n%s", depth, n, elided,
				b.string())
		}
	}
}
