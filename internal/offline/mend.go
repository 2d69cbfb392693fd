// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package offline

import (
	"strconv"
	"strings"

	"github.com/commutego/commute/internal/engine/advice"
	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/report"
)

// How a violation of a trace is mended, as a run says it.

// mendCycle says how to mend a violation; sync is where its transaction has let another goroutine
// go on.
func (f *Finding) mendCycle(r *report.Finding, sync []report.Edge) string {
	if len(r.Edges) < 2 || len(r.Transactions) == 0 {
		return ""
	}
	first, last := &r.Edges[0], &r.Edges[len(r.Edges)-1]
	out, in := &first.From, &last.To
	name := r.Transactions[0].Name
	v := advice.Violation{Out: programFrame(out.Stack), In: programFrame(in.Stack),
		From: markedFrame(name, out.Stack), To: markedFrame(name, in.Stack),
		Waits: waits(in, sync), Accesses: true}
	for i := range r.Edges {
		e := &r.Edges[i]
		v.Accesses = v.Accesses && (e.From.Thread == e.To.Thread || isAccess(&e.From))
	}
	same := out.Target == in.Target && out.Address == in.Address
	v.Tries = same && isAtomic(out) && isAtomic(in) &&
		strings.Contains(called(in), "CompareAndSwap")
	reads := same && len(r.Edges) == 2 && first.To.Number == last.From.Number
	v.Atomics = reads && out.Did == "atomic read" && in.Did == "atomic write"
	if reads && f.table != nil {
		v.Check, v.Act = methodOf(f.table, out.Method), methodOf(f.table, in.Method)
		if v.Table = f.table; v.Check == nil || v.Check.Role == commrace.Mutator {
			v.Act = nil
		}
	}
	for i := len(sync) - 1; i >= 0 && !v.Lock.Known; i-- {
		e := &sync[i]
		if isLock(&e.From) && isLock(&e.To) {
			v.Lock = advice.Released{Known: true, Read: e.From.Did == "read unlock", By: e.To.Goroutine,
				LetGo: programFrame(e.From.Stack), TakeAt: programFrame(e.To.Stack)}
			addr, _ := strconv.ParseUint(strings.TrimPrefix(e.To.Address, "0x"), 16, 64)
			v.Lock.Addr = uintptr(addr)
		}
	}
	return written(v.Mend)
}

// waits is where a transaction that comes back at an event has waited for another goroutine; the
// zero Frame if it has not, as far as is known.
func waits(in *report.Event, sync []report.Edge) host.Frame {
	if in.Did == "wait" {
		return programFrame(in.Stack)
	}
	for i := range sync {
		e := &sync[i]
		switch {
		case e.From.Did == "wait": // sync.Cond releases its lock
			return programFrame(e.From.Stack)
		case (in.Did == "receive" || in.Did == "select") &&
			(e.From.Op == "fork" || !isLock(&e.From) && e.To.Target != in.Target):
			return programFrame(in.Stack)
		}
	}
	return host.Frame{}
}

// isAccess reports whether an event is an access or a call, and no synchronization.
func isAccess(e *report.Event) bool {
	switch e.Op {
	case "read", "write", "touch":
		return true
	}
	return false
}

func isAtomic(e *report.Event) bool { return strings.HasPrefix(e.Did, "atomic ") }

// isLock reports whether an event takes a lock, or lets it go.
func isLock(e *report.Event) bool { return strings.Contains(e.Did, "lock") }

// called is the library's function that the program has called at an event, "" for none.
func called(e *report.Event) (name string) {
	for _, f := range e.Stack {
		if !ofLibrary(f.Func) {
			break
		}
		name = f.Func
	}
	return name
}

// methodOf is a method of a type by its name, nil if there is none.
func methodOf(t *commrace.Table, name string) *commrace.Method {
	for i := range t.Len() {
		if m := &t.Methods[i]; m.Name == name {
			return m
		}
	}
	return nil
}

// markedFrame is the frame of a stack that is of a marked function, or else programFrame. The name
// of a block begins with its function's.
func markedFrame(name string, stack []report.Frame) host.Frame {
	for i := range stack {
		rest, within := strings.CutPrefix(name, stack[i].Func)
		if within && (rest == "" || rest[0] == ' ') {
			return frameOf(stack[i:])
		}
	}
	return programFrame(stack)
}
