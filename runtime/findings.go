// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package runtime

import (
	"unsafe"

	"github.com/commutego/commute/check/commrace"
	"github.com/commutego/commute/internal/host"
	"github.com/commutego/commute/internal/offheap"
)

// A race is two calls on one object that are not ordered and don't commute; second is the later.
type race struct {
	addr          uintptr
	table         *commrace.Table
	first, second *commrace.Action
	keyed         bool // they meet in the point of a key
}

// A finding is all races between two code places: the unit of reporting.
type finding struct {
	next    *finding
	code    [2]uint64
	method  [2]uint32
	table   *commrace.Table
	verdict verdict
	effect  string
	decl    declaration
	at      [2]host.Frame
	count   uint64
}

// A verdict says what becomes of a finding.
type verdict byte

const (
	reported   verdict = iota
	tooMinor           // below the level that is asked for
	meant              // the object is declared //commute:concurrent
	ignored            // //commute:ignore
	suppressed         // the suppressions file
)

var found struct {
	lock     offheap.Lock
	bucket   [256]*finding
	reported uint64 // findings that were reported
	closed   bool   // the summary was printed
}

// frameOf is the prefix of the names of a type's methods in stack traces.
func frameOf(t *commrace.Table, b *buffer) string {
	b.n = 0
	i := len(t.Type)
	for i > 0 && t.Type[i-1] != '.' {
		i--
	}
	b.texts(t.Type[:i], "(*", t.Type[i:], ").")
	return b.string()
}

func stackOf(p uintptr) *stack { return *(**stack)(unsafe.Pointer(&p)) }

// report counts a race, and tells of it if it's the first of its finding.
func report(r *race) {
	ready()
	found.lock.Lock()
	b := buffers.Get()
	prefix := buffers.Get()
	f, isNew := r.finding(frameOf(r.table, prefix))
	f.count++
	if f.verdict == reported {
		charge(testOf(r.first), testOf(r.second))
		if isNew {
			found.reported++
			b.n = 0
			r.print(b, f, prefix.string())
			b.flush(options.out)
			if options.halt {
				summary(b)
				host.Exit(options.exit)
			}
		}
	}
	buffers.Put(prefix)
	buffers.Put(b)
	found.lock.Unlock()
}

func testOf(a *commrace.Action) *test { return *(**test)(unsafe.Pointer(&a.Owner)) }

// finding returns the finding that r belongs to.
func (r *race) finding(prefix string) (f *finding, isNew bool) {
	first, second := stackOf(r.first.Stack), stackOf(r.second.Stack)
	code := [2]uint64{first.codePlace(prefix), second.codePlace(prefix)}
	method := [2]uint32{r.first.Method, r.second.Method}
	if code[0] > code[1] || code[0] == code[1] && method[0] > method[1] {
		code[0], code[1] = code[1], code[0]
		method[0], method[1] = method[1], method[0]
	}
	bucket := &found.bucket[(code[0]*31+code[1])%uint64(len(found.bucket))]
	for f := *bucket; f != nil; f = f.next {
		if f.code == code && f.method == method && f.table == r.table {
			return f, false
		}
	}
	f = (*finding)(host.Alloc(unsafe.Sizeof(finding{})))
	*f = finding{next: *bucket, code: code, method: method, table: r.table}
	*bucket = f
	f.at = [2]host.Frame{first.top(prefix), second.top(prefix)}
	f.decl = declare(f.at[0], r.table.Methods[r.first.Method].Name)
	if d := declare(f.at[1], r.table.Methods[r.second.Method].Name); d.rank() > f.decl.rank() {
		f.decl = d
	}
	f.effect = r.effect()
	f.verdict = r.judge(f, prefix)
	l := (*link)(host.Alloc(unsafe.Sizeof(link{})))
	*l = link{f, order}
	order = l
	return f, true
}

// order lists the findings, the last first.
var order *link

type link struct {
	*finding
	next *link
}

// The effects of races, as reports name them.
const (
	lostUpdate  = "lost update"
	staleCheck  = "stale check"
	staleRead   = "stale read"
	dependent   = "order-dependent result"
	arbitration = "arbitration"
)

// effect classes the race by what its calls are for.
func (r *race) effect() string {
	a, b := r.table.Methods[r.first.Method].Role, r.table.Methods[r.second.Method].Role
	if a > b {
		a, b = b, a // 'a' < 'm' < 'o'
	}
	switch {
	case a == commrace.Mutator && b == commrace.Mutator:
		return lostUpdate
	case a == commrace.Arbiter && b == commrace.Mutator:
		return staleCheck
	case a == commrace.Mutator && b == commrace.Observer:
		if r.keyed {
			return staleRead
		}
		return dependent
	}
	return arbitration
}

// judge decides what becomes of a new finding.
func (r *race) judge(f *finding, prefix string) verdict {
	switch {
	case f.effect == arbitration && options.level < all, options.level == violations:
		return tooMinor
	case directed("ignore", f.at[0], ""), directed("ignore", f.at[1], ""):
		return ignored
	case f.decl.name != "" && directed("concurrent", host.Frame{}, f.decl.key):
		return meant
	case matchRules(r, f, prefix):
		return suppressed
	}
	return reported
}

// Exiting tells that the program ends with this status; the result is the status to end with.
func Exiting(status int32) int32 {
	ready()
	found.lock.Lock()
	if !found.closed {
		b := buffers.Get()
		b.n = 0
		summary(b)
		b.flush(options.out)
		buffers.Put(b)
	}
	n := found.reported
	found.lock.Unlock()
	if status == 0 && n > 0 {
		return options.exit
	}
	return status
}
