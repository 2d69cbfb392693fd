// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package finding

import (
	"sync/atomic"
	"unsafe"

	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/instance"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/option"
	"github.com/commutego/commute/internal/engine/report"
	"github.com/commutego/commute/internal/engine/source"
	"github.com/commutego/commute/internal/engine/stack"
	"github.com/commutego/commute/internal/engine/term"
	"github.com/commutego/commute/internal/engine/tests"
	"github.com/commutego/commute/internal/engine/text"
)

// A pair is all races between two call stacks on objects of one declaration. Its verdict, what
// becomes of a race, is that of all of them.
type pair struct {
	next      *pair
	stack     [2]*stack.Stack
	method    [2]uint32
	table     *commrace.Table
	global    source.Key // that of the global variable that the object is part of, if it is
	violation commrace.Violation
	check     uintptr // the site of the check that is broken, 0 if none is
	verdict   verdict
	noted     bool            // it is counted as not reported
	finding   *report.Finding // nil until one of the races is reported
}

// A verdict says what becomes of a race.
type verdict byte

const (
	reported   verdict = iota
	belowLevel         // option level asks for worse ones only
	readBeside         // it is a read beside a write, for which the type is there
	concurrent         // the object is declared //commute:concurrent
	ignored            // a line has //commute:ignore
	suppressed         // a line of the suppressions file matches
	stdOnly            // both calls are the standard library's, which the user can't change
)

// found is what was found of races of calls. Its lock guards all that this package keeps.
var found struct {
	lock   offheap.Lock
	bucket [1 << 12]*pair           // the pairs, by their stacks
	byHash [1 << 12]*report.Finding // the findings, by their hash
	first  *report.Finding          // the findings, in the order in which they were found
	last   *report.Finding
	number uint64 // how many findings there are, but for those that have become part of others

	byFunctions [1 << 12]*report.Finding // the findings, by declaration and functions
	closed      bool                     // the summary was posted
}

// unreported remembers pairs on an object that are not reported, by their hash. Without it, an
// object that is meant to be raced on would take the lock at every call.
var unreported [1 << 10]atomic.Uint64

// raceHash is a hash of what makes a race the same as an earlier one. It is odd, so it is never 0.
func raceHash(r *report.Race) uint64 {
	h := uint64(r.Addr)
	for _, v := range [...]uint64{uint64(r.First.Stack), uint64(r.Second.Stack),
		uint64(r.First.Method)<<32 | uint64(r.Second.Method), uint64(r.CheckAt.Site),
		uint64(r.Violation)} {
		h = (h ^ v) * 0x9E3779B97F4A7C15
		h ^= h >> 31
	}
	return h | 1
}

// Race counts a race, and reports it if it is the first of its finding in a test.
func Race(r *report.Race) {
	h := raceHash(r)
	known := &unreported[h>>54]
	if known.Load() == h {
		return
	}
	option.Ready()
	found.lock.Lock()
	if isClosed() {
		found.lock.Unlock()
		return
	}
	posted := false
	prefix := text.Buffers.Get()
	p := pairOf(r, stack.FrameOf(r.Table, prefix))
	sides := [2]*tests.Test{testOf(r.First), testOf(r.Second)}
	switch {
	case p.verdict == readBeside && tests.Excused(sides[0], sides[1], expectation(r)):
	case p.verdict != reported:
		known.Store(h)
		noteUnreported(p)
	case tests.Excused(sides[0], sides[1], expectation(r)):
	default:
		sides[0], sides[1] = sides[0].Charged(), sides[1].Charged()
		if p.finding == nil {
			f := declaredFinding(r, stack.FrameOf(r.Table, prefix))
			p.finding = intern(&f)
		}
		for p.finding.Into != nil {
			p.finding = p.finding.Into
		}
		f := p.finding
		f.Count++
		tests.Charge(sides[0], sides[1])
		again := wasReported(f, sides)
		if (!again || f.Worsens(r)) && f.Reports < report.MaxReports {
			if !again {
				tests.Tell(sides[0], sides[1])
			}
			f.ReportedFor[f.Reports] = sides
			f.Reports++
			postReport(messageOf(r, f).of(sides[0], sides[1]))
			posted = true
		}
	}
	text.Buffers.Put(prefix)
	found.lock.Unlock()
	if posted {
		Wake()
	}
}

// postReport posts a report, and closes the package if option halt_on_error is set. found.lock is
// held. The caller calls Wake when it is released.
func postReport(m *message) {
	post(m)
	if option.Current.Halt {
		end()
		halting.Store(1)
	}
}

// isClosed reports whether nothing is found any more: the program ends, or the clocks are
// exhausted. found.lock is held.
func isClosed() bool { return found.closed || instance.Clocks.Exhausted.Load() != 0 }

// Close posts the summary, if that was not done, and returns the number of reports. From now on,
// nothing is found any more.
func Close() uint64 {
	found.lock.Lock()
	if !found.closed {
		end()
	}
	n := found.number + dataRaces + violationReports + sectionReports +
		failingDeadlocks() + failingLeaks()
	found.lock.Unlock()
	Wake()
	return n
}

// end posts the summary; from now on, nothing is found any more. found.lock is held.
func end() {
	found.closed = true
	post(newMessage(kindSummary))
}

// testOf is the test of a call.
func testOf(a *commrace.Action) *tests.Test { return *(**tests.Test)(unsafe.Pointer(&a.Owner)) }

// wasReported reports whether the finding was reported for these tests.
func wasReported(f *report.Finding, sides [2]*tests.Test) bool {
	for _, t := range f.ReportedFor[:f.Reports] {
		if t == sides || t == [2]*tests.Test{sides[1], sides[0]} {
			return true
		}
	}
	return f.Reports == report.MaxReports
}

// LeaveScope ends a scope, and reports whether what the scope expects was found in it.
func LeaveScope(t *tests.Test) bool {
	if t.Scope != tests.Ignoring {
		found.lock.Lock() // a finding that is being made counts
		t.Ended.Store(1)
		found.lock.Unlock()
	}
	return t.Found.Load() > 0
}

// pairOf returns the pair that r belongs to, with its verdict.
func pairOf(r *report.Race, prefix string) *pair {
	s := [2]*stack.Stack{stack.StackOf(r.First.Stack), stack.StackOf(r.Second.Stack)}
	method := [2]uint32{r.First.Method, r.Second.Method}
	if uintptr(unsafe.Pointer(s[0])) > uintptr(unsafe.Pointer(s[1])) || s[0] == s[1] &&
		method[0] > method[1] {
		s[0], s[1] = s[1], s[0]
		method[0], method[1] = method[1], method[0]
	}
	global, _ := source.GlobalAt(r.Addr)
	h := uintptr(unsafe.Pointer(s[0]))/8*31 + uintptr(unsafe.Pointer(s[1]))/8
	bucket := &found.bucket[h%uintptr(len(found.bucket))]
	for p := *bucket; p != nil; p = p.next {
		if p.stack == s && p.method == method && p.table == r.Table && p.global == global.Key &&
			p.violation == r.Violation && p.check == r.CheckAt.Site {
			return p
		}
	}
	p := (*pair)(host.Alloc(unsafe.Sizeof(pair{})))
	*p = pair{next: *bucket, stack: s, method: method, table: r.Table, global: global.Key,
		violation: r.Violation, check: r.CheckAt.Site}
	*bucket = p
	f := declaredFinding(r, prefix)
	p.verdict = judge(r, &f, prefix)
	return p
}

// declaredFinding is the finding of r. A global variable is its declaration, unless a field of that
// is known.
func declaredFinding(r *report.Race, prefix string) report.Finding {
	f := describe(r, prefix)
	if global, is := source.GlobalAt(r.Addr); is && f.Decl.Kind != "field" {
		f.Decl = global
	}
	return f
}

// describe makes a finding from a race.
func describe(r *report.Race, prefix string) (f report.Finding) {
	first, second := stack.StackOf(r.First.Stack), stack.StackOf(r.Second.Stack)
	f.Table = r.Table
	f.Code = [2]uint64{first.CodePlace(prefix), second.CodePlace(prefix)}
	f.Method = [2]uint32{r.First.Method, r.Second.Method}
	f.At = [2]host.Frame{first.Top(prefix), second.Top(prefix)}
	if r.Violation != commrace.NoViolation {
		r.DescribeViolation(&f, prefix)
	} else if f.Code[0] > f.Code[1] || f.Code[0] == f.Code[1] && f.Method[0] > f.Method[1] {
		f.Swap()
	}
	for i := range f.At {
		if d := source.Declare(f.At[i],
			r.Table.Methods[f.Method[i]].Name); d.Rank() > f.Decl.Rank() {
			f.Decl = d
		}
	}
	f.Effect = r.Effect()
	return f
}

// judge decides what becomes of the races of a new pair.
func judge(r *report.Race, f *report.Finding, prefix string) verdict {
	switch {
	case source.IsStd(f.At[0]) && source.IsStd(f.At[1]) && source.UsedByStd(r.Table.Type):
		return stdOnly
	case f.Effect == term.Arbitration && option.Current.Level < option.All,
		option.Current.Level == option.Violations && r.Violation != commrace.Observed &&
			r.Violation != commrace.Predicted,
		option.Current.Level < option.All && r.Violation == commrace.NoViolation &&
			r.Table.Derived():
		return belowLevel
	case source.Directed("ignore", f.At[0], nil), source.Directed("ignore", f.At[1], nil),
		f.CheckCode != 0 && source.Directed("ignore", f.Check, nil):
		return ignored
	case f.Decl.Name != "" && source.Directed("concurrent", host.Frame{}, &f.Decl) &&
		r.Violation == commrace.NoViolation:
		return concurrent // but a check must hold even there
	case suppressedRace(r, f, prefix):
		return suppressed
	case option.Current.Level < option.All && looksAgain(r, prefix):
		return belowLevel
	case option.Current.Level == option.Updates && r.Table.Of.Shipped && r.ReadBesideWrite():
		return readBeside // after comments and suppressions: they are used
	}
	return reported
}

// readsBeside counts the pairs of calls that are not reported as they read beside a write.
// found.lock guards it.
var readsBeside uint64

// noteUnreported counts a pair for the summary, once.
func noteUnreported(p *pair) {
	if p.verdict == readBeside && !p.noted {
		p.noted = true
		readsBeside++
	}
}

// expectation is the kind of a race of calls, as package tests has it.
func expectation(r *report.Race) uint32 {
	if r.Violation != commrace.NoViolation {
		return tests.ExpectCheckThenAct
	}
	return tests.ExpectRace
}
