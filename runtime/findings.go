// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package runtime

import (
	"sync/atomic"
	"unsafe"

	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/instance"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/term"
)

// A pair is all races between two call stacks on objects of one declaration. What becomes of a
// race, its verdict, is a function of its pair.
type pair struct {
	next    *pair
	stack   [2]*stack
	method  [2]uint32
	table   *commrace.Table
	global  string // key of the global variable that the object is part of, if it is
	breach  commrace.Violation
	check   uintptr // the site of the check that it breaks, 0 if it breaks none
	verdict verdict
	finding *finding // where the verdict is to report, and something was
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

var found struct {
	lock     offheap.Lock
	bucket   [1 << 12]*pair
	known    [1 << 12]*finding // by their hash
	first    *finding          // the findings, as they were found
	last     *finding
	reported uint64 // their number
	closed   bool   // the summary was printed
}

// silent remembers pairs on an object that are not reported, by their hash: a map that is meant to
// be raced on may be so at every call.
var silent [1 << 10]atomic.Uint64

func (r *race) hash() uint64 {
	h := uint64(r.addr)
	for _, v := range [...]uint64{uint64(r.First.Stack), uint64(r.Second.Stack), uint64(r.First.Method)<<32 | uint64(r.Second.Method), uint64(r.CheckAt.Site), uint64(r.Violation)} {
		h = (h ^ v) * 0x9E3779B97F4A7C15
		h ^= h >> 31
	}
	return h | 1
}

// report counts a race, and tells of it if it's the first of its finding in a test.
func report(r *race) {
	h := r.hash()
	known := &silent[h>>54]
	if known.Load() == h {
		return
	}
	ready()
	found.lock.Lock()
	if over() {
		found.lock.Unlock()
		return
	}
	tells := false
	prefix := buffers.Get()
	p := r.pair(frameOf(r.table, prefix))
	sides := [2]*test{testOf(r.First), testOf(r.Second)}
	switch {
	case p.verdict != reported:
		known.Store(h)
	case excused(sides[0], sides[1], r.expectation()):
	default:
		sides[0], sides[1] = sides[0].charged(), sides[1].charged()
		if p.finding == nil {
			f := r.named(frameOf(r.table, prefix))
			p.finding = f.intern()
		}
		f := p.finding
		f.count++
		charge(sides[0], sides[1])
		if (!f.wasTold(sides) || f.worsens(r)) && f.tells < maxTold {
			f.told[f.tells] = sides
			f.tells++
			tell(messageOf(r, f))
			tells = true
		}
	}
	buffers.Put(prefix)
	found.lock.Unlock()
	if tells {
		wake()
	}
}

// tell posts a report, and has the program end if that is asked for. Found.lock is held; wake is to
// be called when it no longer is.
func tell(m *message) {
	post(m)
	if options.halt {
		end()
		halting.Store(1)
	}
}

// over reports whether nothing is found any more: the program ends, or the clocks are used up.
// Found.lock is held.
func over() bool { return found.closed || instance.Clocks.Exhausted.Load() != 0 }

// end posts the summary; from now on, nothing is found any more.
func end() {
	found.closed = true
	post(newMessage(theSummary))
}

func testOf(a *commrace.Action) *test { return *(**test)(unsafe.Pointer(&a.Owner)) }

// wasTold reports whether the finding was reported for these tests.
func (f *finding) wasTold(sides [2]*test) bool {
	for _, t := range f.told[:f.tells] {
		if t == sides || t == [2]*test{sides[1], sides[0]} {
			return true
		}
	}
	return f.tells == maxTold
}

// leaveScope ends a scope, and reports whether what was expected was found in it. What is found
// later is not expected any more.
func leaveScope(t *test) bool {
	if t.scope != ignoring {
		found.lock.Lock() // what is being looked at counts
		t.over.Store(1)
		found.lock.Unlock()
	}
	return t.found.Load() > 0
}

// pair returns the pair that r belongs to.
func (r *race) pair(prefix string) *pair {
	s := [2]*stack{stackOf(r.First.Stack), stackOf(r.Second.Stack)}
	method := [2]uint32{r.First.Method, r.Second.Method}
	if uintptr(unsafe.Pointer(s[0])) > uintptr(unsafe.Pointer(s[1])) || s[0] == s[1] && method[0] > method[1] {
		s[0], s[1] = s[1], s[0]
		method[0], method[1] = method[1], method[0]
	}
	global, _ := globalAt(r.addr)
	bucket := &found.bucket[(uintptr(unsafe.Pointer(s[0]))/8*31+uintptr(unsafe.Pointer(s[1]))/8)%uintptr(len(found.bucket))]
	for p := *bucket; p != nil; p = p.next {
		if p.stack == s && p.method == method && p.table == r.table && p.global == global.key && p.breach == r.Violation && p.check == r.CheckAt.Site {
			return p
		}
	}
	p := (*pair)(host.Alloc(unsafe.Sizeof(pair{})))
	*p = pair{next: *bucket, stack: s, method: method, table: r.table, global: global.key, breach: r.Violation, check: r.CheckAt.Site}
	*bucket = p
	f := r.named(prefix)
	p.verdict = r.judge(&f, prefix)
	return p
}

// named is the finding that r makes, by the declaration that says most.
func (r *race) named(prefix string) finding {
	f := r.describe(prefix)
	if global, is := globalAt(r.addr); is && f.decl.kind != "field" {
		f.decl = global
	}
	return f
}

// describe makes a finding from a race.
func (r *race) describe(prefix string) (f finding) {
	first, second := stackOf(r.First.Stack), stackOf(r.Second.Stack)
	f.table = r.table
	f.code = [2]uint64{first.codePlace(prefix), second.codePlace(prefix)}
	f.method = [2]uint32{r.First.Method, r.Second.Method}
	f.at = [2]host.Frame{first.top(prefix), second.top(prefix)}
	if r.Violation != commrace.NoViolation {
		r.describeBreach(&f, prefix)
	} else if f.code[0] > f.code[1] || f.code[0] == f.code[1] && f.method[0] > f.method[1] {
		f.turn()
	}
	for i := range f.at {
		if d := declare(f.at[i], r.table.Methods[f.method[i]].Name); d.rank() > f.decl.rank() {
			f.decl = d
		}
	}
	f.effect = r.effect()
	return f
}

// judge decides what becomes of the races of a new pair.
func (r *race) judge(f *finding, prefix string) verdict {
	switch {
	case isStd(f.at[0]) && isStd(f.at[1]) && usedByStd(r.table.Type):
		return foreign
	case f.effect == term.Arbitration && options.level < all, options.level == violations && r.Violation == commrace.NoViolation:
		return tooMinor
	case directed("ignore", f.at[0], nil), directed("ignore", f.at[1], nil), f.seen != 0 && directed("ignore", f.check, nil):
		return ignored
	case f.decl.name != "" && directed("concurrent", host.Frame{}, &f.decl) && r.Violation == commrace.NoViolation:
		return meant // but no such declaration says that a check needn't hold
	case matchRules(r, f, prefix):
		return suppressed
	}
	return reported
}

// expectation is the kind of a race of calls.
func (r *race) expectation() uint32 {
	if r.Violation != commrace.NoViolation {
		return expectCheckThenAct
	}
	return expectRace
}
