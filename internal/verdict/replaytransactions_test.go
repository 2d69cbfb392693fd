// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package verdict

import (
	"cmp"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/commutego/commute/report"
)

var (
	violatedCode = regexp.MustCompile(`^  (\S.*) \((\S+:\d+)\)$`)
	violatedAt   = regexp.MustCompile(`^    (\S+:\d+)(?: to (\S+:\d+))?, (can be )?interfered with` +
		`(?: at (\S+:\d+))?.*: .*\d+ times?$`)
)

// A violated transaction was interfered with, or can be.
type violated struct {
	code, mark, first, last, other string
	predicted                      bool
}

func (v *violated) String() string {
	how := "interfered with"
	if v.predicted {
		how = "can be interfered with"
	}
	return fmt.Sprintf("%s, marked at %s: %s to %s, %s at %s", v.code, v.mark, v.first, v.last, how,
		v.other)
}

// same reports whether v and w are violations of the same code that end at the same line, and one
// was predicted and the other observed.
func (v *violated) same(w *violated) bool {
	return v.code == w.code && v.last == w.last && v.predicted != w.predicted
}

// follows reports whether v has happened, and the run has predicted it. Then the run doesn't report
// it again when it happens, and the analysis does.
func (v *violated) follows(run []violated) bool {
	return !v.predicted && slices.ContainsFunc(run, func(w violated) bool { return v.same(&w) })
}

// foretells reports whether v was predicted, and the analysis has found that it has happened. Then
// the analysis doesn't report the prediction.
func (v *violated) foretells(analysis []violated) bool {
	return v.predicted && slices.ContainsFunc(analysis, func(w violated) bool { return v.same(&w) })
}

// reportedViolations is the violations of marked transactions in the summary of a run.
func reportedViolations(out string) (list []violated) {
	code, mark := "", ""
	for line := range strings.Lines(out) {
		line = strings.TrimSuffix(line, "\n")
		if m := violatedCode.FindStringSubmatch(line); m != nil {
			code, mark = m[1], m[2]
		} else if m := violatedAt.FindStringSubmatch(line); m != nil {
			last := cmp.Or(m[2], m[1]) // a range of one line is named as that line
			list = append(list, violated{code, mark, m[1], last, m[4], m[3] != ""})
		}
	}
	return list
}

// violationOf is a violation that the analysis has found.
func violationOf(x *report.Finding) violated {
	code := x.Transactions[0]
	first, last := x.Edges[0], x.Edges[len(x.Edges)-1]
	other := lineIn("", &first.To)
	if first.From.Op == "fork" {
		other = "" // the run doesn't tell of an event of the goroutine that starts
	}
	return violated{
		path.Base(code.Name), filepath.Base(code.MarkedAt), lineIn(code.Name, &first.From),
		lineIn(code.Name, &last.To), other, x.Evidence == report.Predicted,
	}
}

// lineIn is the line of an event in a function, or else the innermost that is not in the library.
func lineIn(function string, e *report.Event) string {
	own := ""
	for _, f := range e.Stack {
		line := fmt.Sprintf("%s:%d", filepath.Base(f.File), f.Line)
		if rest, ok := strings.CutPrefix(function, f.Func); ok &&
			(rest == "" || rest[0] == ' ') {
			return line
		}
		if own == "" && !slices.ContainsFunc([]string{"sync.", "sync/", "internal/", "runtime."},
			func(prefix string) bool { return strings.HasPrefix(f.Func, prefix) }) {
			own = line
		}
	}
	return own
}

// TestReportedViolations wants the summary of a run to be read as the analysis has it.
func TestReportedViolations(t *testing.T) {
	const out = `WARNING: ATOMICITY VIOLATION
example.com/p.(*a).f block, marked as atomic at /p/b_test.go:34, is not: goroutine 8 was ...
FAIL
commute: found 2 atomicity violations
  p.(*a).f block (b_test.go:34)
    b_test.go:35 to b_test.go:38, interfered with at c.go:28 by p.(*a).set: at least 64 times
    b_test.go:35 to b_test.go:39, can be interfered with at c.go:28 by p.(*a).set: 1 time
    b_test.go:36, interfered with at c.go:28 by p.(*a).set: 3 times
`
	const code, mark = "p.(*a).f block", "b_test.go:34"
	want := []violated{
		{code, mark, "b_test.go:35", "b_test.go:38", "c.go:28", false},
		{code, mark, "b_test.go:35", "b_test.go:39", "c.go:28", true},
		{code, mark, "b_test.go:36", "b_test.go:36", "c.go:28", false},
	}
	if got := reportedViolations(out); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
