// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package checkact

import (
	"strings"

	"golang.org/x/tools/go/ssa"
)

// A helper is a function of the package with one section, in which it reads variables for its
// result, or writes its arguments into variables. So b.Set(b.Balance() + n) is a pair. The accesses
// of a helper count as those of its caller.
type helper struct {
	reads, writes []*access
	first         *ssa.Parameter // mostly the receiver; nil if it has none
}

// helperAccesses returns the accesses that a call of a helper makes, as accesses of f.
func (f *function) helperAccesses(call *ssa.Call) (reads, writes []*access) {
	fn := call.Call.StaticCallee()
	if fn == nil || call.Call.IsInvoke() || fn == f.Function {
		return nil, nil
	}
	if fn.Origin() != nil {
		fn = fn.Origin()
	}
	callee := f.of[fn]
	if callee == nil || fn.Parent() != nil {
		return nil, nil
	}
	h := callee.helper()
	move := func(list []*access) (out []*access) {
		for _, a := range list {
			variable, ok1 := h.inCaller(a.variable, call, f)
			lock, ok2 := h.inCaller(a.lock, call, f)
			if ok1 && ok2 {
				out = append(out, &access{call, a.addr, variable, lock, f.fset.Position(call.Pos()),
					a.point})
			}
		}
		return out
	}
	return move(h.reads), move(h.writes)
}

// inCaller is a term of a helper as a term of its caller. It must be about package-level variables,
// or about what the first parameter points to.
func (h *helper) inCaller(t *term, call *ssa.Call, f *function) (*term, bool) {
	if !strings.Contains(t.text, "#") { // it has no leaves
		return t, true
	}
	if h.first == nil || len(call.Call.Args) == 0 {
		return nil, false
	}
	rest, ok := strings.CutPrefix(t.text, f.term(h.first).text+".")
	if !ok || strings.Contains(rest, "#") {
		return nil, false
	}
	arg := f.term(call.Call.Args[0])
	return &term{arg.text + "." + rest, arg.reads, arg.leaves}, true
}

// helper is f as a helper; one without accesses if f is none.
func (f *function) helper() *helper {
	if h := f.helpers[f.Function]; h != nil {
		return h
	}
	h := &helper{}
	f.helpers[f.Function] = h // set first: a function that calls itself is no helper
	if f.oneSection() {
		f.summarize(h)
	}
	return h
}

// oneSection reports whether f locks at one place and calls only methods of locks and builtin
// functions.
func (f *function) oneSection() bool {
	taken := 0
	simple := true
	f.each(func(instr ssa.Instruction) {
		switch instr := instr.(type) {
		case *ssa.Call:
			_, builtin := instr.Call.Value.(*ssa.Builtin)
			t, takes := f.operation(instr)
			if takes {
				taken++
			}
			simple = simple && (t != nil || builtin)
		case *ssa.Go:
			simple = false
		}
	})
	return simple && taken == 1
}

// summarize sets the accesses of a helper. A variable must be accessed once: a helper that reads
// and writes it does both in one section, and is atomic.
func (f *function) summarize(h *helper) {
	if len(f.Params) > 0 {
		h.first = f.Params[0]
	}
	l := f.locksOf()
	reads, writes := f.accesses(l)
	count := make(map[string]int) // accesses by variable
	f.each(func(instr ssa.Instruction) {
		switch instr := instr.(type) {
		case *ssa.UnOp:
			count[f.term(instr.X).text]++
		case *ssa.Store:
			if shared(instr.Addr) {
				count[f.term(instr.Addr).text]++
			}
		}
	})
	for _, r := range reads {
		if count[r.variable.text] == 1 && len(writes) == 0 &&
			f.sliceFrom(r.instr.(ssa.Value), nil).returns() {
			h.reads = append(h.reads, r)
		}
	}
	s := f.newSlice() // what depends on the arguments
	for i, p := range f.Params {
		if i > 0 || f.Signature.Recv() == nil {
			s.values[p] = true
		}
	}
	s.grow()
	for _, w := range writes {
		if store, ok := w.instr.(*ssa.Store); ok && count[w.variable.text] == 1 &&
			s.values[store.Val] {
			h.writes = append(h.writes, w)
		}
	}
}

// returns reports whether a result of the function depends on the slice's start.
func (s *slice) returns() (found bool) {
	s.each(func(instr ssa.Instruction) {
		if ret, ok := instr.(*ssa.Return); ok {
			for _, v := range ret.Results {
				found = found || s.values[v]
			}
			found = found || s.controlled(ret.Block())
		}
	})
	return found
}
