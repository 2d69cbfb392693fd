// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package verdict

import (
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
	violatedAt   = regexp.MustCompile(`^    (\S+:\d+) to (\S+:\d+), (can be )?interfered with` +
		`(?: at (\S+:\d+))?.*: .*\d+ times?$`)
	markedCode = regexp.MustCompile(`(?m)^(\S.*), marked as atomic at \S+, is not: goroutine`)
)

// reportedViolations is the violations of marked transactions in the summary of a run, a line each.
// Those that were predicted are in a list of their own, by their code and last line: a run does not
// report them again when they happen.
func reportedViolations(out string) (list, predicted []string) {
	var marked []string
	for _, m := range markedCode.FindAllStringSubmatch(out, -1) {
		marked = append(marked, path.Base(m[1]))
	}
	code, mark := "", ""
	for line := range strings.Lines(out) {
		line = strings.TrimSuffix(line, "\n")
		if m := violatedCode.FindStringSubmatch(line); m != nil {
			code, mark = m[1], m[2]
		} else if m := violatedAt.FindStringSubmatch(line); m != nil &&
			slices.Contains(marked, code) {
			if m[3] != "" {
				predicted = append(predicted, code+" to "+m[2])
			} else {
				list = append(list, violationLine(code, mark, m[1], m[2], m[4]))
			}
		}
	}
	return list, predicted
}

func violationLine(code, mark, first, last, other string) string {
	return fmt.Sprintf("%s, marked at %s: %s to %s, interfered with at %s", code, mark, first, last,
		other)
}

// violationOf is a violation that the analysis has found, as reportedViolations has it: what the
// run reports when it happens, and how it would have predicted it.
func violationOf(x *report.Finding) (observed, predicted string) {
	code := x.Transactions[0]
	first, last := x.Edges[0], x.Edges[len(x.Edges)-1]
	other := lineIn("", &first.To)
	if first.From.Op == "fork" {
		other = "" // the run doesn't tell of an event of the goroutine that starts
	}
	name, end := path.Base(code.Name), lineIn(code.Name, &last.To)
	return violationLine(name, filepath.Base(code.MarkedAt), lineIn(code.Name, &first.From), end,
		other), name + " to " + end
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
  p.inferred (d.go:3)
    d.go:4 to d.go:5, interfered with at c.go:28 by p.(*a).set: 1 time
`
	want := []string{
		"p.(*a).f block, marked at b_test.go:34: b_test.go:35 to b_test.go:38, " +
			"interfered with at c.go:28",
	}
	got, predicted := reportedViolations(out)
	if !slices.Equal(got, want) || !slices.Equal(predicted, []string{
		"p.(*a).f block to b_test.go:39",
	}) {
		t.Errorf("%q and predicted %q, want %q", got, predicted, want)
	}
}
