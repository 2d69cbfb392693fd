// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package checkact

import (
	"strings"

	"github.com/commutego/commute/analyzer/internal/flow"
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
	if fn == nil || call.Call.IsInvoke() || fn == f.Function.Function {
		return nil, nil
	}
	if fn.Origin() != nil {
		fn = fn.Origin()
	}
	callee := f.in.of[fn]
	if callee == nil || fn.Parent() != nil {
		return nil, nil
	}
	h := callee.helper()
	move := func(list []*access) (out []*access) {
		for _, a := range list {
			variable, ok1 := h.inCaller(a.variable, call, f)
			lock, ok2 := h.inCaller(a.lock, call, f)
			if ok1 && ok2 {
				out = append(out, &access{call, a.addr, variable, lock, f.Fset.Position(call.Pos()),
					a.point})
			}
		}
		return out
	}
	return move(h.reads), move(h.writes)
}

// inCaller is a term of a helper as a term of its caller. It must be about package-level variables,
// or about what the first parameter points to.
func (h *helper) inCaller(t *flow.Term, call *ssa.Call, f *function) (*flow.Term, bool) {
	if !strings.Contains(t.Text, "#") { // it has no leaves
		return t, true
	}
	if h.first == nil || len(call.Call.Args) == 0 {
		return nil, false
	}
	rest, ok := strings.CutPrefix(t.Text, f.Term(h.first).Text+".")
	if !ok || strings.Contains(rest, "#") {
		return nil, false
	}
	arg := f.Term(call.Call.Args[0])
	return &flow.Term{Text: arg.Text + "." + rest, Reads: arg.Reads, Leaves: arg.Leaves}, true
}

// helper is f as a helper; one without accesses if f is none.
func (f *function) helper() *helper {
	if h := f.in.helpers[f.Function.Function]; h != nil {
		return h
	}
	h := &helper{}
	f.in.helpers[f.Function.Function] = h // set first: a function that calls itself is no helper
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
	f.Each(func(instr ssa.Instruction) {
		switch instr := instr.(type) {
		case *ssa.Call:
			_, builtin := instr.Call.Value.(*ssa.Builtin)
			t, takes := f.in.operation(instr)
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
	f.Each(func(instr ssa.Instruction) {
		switch instr := instr.(type) {
		case *ssa.UnOp:
			count[f.Term(instr.X).Text]++
		case *ssa.Store:
			if shared(instr.Addr) {
				count[f.Term(instr.Addr).Text]++
			}
		}
	})
	for _, r := range reads {
		if count[r.variable.Text] == 1 && len(writes) == 0 &&
			f.SliceFrom(r.instr.(ssa.Value), nil).Returns() {
			h.reads = append(h.reads, r)
		}
	}
	s := f.NewSlice() // what depends on the arguments
	for i, p := range f.Params {
		if i > 0 || f.Signature.Recv() == nil {
			s.Values[p] = true
		}
	}
	s.Grow()
	for _, w := range writes {
		if store, ok := w.instr.(*ssa.Store); ok && count[w.variable.Text] == 1 &&
			s.Values[store.Val] {
			h.writes = append(h.writes, w)
		}
	}
}
