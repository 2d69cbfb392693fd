// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package finding

import (
	"testing"
	"unsafe"

	"github.com/commutego/commute/internal/engine/fixture"
	"github.com/commutego/commute/internal/engine/option"
	"github.com/commutego/commute/internal/engine/report"
	"github.com/commutego/commute/internal/engine/stack"
	"github.com/commutego/commute/internal/engine/tests"
	"github.com/commutego/commute/internal/engine/text"
)

// leakedAt is a leaked goroutine of a test, by the stacks where it waits and where it was started.
func leakedAt(t *tests.Test, at, origin *stack.Stack) report.Leaked {
	return report.Leaked{Goid: 7, Creator: 1, Stack: uintptr(unsafe.Pointer(at)),
		Origin: uintptr(unsafe.Pointer(origin)), Owner: uintptr(unsafe.Pointer(t)),
		For: report.AwaitsReceive}
}

// restoreLeaks is restore, for leaked goroutines too.
func restoreLeaks(t *testing.T) {
	clean := func() { leakFindings, leakReports = nil, 0 }
	restore(t)
	clean()
	t.Cleanup(clean)
}

// TestSuppressedLeaks has lines of the suppressions file that match a leaked goroutine, or don't.
func TestSuppressedLeaks(t *testing.T) {
	put, get, origin := fixture.AppMain()
	for _, test := range []struct {
		rules string
		told  bool
		used  uint64
	}{
		{"", true, 0},
		{"AppPut$", false, 1},
		{"AppGet$", true, 0},
		{"app/cache.go$", false, 1},
		{"AppMain$", false, 1}, // starts it
		{"kind:leaked goroutine", false, 1},
		{"kind:deadlock", true, 0},
		{"nowhere\nAppPut\nkind:leaked goroutine", false, 6},
	} {
		restoreLeaks(t)
		fixture.Suppress(test.rules)
		Leaks([]report.Leaked{leakedAt(nil, put, origin), leakedAt(nil, put, origin)})
		if told := leakReports == 1; told != test.told || usedRules() != test.used {
			t.Errorf("rules %q: told: %v, used: %b; want %v, %b", test.rules, told, usedRules(),
				test.told, test.used)
		}
		b := new(text.Buffer)
		for f := leakFindings; f != nil; f = f.next {
			f.list(b, "")
		}
		if listed := b.String() != ""; listed != test.told {
			t.Errorf("rules %q: the list is %q", test.rules, b.String())
		}
	}
	restoreLeaks(t)
	fixture.Suppress("AppPut$")
	Leaks([]report.Leaked{leakedAt(nil, put, nil), leakedAt(nil, get, nil)})
	if leakReports != 1 || leakFindings.next.leaked.Count != 1 {
		t.Errorf("%d reports where one of two places is suppressed", leakReports)
	}
}

// TestIgnoredLeaks has a scope ignore what its goroutines do.
func TestIgnoredLeaks(t *testing.T) {
	put, _, origin := fixture.AppMain()
	restoreLeaks(t)
	scope := tests.All.Add().Ignore()
	Leaks([]report.Leaked{leakedAt(scope, put, origin)})
	if leakReports != 0 || leakFindings != nil {
		t.Errorf("%d reports in a scope that ignores", leakReports)
	}
}

// TestLeaksFail searches once more: the second search finds what the first has found, and nothing
// fails by that. Then it finds a goroutine that waits elsewhere.
func TestLeaksFail(t *testing.T) {
	put, get, origin := fixture.AppMain()
	for _, what := range []option.Outcome{option.Warn, option.Fail} {
		restoreLeaks(t)
		option.Current.Leaks = what
		fail := what == option.Fail
		test := tests.All.Add()
		charged := tests.Charges.Last.Load()
		list := []report.Leaked{leakedAt(test, put, origin)}
		if Leaks(list) != fail {
			t.Errorf("the first search fails the tests: %v, want %v", !fail, fail)
		}
		if Leaks(list) || leakFindings.leaked.Count != 1 {
			t.Errorf("the second search fails, or counts %d", leakFindings.leaked.Count)
		}
		if Leaks(append(list, leakedAt(test, get, origin))) != fail || leakReports != 2 {
			t.Errorf("with one more place: %d reports, want 2", leakReports)
		}
		// package testing would fail every run of tests that comes later
		if tests.Charges.Last.Load() != charged {
			t.Error("a test is charged that has ended")
		}
	}
}
