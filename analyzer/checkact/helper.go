// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package checkact

import (
	"strings"

	"golang.org/x/tools/go/ssa"
)

// A helper is a function of the package that takes one lock, and under it reads variables that it
// makes its result of, or writes its arguments into them. Its accesses are those of who calls it.
type helper struct {
	reads, writes []*access
	first         *ssa.Parameter // nil if it has none
}

// helps returns what a call does, as accesses of f.
func (f *function) helps(call *ssa.Call) (reads, writes []*access) {
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
			variable, ok1 := h.moved(a.variable, call, f)
			lock, ok2 := h.moved(a.lock, call, f)
			if ok1 && ok2 {
				out = append(out, &access{call, a.addr, variable, lock, f.fset.Position(call.Pos()),
					a.point})
			}
		}
		return out
	}
	return move(h.reads), move(h.writes)
}

// moved is a term of a helper as one of who calls it: it must be of what the first parameter points
// to, or of package-level variables.
func (h *helper) moved(t *term, call *ssa.Call, f *function) (*term, bool) {
	if !strings.Contains(t.text, "#") {
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

// helper returns what is known of f as a helper.
func (f *function) helper() *helper {
	if h := f.helpers[f.Function]; h != nil {
		return h
	}
	h := &helper{}
	f.helpers[f.Function] = h // that calls of itself, which is none
	if f.single() {
		f.summarize(h)
	}
	return h
}

// single reports whether f takes a lock in one place, and calls nothing else but what takes and
// lets go locks, and builtin functions.
func (f *function) single() bool {
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
	s := f.newSlice()
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

// returns reports whether a result of the function depends on the slice's beginning.
func (s *slice) returns() (found bool) {
	s.each(func(instr ssa.Instruction) {
		if ret, ok := instr.(*ssa.Return); ok {
			for _, v := range ret.Results {
				found = found || s.values[v]
			}
			found = found || s.decided(ret.Block())
		}
	})
	return found
}
