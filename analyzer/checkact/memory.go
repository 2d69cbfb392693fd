// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package checkact

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// An access is a read or a write of a variable under a lock, by the function itself or by a helper
// that it calls.
type access struct {
	instr    ssa.Instruction // that reads or writes, or the call of the helper
	addr     ssa.Value       // of the variable, where it is read or written
	variable *term           // the address, as the function has it
	lock     *term           // its address
	by       token.Position  // of the call of the helper, if there is one
	point    Point
}

// memoryPairs finds the pairs of accesses to memory.
func (f *function) memoryPairs() (pairs []MemoryPair) {
	node := f.Syntax()
	switch node.(type) {
	case *ast.FuncDecl, *ast.FuncLit:
	default:
		return nil // the body of a loop over a function, say
	}
	l := f.locksOf()
	reads, writes := f.accesses(l)
	of := make([]*slice, len(reads))
	for _, w := range writes {
		var found []*access
		for i, r := range reads {
			if r.variable.text != w.variable.text || r.lock.text != w.lock.text ||
				!f.reaches(r.instr, w.instr, nil) {
				continue
			}
			if of[i] == nil {
				of[i] = f.sliceFrom(r.instr.(ssa.Value), nil)
			}
			if of[i].makes(w) {
				found = append(found, r)
			}
		}
		for _, r := range found {
			if f.apart(r, w) && !f.again(l, r, w, found) && !f.claimed(r, w, writes) {
				pairs = append(pairs, MemoryPair{node, Pair{r.point, w.point}, r.by, w.by})
			}
		}
	}
	return pairs
}

// makes reports whether a write depends on the slice's beginning.
func (s *slice) makes(w *access) bool {
	switch instr := w.instr.(type) {
	case *ssa.Store:
		return s.values[instr.Val] || s.decided(instr.Block())
	case *ssa.Call:
		return s.acts(instr)
	}
	return false
}

// apart reports whether a read and a write are of one variable in two critical sections: the lock
// is let go on every way between.
func (f *function) apart(r, w *access) bool {
	t := &term{reads: append(append([]string(nil), r.variable.reads...), r.lock.reads...),
		leaves: append(append([]ssa.Instruction(nil), r.variable.leaves...), r.lock.leaves...)}
	if !f.lasting(t, r.instr, w.instr) {
		return false
	}
	return r.by.IsValid() || w.by.IsValid() || !f.reaches(r.instr, w.instr, f.letsGo(r.lock.text))
}

// again reports whether what is written depends on another look at the variable: one that always
// comes between, or one in the critical section of the write, be it by a function that may look.
func (f *function) again(l *locks, r, w *access, found []*access) bool {
	for _, other := range found {
		if f.between(r.instr, other.instr, w.instr) {
			return true
		}
	}
	if w.by.IsValid() {
		return false
	}
	looks := false
	f.each(func(instr ssa.Instruction) {
		v, ok := instr.(ssa.Value)
		if looks || !ok || !l.holds(w.lock.text, instr) || !f.mayRead(instr, w.addr) ||
			!f.reaches(instr, w.instr, f.letsGo(w.lock.text)) {
			return
		}
		looks = f.sliceFrom(v, nil).makes(w)
	})
	return looks
}

// claimed reports whether the function always writes the variable between a read and a write: what
// it took for itself, it may give back.
func (f *function) claimed(r, w *access, writes []*access) bool {
	for _, other := range writes {
		if other.variable.text == w.variable.text && f.between(r.instr, other.instr, w.instr) {
			return true
		}
	}
	return false
}

// mayRead reports whether an instruction reads a variable, as far as is known.
func (f *function) mayRead(instr ssa.Instruction, addr ssa.Value) bool {
	switch instr := instr.(type) {
	case *ssa.UnOp:
		return instr.Op == token.MUL && overlap(f.term(instr.X).text, f.term(addr).text)
	case *ssa.Call:
		return f.calleeMayRead(instr, addr, maxDepth)
	}
	return false
}

// maxDepth bounds the calls that are followed.
const maxDepth = 5

// calleeMayRead reports whether what is called may read the variable at addr, or one like it.
func (f *function) calleeMayRead(call *ssa.Call, addr ssa.Value, depth int) (reads bool) {
	if t, _ := f.operation(call); t != nil {
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
	callee := f.of[fn]
	if callee == nil {
		return true
	}
	callee.each(func(instr ssa.Instruction) {
		switch instr := instr.(type) {
		case *ssa.UnOp:
			reads = reads || instr.Op == token.MUL && alike(instr.X, addr)
		case *ssa.Call:
			reads = reads || callee.calleeMayRead(instr, addr, depth-1)
		}
	})
	return reads
}

// alike reports whether two addresses may be of one variable: the same field of some structs, or
// the same package-level variable.
func alike(a, b ssa.Value) bool {
	switch b := b.(type) {
	case *ssa.FieldAddr:
		f, ok := a.(*ssa.FieldAddr)
		return ok && f.Field == b.Field && types.Identical(f.X.Type(), b.X.Type())
	case *ssa.Global:
		return a == b
	}
	return true
}

// accesses lists what a function reads and writes under locks.
func (f *function) accesses(l *locks) (reads, writes []*access) {
	debug := f.expressions()
	f.each(func(instr ssa.Instruction) {
		switch instr := instr.(type) {
		case *ssa.UnOp:
			if instr.Op == token.MUL && shared(instr.X) {
				pos := instr.X.Pos()
				if at, ok := debug[instr]; ok {
					pos = at
				}
				reads = append(reads, f.under(l, instr, instr.X, pos)...)
			}
		case *ssa.Store:
			if shared(instr.Addr) {
				writes = append(writes, f.under(l, instr, instr.Addr, instr.Pos())...)
			}
		case *ssa.Call:
			r, w := f.helps(instr)
			reads, writes = append(reads, r...), append(writes, w...)
		}
	})
	return reads, writes
}

// expressions are the positions of the expressions whose values are read.
func (f *function) expressions() map[ssa.Value]token.Pos {
	list := make(map[ssa.Value]token.Pos)
	f.each(func(instr ssa.Instruction) {
		if d, ok := instr.(*ssa.DebugRef); ok && !d.IsAddr {
			if _, ok := list[d.X]; !ok {
				list[d.X] = d.Expr.Pos()
			}
		}
	})
	return list
}

// shared reports whether an address is that of a variable that others may have: a field of what a
// pointer points to, a package-level or a captured variable, or one of the function's own that a
// literal has.
func shared(addr ssa.Value) bool {
	switch v := addr.(type) {
	case *ssa.FieldAddr, *ssa.Global, *ssa.FreeVar:
		return guarded(v)
	case *ssa.Alloc:
		return v.Heap && guarded(v)
	}
	return false
}

// guarded reports whether the variable at an address is of a type of which values are read and
// written in one: not so are locks, or structs.
func guarded(addr ssa.Value) bool {
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

// under makes an access of what an instruction does at an address, for each lock that is held.
func (f *function) under(l *locks, instr ssa.Instruction, addr ssa.Value,
	pos token.Pos) (list []*access) {
	if !pos.IsValid() {
		return nil
	}
	for _, lock := range l.at(instr) {
		list = append(list, &access{instr: instr, addr: addr, variable: f.term(addr), lock: lock,
			point: Point{f.fset.Position(pos), variable(addr)}})
	}
	return list
}

// variable names what is at an address.
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
