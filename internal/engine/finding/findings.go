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

// A pair is all races between two call stacks on objects of one declaration. What becomes of a
// race, its verdict, is a function of its pair.
type pair struct {
	next    *pair
	stack   [2]*stack.Stack
	method  [2]uint32
	table   *commrace.Table
	global  source.Key // of the global variable that the object is part of, if it is
	breach  commrace.Violation
	check   uintptr // the site of the check that it breaks, 0 if it breaks none
	verdict verdict
	finding *report.Finding // where the verdict is to report, and something was
}

// A verdict says what becomes of a race.
type verdict byte

const (
	reported   verdict = iota
	tooMinor           // below the level that is asked for
	meant              // the object is declared //commute:concurrent
	ignored            // //commute:ignore
	suppressed         // the suppressions file
	foreign            // between calls by the standard library, which the user can't change
)

var Found struct {
	Lock     offheap.Lock
	bucket   [1 << 12]*pair
	known    [1 << 12]*report.Finding // by their hash
	first    *report.Finding          // the findings, as they were found
	Last     *report.Finding
	Reported uint64 // their number
	Closed   bool   // the summary was printed
}

// silent remembers pairs on an object that are not reported, by their hash: a map that is meant to
// be raced on may be so at every call.
var silent [1 << 10]atomic.Uint64

func raceHash(r *report.Race) uint64 {
	h := uint64(r.Addr)
	for _, v := range [...]uint64{uint64(r.First.Stack), uint64(r.Second.Stack), uint64(r.First.Method)<<32 | uint64(r.Second.Method), uint64(r.CheckAt.Site), uint64(r.Violation)} {
		h = (h ^ v) * 0x9E3779B97F4A7C15
		h ^= h >> 31
	}
	return h | 1
}

// Race counts a race, and tells of it if it's the first of its finding in a test.
func Race(r *report.Race) {
	h := raceHash(r)
	known := &silent[h>>54]
	if known.Load() == h {
		return
	}
	option.Ready()
	Found.Lock.Lock()
	if over() {
		Found.Lock.Unlock()
		return
	}
	tells := false
	prefix := text.Buffers.Get()
	p := pairOf(r, stack.FrameOf(r.Table, prefix))
	sides := [2]*tests.Test{testOf(r.First), testOf(r.Second)}
	switch {
	case p.verdict != reported:
		known.Store(h)
	case tests.Excused(sides[0], sides[1], expectation(r)):
	default:
		sides[0], sides[1] = sides[0].Charged(), sides[1].Charged()
		if p.finding == nil {
			f := named(r, stack.FrameOf(r.Table, prefix))
			p.finding = intern(&f)
		}
		f := p.finding
		f.Count++
		tests.Charge(sides[0], sides[1])
		if (!wasTold(f, sides) || f.Worsens(r)) && f.Tells < report.MaxTold {
			f.Told[f.Tells] = sides
			f.Tells++
			tell(messageOf(r, f))
			tells = true
		}
	}
	text.Buffers.Put(prefix)
	Found.Lock.Unlock()
	if tells {
		Wake()
	}
}

// tell posts a report, and has the program end if that is asked for. Found.lock is held; wake is to
// be called when it no longer is.
func tell(m *message) {
	post(m)
	if option.Current.Halt {
		End()
		halting.Store(1)
	}
}

// over reports whether nothing is found any more: the program ends, or the clocks are used up.
// Found.lock is held.
func over() bool { return Found.Closed || instance.Clocks.Exhausted.Load() != 0 }

// End posts the summary; from now on, nothing is found any more.
func End() {
	Found.Closed = true
	post(newMessage(theSummary))
}

func testOf(a *commrace.Action) *tests.Test { return *(**tests.Test)(unsafe.Pointer(&a.Owner)) }

// wasTold reports whether the finding was reported for these tests.
func wasTold(f *report.Finding, sides [2]*tests.Test) bool {
	for _, t := range f.Told[:f.Tells] {
		if t == sides || t == [2]*tests.Test{sides[1], sides[0]} {
			return true
		}
	}
	return f.Tells == report.MaxTold
}

// LeaveScope ends a scope, and reports whether what was expected was found in it. What is found
// later is not expected any more.
func LeaveScope(t *tests.Test) bool {
	if t.Scope != tests.Ignoring {
		Found.Lock.Lock() // what is being looked at counts
		t.Over.Store(1)
		Found.Lock.Unlock()
	}
	return t.Found.Load() > 0
}

// pairOf returns the pair that r belongs to.
func pairOf(r *report.Race, prefix string) *pair {
	s := [2]*stack.Stack{stack.StackOf(r.First.Stack), stack.StackOf(r.Second.Stack)}
	method := [2]uint32{r.First.Method, r.Second.Method}
	if uintptr(unsafe.Pointer(s[0])) > uintptr(unsafe.Pointer(s[1])) || s[0] == s[1] && method[0] > method[1] {
		s[0], s[1] = s[1], s[0]
		method[0], method[1] = method[1], method[0]
	}
	global, _ := source.GlobalAt(r.Addr)
	bucket := &Found.bucket[(uintptr(unsafe.Pointer(s[0]))/8*31+uintptr(unsafe.Pointer(s[1]))/8)%uintptr(len(Found.bucket))]
	for p := *bucket; p != nil; p = p.next {
		if p.stack == s && p.method == method && p.table == r.Table && p.global == global.Key && p.breach == r.Violation && p.check == r.CheckAt.Site {
			return p
		}
	}
	p := (*pair)(host.Alloc(unsafe.Sizeof(pair{})))
	*p = pair{next: *bucket, stack: s, method: method, table: r.Table, global: global.Key, breach: r.Violation, check: r.CheckAt.Site}
	*bucket = p
	f := named(r, prefix)
	p.verdict = judge(r, &f, prefix)
	return p
}

// named is the finding that r makes, by the declaration that says most.
func named(r *report.Race, prefix string) report.Finding {
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
		r.DescribeBreach(&f, prefix)
	} else if f.Code[0] > f.Code[1] || f.Code[0] == f.Code[1] && f.Method[0] > f.Method[1] {
		f.Turn()
	}
	for i := range f.At {
		if d := source.Declare(f.At[i], r.Table.Methods[f.Method[i]].Name); d.Rank() > f.Decl.Rank() {
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
		return foreign
	case f.Effect == term.Arbitration && option.Current.Level < option.All, option.Current.Level == option.Violations && r.Violation == commrace.NoViolation:
		return tooMinor
	case source.Directed("ignore", f.At[0], nil), source.Directed("ignore", f.At[1], nil), f.Seen != 0 && source.Directed("ignore", f.Check, nil):
		return ignored
	case f.Decl.Name != "" && source.Directed("concurrent", host.Frame{}, &f.Decl) && r.Violation == commrace.NoViolation:
		return meant // but no such declaration says that a check needn't hold
	case matchRules(r, f, prefix):
		return suppressed
	}
	return reported
}

// expectation is the kind of a race of calls.
func expectation(r *report.Race) uint32 {
	if r.Violation != commrace.NoViolation {
		return tests.ExpectCheckThenAct
	}
	return tests.ExpectRace
}
