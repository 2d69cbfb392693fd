// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package finding

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/deadlock"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/option"
	"github.com/commutego/commute/internal/engine/report"
	"github.com/commutego/commute/internal/engine/source"
	"github.com/commutego/commute/internal/engine/stack"
	"github.com/commutego/commute/internal/engine/tests"
	"github.com/commutego/commute/internal/engine/text"
)

// A deadlockFinding is all cycles whose locks are taken at the same places.
type deadlockFinding struct {
	next       *deadlockFinding // in the order in which they were found
	places     uint64           // a hash of them
	n          int              // goroutines
	at         [deadlock.MaxLength]host.Frame
	names      [deadlock.MaxLength]string // of the locks that are wanted there; "" if not known
	suppressed bool
	count      uint64
	// reportedFor are the tests of the first two sides.
	reportedFor [report.MaxReports][2]*tests.Test
	reports     int
}

// deadlockFindings are those that were found, and deadlockReports counts those that were reported.
// found.lock guards both.
var (
	deadlockFindings *deadlockFinding
	deadlockReports  uint64
)

// Deadlock reports a potential deadlock, if it is the first of its places in a test.
func Deadlock(c *deadlock.Cycle) {
	option.Ready()
	posted := false
	found.lock.Lock()
	if !isClosed() {
		posted = reportDeadlock(c)
	}
	found.lock.Unlock()
	if posted {
		Wake()
	}
}

// reportDeadlock is Deadlock with found.lock held. It reports whether it has posted a message.
func reportDeadlock(c *deadlock.Cycle) bool {
	f := deadlockFindingOf(c)
	sides := [2]*tests.Test{tests.TestOf(c.Side[0].Owner), tests.TestOf(c.Side[1].Owner)}
	if f.suppressed || sides[0].Ignores() || sides[1].Ignores() {
		return false
	}
	sides[0], sides[1] = sides[0].Charged(), sides[1].Charged()
	if f.count++; f.count == 1 {
		deadlockReports++
	}
	fails := option.Current.Deadlock == option.Fail
	if fails {
		tests.Charge(sides[0], sides[1])
	}
	for _, t := range f.reportedFor[:f.reports] {
		if t == sides || t == [2]*tests.Test{sides[1], sides[0]} {
			return false
		}
	}
	if f.reports == report.MaxReports {
		return false
	}
	f.reportedFor[f.reports] = sides
	f.reports++
	if m := deadlockMessage(c).of(sides[0], sides[1]); fails {
		tests.Tell(sides[0], sides[1])
		postReport(m)
	} else {
		post(m)
	}
	return true
}

// deadlockFindingOf returns the finding that a cycle belongs to.
func deadlockFindingOf(c *deadlock.Cycle) *deadlockFinding {
	var places uint64
	var at [deadlock.MaxLength]host.Frame
	for i := range c.N {
		s := &c.Side[i]
		at[i] = report.TakenAt(s.WantedStack)
		h := stack.PlaceOf(at[i])
		if s.Held != 0 {
			h = h*31 + stack.PlaceOf(report.TakenAt(s.HeldStack))
		}
		places += h * 0x9E3779B97F4A7C15 // whichever side comes first
	}
	var last *deadlockFinding
	for f := deadlockFindings; f != nil; f = f.next {
		if f.places == places && f.n == c.N {
			return f
		}
		last = f
	}
	f := (*deadlockFinding)(host.Alloc(unsafe.Sizeof(deadlockFinding{})))
	*f = deadlockFinding{places: places, n: c.N, at: at}
	for i := range c.N {
		f.names[i] = report.LockOf(c, i).Name
	}
	f.suppressed = suppressedDeadlock(c, f)
	if last == nil {
		deadlockFindings = f
	} else {
		last.next = f
	}
	return f
}

// suppressedDeadlock reports whether a comment ignores a line that takes one of the locks, or a
// line of the suppressions file matches a frame of the stacks, or the name of a lock.
func suppressedDeadlock(c *deadlock.Cycle, f *deadlockFinding) (hit bool) {
	hit = option.About(aboutDeadlock)
	for i := range c.N {
		s := &c.Side[i]
		hit = source.Directed("ignore", f.at[i], nil) || hit
		if s.Held != 0 {
			hit = source.Directed("ignore", report.TakenAt(s.HeldStack), nil) || hit
		}
		for _, st := range [...]uintptr{s.HeldStack, s.WantedStack} {
			if st != 0 {
				hit = suppressedFrames(stack.FrameList{Stack: stack.StackOf(st)}) || hit
			}
		}
		if v, global := source.GlobalAt(s.Wanted); global {
			hit = option.Suppressed(v.Name) || hit
		}
		if f.names[i] != "" {
			hit = option.Suppressed(f.names[i]) || hit
		}
	}
	return hit
}

// failingDeadlocks is the number of potential deadlocks that are findings as any other.
func failingDeadlocks() uint64 {
	if option.Current.Deadlock == option.Fail {
		return deadlockReports
	}
	return 0
}

// listDeadlocks writes the findings for the summary.
func listDeadlocks(b *text.Buffer) {
	b.Text("commute: found ")
	b.Uint(deadlockReports)
	b.Text(text.Plural(deadlockReports, " potential deadlock", " potential deadlocks"))
	endHead(b, deadlockReports, option.Current.Deadlock, "deadlock")
	for f := deadlockFindings; f != nil; f = f.next {
		f.list(b, "  ")
	}
}

// List writes lines of the counts: how much was found, one for each potential deadlock and each
// leak that fails nothing, one for the code of each violation that was reported, and one for each
// suppression that holds for a finding.
func List(b *text.Buffer) {
	found.lock.Lock()
	listFound(b)
	listReported(b)
	for i := range option.Suppressions {
		if r := &option.Suppressions[i]; r.Used {
			b.Texts("suppressed ", r.Pattern, "\n")
		}
	}
	for f := deadlockFindings; f != nil && option.Current.Deadlock == option.Warn; f = f.next {
		f.list(b, "deadlock ")
	}
	for f := leakFindings; f != nil && option.Current.Leaks == option.Warn; f = f.next {
		f.list(b, "leak ")
	}
	found.lock.Unlock()
}

// list writes a finding in one line, if it was not suppressed.
func (f *deadlockFinding) list(b *text.Buffer, before string) {
	if f.count > 0 {
		b.Text(before)
		for i, fr := range f.at[:f.n] {
			b.Text(text.Pick(i > 0, " and ", ""))
			stack.Place(b, fr)
			if f.names[i] != "" {
				b.Texts(" (", f.names[i], ")")
			}
		}
		b.Text(", ")
		b.Uint(f.count)
		b.Text(text.Plural(f.count, " time\n", " times\n"))
	}
}

// deadlockMessage is the report of a potential deadlock.
func deadlockMessage(c *deadlock.Cycle) *message {
	m := newMessage(kindDeadlock)
	m.deadlock, m.warning = *c, option.Current.Deadlock == option.Warn
	for i := range c.N {
		m.mem.Note(c.Side[i].Wanted)
	}
	return m
}
