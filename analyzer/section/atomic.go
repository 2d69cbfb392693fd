// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"github.com/commutego/commute/internal/engine/compiled"
	"golang.org/x/tools/go/ssa"
)

// An operation of package sync/atomic is a section of its own. It is a site if it loads or stores,
// or adds and nobody asks for the sum. Any other one checks and acts in one, and is neither the
// check nor the act of a pair.

const atomicPath = "sync/atomic"

// concerned reports whether a package may have sections, by the text of one of its files.
func concerned(text string) bool {
	return strings.Contains(text, "Lock()") ||
		strings.Contains(text, `"`+atomicPath+`"`) && strings.Contains(text, "Load")
}

// atomicFunction is the operation that a function of package sync/atomic is, and the type that it
// is on; op is empty for other functions.
func atomicFunction(fn *ssa.Function) (op, of string) {
	if fn == nil {
		return "", ""
	}
	pkg := packageOf(fn)
	if pkg == nil || pkg.Path() != atomicPath {
		return "", ""
	}
	if recv := fn.Signature.Recv(); recv != nil {
		t := recv.Type()
		if p, ok := types.Unalias(t).(*types.Pointer); ok {
			t = p.Elem()
		}
		if named, ok := types.Unalias(t).(*types.Named); ok {
			return fn.Name(), named.Obj().Name()
		}
		return "", ""
	}
	for _, op := range []string{"CompareAndSwap", "Load", "Store", "Swap", "Add", "And", "Or"} {
		if of, ok := strings.CutPrefix(fn.Name(), op); ok {
			return op, of
		}
	}
	return "", ""
}

// atomicSite is the access of a call of package sync/atomic.
func (f *function) atomicSite(call *ssa.Call) []*site {
	name, of := atomicFunction(call.Call.StaticCallee())
	s := &site{atomic: compiled.AtomicPointer}
	switch name {
	case "Load":
		s.op = compiled.ReadVar
	case "Store":
		s.op, s.stored = compiled.WriteVar, call.Call.Args[1]
	case "Add":
		if used(call) {
			return nil
		}
		s.op, s.stored = compiled.UpdateVar, call.Call.Args[1]
	default:
		return nil
	}
	switch {
	case of == "Bool":
		s.atomic = compiled.AtomicBool
	case strings.HasPrefix(of, "Int"):
		s.atomic = compiled.AtomicSigned
	case strings.HasPrefix(of, "Uint"):
		s.atomic = compiled.AtomicUnsigned
	}
	s.addr = call.Call.Args[0]
	if root, _ := rootOf(s.addr); f.fresh(root, call) {
		return nil
	}
	s.name = f.in.nameOf(s.addr)
	return []*site{s}
}

// used reports whether the result of a call is asked for.
func used(call *ssa.Call) bool {
	return slices.ContainsFunc(*call.Referrers(), func(use ssa.Instruction) bool {
		_, debug := use.(*ssa.DebugRef)
		return !debug
	})
}

// atomicLock is the lock that an atomic operation takes and lets go.
func (e *event) atomicLock() held {
	return held{lock: lock{term: "atomic " + e.term, name: e.name}, inner: true}
}

// isAtomic reports whether a lock is that of atomic operations.
func (k held) isAtomic() bool { return strings.HasPrefix(k.term, "atomic ") }

// operation is how an atomic operation stands in the source: its variable, or the variable's
// address.
func (x *expresser) operation(call *ssa.Call) *written {
	c := x.call[call.Pos()]
	if c == nil || len(c.Args) == 0 && call.Call.Signature().Recv() == nil {
		return nil
	}
	w := &written{expr: c, pos: c.Pos()}
	if call.Call.Signature().Recv() == nil {
		w.variable = c.Args[0]
		return w
	}
	sel, ok := unparen(c.Fun).(*ast.SelectorExpr)
	if !ok || !x.pure(sel.X) {
		return nil
	}
	tv := x.info.Types[sel.X]
	if !tv.IsValue() || types.IsInterface(tv.Type) {
		return nil
	}
	if _, pointer := tv.Type.Underlying().(*types.Pointer); !pointer && !tv.Addressable() {
		return nil
	}
	w.variable = sel.X
	return w
}

// atomics adds all operations on the variables of pairs.
func (c *collector) atomics() {
	for _, f := range c.functions {
		for _, e := range f.summary() {
			if e.atomic != compiled.NotAtomic && e.from == nil && c.hotAtomics[e.name.full()] &&
				e.express().ok {
				c.touch(e.site)
			}
		}
	}
}
