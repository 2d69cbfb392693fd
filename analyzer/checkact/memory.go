// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package checkact

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/commutego/commute/analyzer/internal/flow"
	"golang.org/x/tools/go/ssa"
)

// An access is a read or a write of a variable under a lock, by the function itself or by a helper
// that it calls.
type access struct {
	instr    ssa.Instruction // the read or write, or the call of the helper
	addr     ssa.Value       // the variable's address, in the function that reads or writes
	variable *flow.Term      // the same as a term of f
	lock     *flow.Term      // the address of the lock, as a term of f
	by       token.Position  // the call of the helper; not valid if f itself reads or writes
	point    Point
}

// memoryPairs finds the pairs of accesses to memory. The read is in one section of a lock; the
// write is in a later section of the same lock, and depends on the read.
func (f *function) memoryPairs() (pairs []MemoryPair) {
	node := f.Syntax()
	switch node.(type) {
	case *ast.FuncDecl, *ast.FuncLit:
	default:
		return nil // made by the compiler, such as the body of a range over a function
	}
	l := f.locksOf()
	reads, writes := f.accesses(l)
	of := make([]*flow.Slice, len(reads))
	for _, w := range writes {
		var found []*access
		for i, r := range reads {
			// Only reads that a path connects with the write; slices are made when they are needed.
			if r.variable.Text != w.variable.Text || r.lock.Text != w.lock.Text ||
				!f.Reaches(r.instr, w.instr, nil) {
				continue
			}
			if of[i] == nil {
				of[i] = f.SliceFrom(r.instr.(ssa.Value), nil)
			}
			if affectsWrite(of[i], w) {
				found = append(found, r)
			}
		}
		for _, r := range found {
			if f.inTwoSections(r, w) && !f.rechecked(l, r, w, found) && !f.claimed(r, w, writes) {
				pairs = append(pairs, MemoryPair{node, Pair{r.point, w.point}, r.by, w.by})
			}
		}
	}
	return pairs
}

// affectsWrite reports whether a write depends on the slice's start.
func affectsWrite(s *flow.Slice, w *access) bool {
	switch instr := w.instr.(type) {
	case *ssa.Store:
		return s.Values[instr.Val] || s.Controlled(instr.Block())
	case *ssa.Call:
		return s.AffectsCall(instr)
	}
	return false
}

// inTwoSections reports whether a read and a write are in two sections: the lock is unlocked on
// every path between. Variable and lock must be the same at both: their terms are, and
// nothing that these read is changed between.
func (f *function) inTwoSections(r, w *access) bool {
	t := &flow.Term{Reads: append(append([]string(nil), r.variable.Reads...), r.lock.Reads...),
		Leaves: append(append([]ssa.Instruction(nil), r.variable.Leaves...), r.lock.Leaves...)}
	if !f.Unchanged(t, r.instr, w.instr) {
		return false
	}
	// A helper has a section of its own. Otherwise no path may lead there without an unlock.
	return r.by.IsValid() || w.by.IsValid() || !f.Reaches(r.instr, w.instr, f.unlocks(r.lock.Text))
}

// rechecked reports whether the write depends on another read of the variable, which makes up for
// the first. That is one that always comes between, or one in the section of the write. A call in
// that section counts if the function that it calls may read the variable.
func (f *function) rechecked(l *locks, r, w *access, found []*access) bool {
	for _, other := range found {
		if f.AlwaysBetween(r.instr, other.instr, w.instr) {
			return true
		}
	}
	if w.by.IsValid() { // the helper's section has no read of the variable
		return false
	}
	looks := false // a read in the section of the write was found
	f.Each(func(instr ssa.Instruction) {
		v, ok := instr.(ssa.Value)
		if looks || !ok || !l.holds(w.lock.Text, instr) || !f.mayRead(instr, w.addr) ||
			!f.Reaches(instr, w.instr, f.unlocks(w.lock.Text)) {
			return
		}
		looks = affectsWrite(f.SliceFrom(v, nil), w)
	})
	return looks
}

// claimed reports whether the function always writes the variable between a read and a write. It
// may have claimed a resource by the first write and give it back by the second.
func (f *function) claimed(r, w *access, writes []*access) bool {
	for _, other := range writes {
		if other.variable.Text == w.variable.Text &&
			f.AlwaysBetween(r.instr, other.instr, w.instr) {
			return true
		}
	}
	return false
}

// mayRead reports whether an instruction may read a variable.
func (f *function) mayRead(instr ssa.Instruction, addr ssa.Value) bool {
	switch instr := instr.(type) {
	case *ssa.UnOp:
		return instr.Op == token.MUL && flow.Overlap(f.Term(instr.X).Text, f.Term(addr).Text)
	case *ssa.Call:
		return f.calleeMayRead(instr, addr, maxDepth)
	}
	return false
}

// maxDepth bounds the calls that calleeMayRead follows.
const maxDepth = 5

// calleeMayRead reports whether the called function may read the variable at addr, or one that may
// be the same. It errs on the side of yes, which reports less: for calls that are not static or too
// deep, and for those that get a function. Functions of other packages don't read variables of this
// one.
func (f *function) calleeMayRead(call *ssa.Call, addr ssa.Value, depth int) (reads bool) {
	if t, _ := f.in.operation(call); t != nil {
		return false
	}
	if _, ok := call.Call.Value.(*ssa.Builtin); ok {
		return false
	}
	fn := call.Call.StaticCallee()
	if fn == nil || depth == 0 {
		return true
	}
	for _, arg := range call.Call.Args {
		if _, ok := arg.Type().Underlying().(*types.Signature); ok {
			return true
		}
	}
	if fn.Origin() != nil {
		fn = fn.Origin()
	}
	if fn.Pkg != f.Pkg && fn.Parent() == nil {
		return false
	}
	callee := f.in.of[fn]
	if callee == nil {
		return true
	}
	callee.Each(func(instr ssa.Instruction) {
		switch instr := instr.(type) {
		case *ssa.UnOp:
			reads = reads || instr.Op == token.MUL && mayBeSame(instr.X, addr)
		case *ssa.Call:
			reads = reads || callee.calleeMayRead(instr, addr, depth-1)
		}
	})
	return reads
}

// mayBeSame reports whether two addresses may be of one variable: the same field of some structs,
// or the same package-level variable.
func mayBeSame(a, b ssa.Value) bool {
	switch b := b.(type) {
	case *ssa.FieldAddr:
		f, ok := a.(*ssa.FieldAddr)
		return ok && f.Field == b.Field && types.Identical(f.X.Type(), b.X.Type())
	case *ssa.Global:
		return a == b
	}
	return true
}

// accesses lists the reads and writes of a function under locks, and those of the helpers that it
// calls.
func (f *function) accesses(l *locks) (reads, writes []*access) {
	debug := f.expressions()
	f.Each(func(instr ssa.Instruction) {
		switch instr := instr.(type) {
		case *ssa.UnOp:
			if instr.Op == token.MUL && shared(instr.X) {
				pos := instr.X.Pos()
				if at, ok := debug[instr]; ok {
					pos = at
				}
				reads = append(reads, f.accessesAt(l, instr, instr.X, pos)...)
			}
		case *ssa.Store:
			if shared(instr.Addr) {
				writes = append(writes, f.accessesAt(l, instr, instr.Addr, instr.Pos())...)
			}
		case *ssa.Call:
			r, w := f.helperAccesses(instr)
			reads, writes = append(reads, r...), append(writes, w...)
		}
	})
	return reads, writes
}

// expressions are the positions of the expressions in the source, by value.
func (f *function) expressions() map[ssa.Value]token.Pos {
	list := make(map[ssa.Value]token.Pos)
	f.Each(func(instr ssa.Instruction) {
		if d, ok := instr.(*ssa.DebugRef); ok && !d.IsAddr {
			if _, ok := list[d.X]; !ok {
				list[d.X] = d.Expr.Pos()
			}
		}
	})
	return list
}

// shared reports whether an address is that of a variable that other goroutines may have. Such are
// fields behind a pointer, package-level variables, and local ones that a literal captures.
func shared(addr ssa.Value) bool {
	switch v := addr.(type) {
	case *ssa.FieldAddr, *ssa.Global, *ssa.FreeVar:
		return accessedWhole(v)
	case *ssa.Alloc:
		return v.Heap && accessedWhole(v)
	}
	return false
}

// accessedWhole reports whether the variable at an address is of a type whose values are read and
// written as a whole. Structs, which locks are, and arrays are not.
func accessedWhole(addr ssa.Value) bool {
	p, ok := addr.Type().Underlying().(*types.Pointer)
	if !ok {
		return false
	}
	switch p.Elem().Underlying().(type) {
	case *types.Struct, *types.Array:
		return false
	}
	return true
}

// accessesAt makes an access for each lock that is held at an instruction that reads or writes an
// address.
func (f *function) accessesAt(l *locks, instr ssa.Instruction, addr ssa.Value,
	pos token.Pos) (list []*access) {
	if !pos.IsValid() {
		return nil
	}
	for _, lock := range l.at(instr) {
		list = append(list, &access{instr: instr, addr: addr, variable: f.Term(addr), lock: lock,
			point: Point{f.Fset.Position(pos), variable(addr)}})
	}
	return list
}

// variable is the name of the variable at an address.
func variable(addr ssa.Value) string {
	switch v := addr.(type) {
	case *ssa.FieldAddr:
		if p, ok := v.X.Type().Underlying().(*types.Pointer); ok {
			if st, ok := p.Elem().Underlying().(*types.Struct); ok {
				return st.Field(v.Field).Name()
			}
		}
	case *ssa.Global:
		return v.Name()
	case *ssa.FreeVar:
		return v.Name()
	case *ssa.Alloc:
		return v.Comment
	}
	return ""
}
