// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package finding

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/commutego/commute/internal/engine/atomicity"
	"github.com/commutego/commute/internal/engine/report"
	"github.com/commutego/commute/internal/engine/section"
	"github.com/commutego/commute/internal/engine/tests"
)

// TestObservedReplaces has violations of two functions found in random orders, by what was observed
// and what is predicted, in three tests. A slow list of all that came says what is to be reported:
// what is observed is, once for each test, whether it was predicted there or not; what is predicted
// is, unless it was reported there before.
func TestObservedReplaces(t *testing.T) {
	was, n := violations, violationReports
	defer func() { violations, violationReports = was, n }()
	codes := []*atomicity.AtomicCode{{Name: "p.f", Pos: "f.go:1"}, {Name: "p.g", Pos: "g.go:1"}}
	in := []*tests.Test{tests.All.Add(), tests.All.Add(), tests.All.Add()}
	type event struct {
		code, test int
		predicted  bool
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		violations, violationReports = nil, 0
		came := make(map[event]bool)
		for range 20 {
			e := event{random.IntN(2), random.IntN(3), random.IntN(2) == 0}
			observed := came[event{e.code, e.test, false}]
			want := !came[e] && !observed
			c := atomicity.Cycle{Code: codes[e.code], N: 2, Predicted: e.predicted}
			if got := postViolation(&c, in[e.test]); got != want {
				t.Fatalf("%v after %v: reported %t, want %t", e, came, got, want)
			}
			drop()
			came[e] = true
		}
		shown := make(map[event]bool) // by code and evidence, in any test
		for e := range came {
			if !e.predicted || !came[event{e.code, e.test, false}] {
				shown[event{e.code, 0, e.predicted}] = true
			}
		}
		if violationReports != uint64(len(shown)) {
			t.Fatalf("%v: %d count, want %d", came, violationReports, len(shown))
		}
	}
}

// TestObservedAfterMany has a check and act predicted in as many tests as are told of. Once it is
// observed, that is told nevertheless.
func TestObservedAfterMany(t *testing.T) {
	forgetSections(t)
	f := raise()
	for range report.MaxReports + 2 {
		s := broken(f, 0, section.Predicted)
		s.Act.Owner = uintptr(unsafe.Pointer(tests.All.Add()))
		reportSections(s)
		drop()
	}
	if !reportSections(broken(f, 0, section.Observed)) {
		t.Error("what was observed is not reported")
	}
	drop()
	if reportSections(broken(f, 0, section.Observed)) {
		t.Error("it is reported twice")
	}
	drop()
}
