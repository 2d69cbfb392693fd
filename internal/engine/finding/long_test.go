// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package finding

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/commutego/commute/internal/engine/datarace"
	"github.com/commutego/commute/internal/engine/fixture"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/report"
	"github.com/commutego/commute/internal/engine/stack"
	"github.com/commutego/commute/internal/engine/text"
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
	frame := regexp.MustCompile(`finding\.inside\(\)\n`)
	count := func(s string) int { return len(frame.FindAllString(s, -1)) }
	return count(first), elided, count(rest)
}

// TestLongStacks has stacks of calls that are written whole, and others of which it's the two ends.
func TestLongStacks(t *testing.T) {
	for _, depth := range []int{1, 30, 60, 80, 200, 10000} {
		var s *stack.Stack
		var elided int
		outside(depth, func() {
			var pcs [stack.MaxDepth + stack.Outermost]uintptr
			n := 0
			n, elided = host.Callers(pcs[:], stack.Outermost)
			s = stack.All.Put(pcs[:n], elided)
		})
		b := new(text.Buffer)
		report.PrintStack(b, s, "", elided)
		before, between, after := calls(b.String())
		all := strings.Count(b.String(), "()\n") + between
		if before+between+after != depth+1 || depth <= 80 != (between == 0) ||
			depth > 100 && all != before+1+between+stack.Shown {
			t.Errorf("depth %d: %d calls, %d elided, %d calls, of %d", depth, before, between,
				after, all)
		}
		if !strings.Contains(b.String(), "finding.outside()\n") ||
			strings.Contains(b.String(), "testing.tRunner()\n") != (depth > 80) {
			t.Errorf("depth %d: the outermost frames are missing, or package testing's are not:\n%s",
				depth, b.String())
		}
	}
}

// TestElided has a stack of which less was kept than is written of a long one: what was left out
// stands before the outermost frames.
func TestElided(t *testing.T) {
	const elided = 7
	var s *stack.Stack
	n := 0
	outside(70, func() {
		var pcs [stack.MaxDepth + stack.Outermost]uintptr
		n, _ = host.Callers(pcs[:], 0)
		s = stack.All.Put(pcs[:n], elided)
	})
	if n > 2*stack.Shown {
		t.Fatalf("%d frames: this says nothing", n)
	}
	b := new(text.Buffer)
	report.PrintStack(b, s, "", elided)
	first, last, ok := strings.Cut(b.String(), "  ...7 frames elided...\n")
	if !ok || strings.Count(last, "()\n") != stack.Shown || strings.Count(first, "()\n") == 0 {
		t.Errorf("want %d frames behind those that are left out: %s", stack.Shown, b.String())
	}
}

// TestCut has a stack whose outermost frames are not known: they are what is left out.
func TestCut(t *testing.T) {
	var s *stack.Stack
	outside(stack.MaxDepth, func() {
		var pcs [stack.MaxDepth]uintptr
		n, _ := host.Callers(pcs[:], 0)
		s = stack.All.Put(pcs[:n], 1<<10)
	})
	b := new(text.Buffer)
	report.PrintStack(b, s, "", 1<<10)
	if !strings.HasSuffix(b.String(), "\n  ...additional frames elided...\n") ||
		strings.Count(b.String(), "elided") != 1 {
		t.Errorf("want no end but that line: %s", b.String())
	}
}

// TestLongSites is TestLongStacks for what is kept of accesses to memory.
func TestLongSites(t *testing.T) {
	put, get, _ := fixture.AppMain()
	inner, outer := put.Frames()[0], get.Frames()[0]
	for _, depth := range []int{1, 99, 100, 101, 10000} {
		site := datarace.Context(0, outer)
		for range depth - 1 {
			site = datarace.Context(site, inner)
		}
		b := new(text.Buffer)
		report.PrintFrames(b, site)
		n, elided := strings.Count(b.String(), "AppPut()\n"), 0
		if _, rest, ok := strings.Cut(b.String(), "  ..."); ok {
			fmt.Sscanf(rest, "%d frames elided...\n", &elided)
		}
		if n+elided != depth-1 || elided != max(depth-2*stack.Shown, 0) ||
			!strings.Contains(b.String(), "AppGet()\n") {
			t.Errorf("depth %d: %d frames and %d that are elided:\n%s", depth, n, elided,
				b.String())
		}
	}
}
