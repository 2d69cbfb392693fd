// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/commutego/commute/internal/longtest"
)

// TestShrink shrinks lists by tests that fail at random, and compares with trying all sublists.
func TestShrink(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for range 2000 {
		var list []anchor
		for i := range 1 + r.Intn(8) {
			list = append(list, anchor{uint64(i + 1), 1})
		}
		fails := randomTest(r, len(list))
		s := newShrinker(func(some []anchor) ([]anchor, bool, error) {
			return some, fails[mask(some)], nil
		})
		best, err := s.shrink(list)
		if err != nil || !fails[mask(best)] {
			t.Fatalf("%v of %v does not fail: %v", best, list, err)
		}
		for i := range best {
			if m := mask(best) &^ (1 << (best[i].at - 1)); fails[m] && m != 0 {
				t.Fatalf("%v of %v: %v can be left out", best, list, best[i])
			}
		}
		if len(best) > 1 {
			for _, f := range list {
				if fails[mask([]anchor{f})] {
					t.Fatalf("%v of %v: %v would do alone", best, list, f)
				}
			}
		}
		if fails[0] && len(best) > 0 {
			t.Fatalf("%v of %v: none would do", best, list)
		}
	}
}

func newShrinker(fails func([]anchor) ([]anchor, bool, error)) *shrinker {
	return &shrinker{fails: fails, over: func() bool { return false }, most: 1 << 20}
}

func mask(list []anchor) (m int) {
	for _, f := range list {
		m |= 1 << (f.at - 1)
	}
	return m
}

// randomTest says of each set of n decisions whether a test fails by it: it does by all of them,
// and by others at random.
func randomTest(r *rand.Rand, n int) []bool {
	fails := make([]bool, 1<<n)
	often := 2 + r.Intn(20)
	for m := range fails {
		fails[m] = r.Intn(often) == 0
	}
	fails[len(fails)-1] = true
	return fails
}

// TestShrinkMany expects few runs where three decisions of a thousand matter, and the decisions
// that turn out to be the default to be dropped without one.
func TestShrinkMany(t *testing.T) {
	var list, three []anchor
	for i := range 1000 {
		list = append(list, anchor{uint64(i + 1), 1})
	}
	three = []anchor{list[17], list[500], list[501]}
	s := newShrinker(func(some []anchor) ([]anchor, bool, error) {
		var effective []anchor
		for _, f := range some {
			if f.at%2 == 0 || slices.Contains(three, f) { // others are the default
				effective = append(effective, f)
			}
		}
		for _, f := range three {
			if !slices.Contains(some, f) {
				return nil, false, nil
			}
		}
		return effective, true, nil
	})
	s.most = 120
	best, err := s.shrink(list)
	if err != nil || !slices.Equal(best, three) || s.runs > 120 {
		t.Errorf("%v after %d runs, %v", best, s.runs, err)
	}
	for most := range 40 {
		s := newShrinker(s.fails)
		s.most = most
		if best, _ := s.shrink(list); s.runs > most || len(best) < 3 {
			t.Errorf("%d runs, at most %d: %v", s.runs, most, best)
		}
	}
}

// TestFailureKeys expects one key of the same failure, and others of others.
func TestFailureKeys(t *testing.T) {
	groups := [][]string{
		{"--- FAIL: TestX (0.00s)\n    a_test.go:27: 2 were added, and there are 1\nFAIL\n",
			"--- FAIL: TestX (0.12s)\n    a_test.go:27: 3 were added, and there are 2\nFAIL\n"},
		{"--- FAIL: TestX (0.00s)\n    a_test.go:28: 2 were added, and there are 1\nFAIL\n"},
		{"--- FAIL: TestX (0.00s)\n    --- FAIL: TestX/a (0.00s)\n        a_test.go:27: 1\n"},
		{"--- FAIL: TestX (0.00s)\n    --- FAIL: TestX/b (0.00s)\n        a_test.go:27: 1\n"},
		{"panic: close of closed channel\n\ngoroutine 8 [running]:\n",
			"x\npanic: close of closed channel\n\ngoroutine 9 [running]:\n"},
		{"panic: send on closed channel\n"},
		{"panic: test timed out after 10m0s\n\ngoroutine 8 [sync.Mutex.Lock, 9 minutes]:\n",
			"panic: test timed out after 1s\n\ngoroutine 7 [sync.Mutex.Lock]:\n" +
				"goroutine 9 [sync.Mutex.Lock]:\n"},
		{"panic: test timed out after 10m0s\n\ngoroutine 8 [chan receive]:\n"},
		{"====\nWARNING: CHECK-THEN-ACT RACE\nf checks by goroutine 7\n--- FAIL: TestX (0.00s)\n",
			"====\nWARNING: CHECK-THEN-ACT RACE\nf checks by goroutine 8\n--- FAIL: TestX (0.00s)\n"},
		{"WARNING: CHECK-THEN-ACT RACE\ng checks by goroutine 7\n"},
		{"ok\n", ""},
	}
	seen := make(map[string]bool)
	for _, g := range groups {
		key := failureKey("TestX", []byte(g[0]))
		if seen[key] {
			t.Errorf("%q has another's key %q", g[0], key)
		}
		seen[key] = true
		for _, output := range g {
			if got := failureKey("TestX", []byte(output)); got != key {
				t.Errorf("%q has key %q, and not %q", output, got, key)
			}
		}
	}
	if strings.Contains(general("at 0xc000123 12 a.go:7"), "c000") {
		t.Error("an address is part of a key")
	}
}

// shrunk wants what is left of the schedule of a failure to be short, and the test to fail in the
// same way by that.
func shrunk(t *testing.T, b *Binary, name string, f *Failure) {
	t.Helper()
	s := f.Schedule
	if s == nil || len(s.Forces) > 3 {
		t.Errorf("%s: %v", name, s)
		return
	}
	again, err := b.batch(name, limits.Timeout, f.Seeds)
	if err != nil || failureKey(name, again.output) != failureKey(name, f.Output) {
		t.Errorf("%s by %v: %v\n%s", name, f.Seeds, err, again.output)
	}
	t.Logf("%-24s %s", name, s.line())
}

// TestShrunkDraws shrinks what policies that draw have found.
func TestShrunkDraws(t *testing.T) {
	t.Parallel()
	b := build(t, "explore", "")
	want := 2
	if longtest.Asked() {
		want = 4
	}
	for _, name := range tests(t, b, "TestWrong") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			most, from, found := 0, 0, 0
			for i := 0; i < 200 && found < want; i++ {
				s := drawn(99, name, i)
				ran, err := b.process(processPlan{test: name, timeout: limits.Timeout, log: true,
					seeds: []Seed{s}})
				if err != nil {
					t.Fatal(err)
				}
				if !ran.failed {
					continue
				}
				found++
				e := &exploration{binary: b, plan: limits, test: name}
				f := &Failure{Seeds: []Seed{s}, Output: ran.output}
				if err := e.shrink(f, ran); err != nil || f.Schedule == nil {
					t.Fatalf("%s: %v %v", name, f.Schedule, err)
				}
				most, from = max(most, len(f.Schedule.Forces)), max(from, f.Schedule.From)
				if len(f.Schedule.Forces) > 3 {
					t.Errorf("%s by %v: %v", name, s, f.Schedule.seed())
				}
			}
			t.Logf("%-24s %d failures: at most %s, of %d", name, found, countSwitches(most), from)
		})
	}
}
