// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package verdict

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/commutego/commute/report"
)

var (
	looksAt = regexp.MustCompile(
		`^(\S+)(?: function literal)? (?:looks at|sets) (\S+) and then `)
	sectionSide = regexp.MustCompile(
		`(?m)^(Act: |In between: |The other's check: |Check: |First: ).* by goroutine \d+.*:` +
			`\n  .*\n      (.*):(\d+)$`)
)

// reportedSections is the findings of critical sections that a run has printed, a line each.
func reportedSections(out string) (list []string) {
	for _, block := range callBlock.FindAllStringSubmatch("\n"+out, -1) {
		head := looksAt.FindStringSubmatch(block[2])
		if head == nil {
			continue
		}
		sides := make(map[string]string)
		for _, s := range sectionSide.FindAllStringSubmatch(block[2], -1) {
			sides[s[1]] = fmt.Sprintf("%s:%s", filepath.Base(s[2]), s[3])
		}
		list = append(list, sectionLine(head[1], head[2], sides["Check: "]+sides["First: "],
			sides["Act: "], sides["In between: "]+sides["The other's check: "],
			goesWrong.FindStringSubmatch(block[2])[1], surely.FindStringSubmatch(block[2])[1]))
	}
	return list
}

func sectionLine(function, of, check, act, other, effect, evidence string) string {
	return fmt.Sprintf("%s looks at %s: check %s, act %s, other %s: %s, %s", function, of, check,
		act, other, effect, evidence)
}

// sectionOf is a finding of the analysis, as reportedSections has it.
func sectionOf(x *report.Finding) string {
	at := func(e *report.Event) string {
		return fmt.Sprintf("%s:%d", filepath.Base(e.Stack[0].File), e.Stack[0].Line)
	}
	function := looksAt.FindStringSubmatch(x.Sections.Func + " looks at x and then ")
	return sectionLine(function[1], x.Sections.Check.Of, at(x.Decided), at(&x.At), at(x.Previous),
		string(x.Effect), string(x.Evidence))
}

// TestReportedSections wants the report of a run to be read as the analysis has it, and none of it
// to be read as one of calls.
func TestReportedSections(t *testing.T) {
	const out = `==================
WARNING: CHECK-THEN-ACT RACE
p.(*rates).raise looks at rates.m["k"] and then sets it, with rates.mu free in between: ...

Check: rates.m["k"] = 1 by goroutine 20, under rates.mu:
  p.(*rates).get()
      /a/b.go:25

Act: rates.m["k"] = 2 (was 2) by goroutine 20, under rates.mu:
  p.(*rates).put()
      /a/b.go:31

In between: rates.m["k"] = 2 by goroutine 21, under rates.mu:
  p.(*rates).reset()
      /a/c.go:4

What can go wrong: lost update: both start from the same value
Evidence: observed: this has happened, in this order
==================
`
	want := []string{`p.(*rates).raise looks at rates.m["k"]: check b.go:25, act b.go:31, ` +
		`other c.go:4: lost update, observed`}
	if got := reportedSections(out); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if calls := reportedCalls(out); len(calls) != 0 {
		t.Errorf("%q are read as calls", calls)
	}
	if got := reportedSections(strings.ReplaceAll(out, "looks", "x")); len(got) != 0 {
		t.Errorf("%q are no critical sections", got)
	}
}
