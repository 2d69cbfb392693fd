// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package verdict

import (
	"strings"
	"sync/atomic"
	"testing"

	"github.com/commutego/commute/internal/longtest"
	"github.com/commutego/commute/internal/offline"
	"github.com/commutego/commute/internal/trace/tracefile"
	"github.com/commutego/commute/report"
)

// proven are tests all of whose transactions are one step to others, in each order: an atomic
// operation, a section of one lock, reads of what nobody writes any more, or the start of a
// goroutine.
var proven = []string{
	"TestNoRaceCountersAtomic", "TestNoRaceCompareLoop", "TestNoRaceConfigReader",
	"TestNoRacePredictedRounds", "TestNoRaceTwoRunning", "TestNoRaceReaders", "TestNoRaceStart",
	"TestNoRaceEnds", "TestNoRaceAfterPanic", "TestNoRaceCallback", "TestNoRaceSectionBefore",
}

// TestMarks has the marks of recorded traces be judged. No mark is violated where nothing may be
// reported, none is proven whose transactions are the violation of a test, and some are proven.
func TestMarks(t *testing.T) {
	longtest.Same(t)
	t.Parallel()
	b := build(t, commute(t), "transactions")
	names, err := b.List()
	if err != nil {
		t.Fatal(err)
	}
	judged, whole := 0, make(map[string]bool)
	for _, name := range names {
		if strings.Contains(name, "Predicted") && name != "TestNoRacePredictedRounds" {
			continue // TestForetold has those
		}
		_, path := recorded(t, b, name, "races")
		violated, list := 0, marks(t, path)
		all := len(list) > 0
		for _, m := range list {
			all = all && m.Verdict == report.MarkProven
			if m.Verdict == report.MarkViolated {
				violated++
			}
			if m.Proven+m.Alarms > m.Transactions {
				t.Errorf("%s: %+v doesn't add up", name, m)
			}
			judged++
		}
		race := strings.HasPrefix(name, "TestRace")
		if race != (violated > 0) {
			t.Errorf("%s: %d marks are violated", name, violated)
		}
		if all {
			whole[name] = true
		}
		if all && race {
			t.Errorf("%s: all is proven", name)
		}
	}
	for _, name := range proven {
		if !whole[name] {
			t.Errorf("%s is not proven", name)
		}
	}
	t.Logf("%d marks; proven: %v", judged, whole)
	if judged < 50 || len(whole) < 10 {
		t.Errorf("%d marks, %d tests are proven: that is few", judged, len(whole))
	}
}

// marks are what is known of the marks in a trace.
func marks(t *testing.T, path string) []report.Mark {
	t.Helper()
	f, err := tracefile.Open(path, "")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	checks, err := offline.Named([]string{"forest-conflict", "transactions"})
	if err != nil {
		t.Fatal(err)
	}
	var count atomic.Uint64
	o := offline.Options{Checks: checks, All: true, Level: offline.Levels["races"]}
	r, err := offline.Run(f, o, &count)
	if err != nil {
		t.Fatal(err)
	}
	return r.Checks[0].Proofs.Marks
}
