// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package finding

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/option"
	"github.com/commutego/commute/internal/engine/report"
	"github.com/commutego/commute/internal/engine/source"
	"github.com/commutego/commute/internal/engine/stack"
	"github.com/commutego/commute/internal/engine/tests"
	"github.com/commutego/commute/internal/engine/text"
)

// A leakFinding is all leaked goroutines that the same go statement has started, and that wait at
// the same place for the same kind of thing.
type leakFinding struct {
	next       *leakFinding // in the order in which they were found
	started    uint64       // the place of the go statement
	place      uint64       // where they wait
	at         host.Frame
	from       host.Frame    // of the go statement, if that is known
	leaked     report.Leaked // the first of them
	tests      [2]*tests.Test
	suppressed bool
	told       bool // reported by an earlier search
}

// leakFindings are those that were found, and leakReports counts those that were reported.
// found.lock guards both.
var (
	leakFindings *leakFinding
	leakReports  uint64
)

// Leaks reports leaked goroutines, one report for those of one finding, and reports whether tests
// fail by them. A later search finds the same goroutines again: it counts none of a finding that
// was reported, and nothing fails by that once more.
func Leaks(list []report.Leaked) (fails bool) {
	option.Ready()
	found.lock.Lock()
	if isClosed() || option.Current.Leaks == option.Off {
		found.lock.Unlock()
		return false
	}
	before := failingLeaks()
	for i := range list {
		addLeak(&list[i])
	}
	for f := leakFindings; f != nil; f = f.next {
		reportLeak(f)
	}
	fails = failingLeaks() > before
	found.lock.Unlock()
	Wake()
	return fails
}

// addLeak counts a leaked goroutine, unless a scope ignores what it does.
func addLeak(l *report.Leaked) {
	t := tests.TestOf(l.Owner)
	if t.Ignores() {
		return
	}
	f := leakFindingOf(l)
	if f.told || f.suppressed {
		return
	}
	f.leaked.Count++
	switch t = t.Charged(); {
	case f.tests[0] == nil:
		f.tests[0] = t
	case f.tests[1] == nil && t != f.tests[0]:
		f.tests[1] = t
	}
}

// reportLeak posts the report of a finding, if that was not done. No test is charged: all have
// ended, and who has searched fails the tests as a whole.
func reportLeak(f *leakFinding) {
	if f.told || f.leaked.Count == 0 || found.closed {
		return
	}
	f.told = true
	leakReports++
	m := newMessage(kindLeak)
	m.leaked, m.warning = f.leaked, option.Current.Leaks != option.Fail
	m.of(f.tests[0], f.tests[1])
	if m.warning {
		post(m)
		return
	}
	tests.Tell(f.tests[0], f.tests[1])
	postReport(m)
}

// leakFindingOf returns the finding that a leaked goroutine belongs to.
func leakFindingOf(l *report.Leaked) *leakFinding {
	at := report.TakenAt(l.Stack)
	place, started := stack.PlaceOf(at), uint64(l.Creator)
	var from host.Frame
	if l.Origin != 0 {
		from = report.TakenAt(l.Origin)
		started = stack.PlaceOf(from)
	}
	var last *leakFinding
	for f := leakFindings; f != nil; f = f.next {
		if f.place == place && f.started == started && f.leaked.For == l.For {
			return f
		}
		last = f
	}
	f := (*leakFinding)(host.Alloc(unsafe.Sizeof(leakFinding{})))
	*f = leakFinding{place: place, started: started, at: at, from: from, leaked: *l}
	f.suppressed = suppressedLeak(f)
	if last == nil {
		leakFindings = f
	} else {
		last.next = f
	}
	return f
}

// suppressedLeak reports whether a comment ignores the line of the go statement, or the one that
// waits, or a line of the suppressions file matches a frame of the stacks.
func suppressedLeak(f *leakFinding) (hit bool) {
	hit = option.About(aboutLeak)
	for _, st := range [...]uintptr{f.leaked.Stack, f.leaked.Origin} {
		if st != 0 {
			hit = source.Directed("ignore", report.TakenAt(st), nil) || hit
			hit = suppressedFrames(stack.FrameList{Stack: stack.StackOf(st)}) || hit
		}
	}
	return hit
}

// failingLeaks is the number of findings by which the tests fail: leaked goroutines with option
// leaks=fail.
func failingLeaks() uint64 {
	if option.Current.Leaks == option.Fail {
		return leakReports
	}
	return 0
}

// listLeaks writes the findings for the summary.
func listLeaks(b *text.Buffer) {
	b.Text("commute: found leaked goroutines at ")
	b.Uint(leakReports)
	b.Text(text.Plural(leakReports, " place", " places"))
	endHead(b, leakReports, option.Current.Leaks, "leaks")
	for f := leakFindings; f != nil; f = f.next {
		f.list(b, "  ")
	}
}

// list writes a finding in one line, if it was not suppressed.
func (f *leakFinding) list(b *text.Buffer, before string) {
	if f.leaked.Count == 0 {
		return
	}
	b.Text(before)
	stack.Place(b, f.at)
	b.Texts(" waits ", f.leaked.For.Waits())
	if f.leaked.Origin != 0 {
		b.Text(", started at ")
		stack.Place(b, f.from)
	}
	b.Text(", ")
	b.Uint(f.leaked.Count)
	b.Text(text.Plural(f.leaked.Count, " time\n", " times\n"))
}
