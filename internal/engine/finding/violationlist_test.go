// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package finding

import (
	"testing"

	"github.com/commutego/commute/internal/engine/atomicity"
	"github.com/commutego/commute/internal/engine/fixture"
	"github.com/commutego/commute/internal/engine/output"
	"github.com/commutego/commute/internal/engine/tests"
	"github.com/commutego/commute/internal/engine/text"
)

// TestBreakings lists violations by function, with their places.
func TestBreakings(t *testing.T) {
	was := violations
	defer func() { violations = was }()
	violations = nil
	first, second := &atomicity.AtomicCode{Name: "example.com/pool.(*Pool).Submit",
		Pos: "/src/pool.go:30"}, &atomicity.AtomicCode{Name: "p.f", Pos: "f.go:1"}
	for i, c := range []struct {
		place *atomicity.AtomicCode
		n     uint64
	}{{first, 17}, {second, 1}, {first, 2}} {
		v := violationOf(&atomicity.Cycle{Code: c.place, N: 2, Predicted: i == 1})
		v.lines, v.count, v.reports = uint64(i+1), c.n, 1
	}
	hidden := violationOf(&atomicity.Cycle{Code: second, N: 2})
	hidden.count = 9
	b := text.Buffers.Get()
	b.Reset()
	listViolations(b)
	const want = `  pool.(*Pool).Submit (pool.go:30)
    :0, interfered with: 17 times
    :0, interfered with: 2 times
  p.f (f.go:1)
    :0, can be interfered with: 1 time
`
	if got := b.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestViolationRepeats has a violation in two tests: the first report is in full, the second a
// line.
func TestViolationRepeats(t *testing.T) {
	wasBroken, wasViolated, posted := violations, violationReports, outbox.posted.Load()
	defer func() { violations, violationReports = wasBroken, wasViolated }()
	violations, violationReports = nil, 0
	var kinds []messageKind
	var last string
	c := atomicity.Cycle{Code: &fixture.TestPlace, N: 2, Predicted: true}
	for _, of := range []*tests.Test{tests.All.Add(), tests.All.Add()} {
		if !postViolation(&c, of) || postViolation(&c, of) {
			t.Error("a violation is not reported once for each test")
		}
		m := Take()
		kinds = append(kinds, m.kind)
		m.MakeText()
		last = string(m.text.P().Bytes())
		m.Done()
		output.Written(output.NextText(), true)
	}
	if kinds[0] != kindCycle || kinds[1] != kindRepeat || violationReports != 1 {
		t.Errorf("reports are of kinds %v, and %d are counted", kinds, violationReports)
	}
	const want = "WARNING: ATOMICITY VIOLATION again, reported in full for an earlier test: p.f, " +
		":0, can be interfered with\n"
	if last != want {
		t.Errorf("the second report is %q, want %q", last, want)
	}
	if outbox.posted.Load() != posted {
		t.Error("a message is left")
	}
}
