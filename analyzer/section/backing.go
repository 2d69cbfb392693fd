// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"go/token"
	"go/types"

	"github.com/commutego/commute/internal/engine/compiled"
	"golang.org/x/tools/go/ssa"
)

// Slices share memory: what a caller has handed in may be a part of what a field holds. So each
// access to elements is also a site of the block of memory that they are in, which is found at run
// time. An access to elements of which no variable is known that holds them is of the block alone.
//
// That is enough only if every complete section that writes elements has such a site. Elements that
// are structs or arrays are left out: their parts are written by pointers to them.

// backings lists the sites of blocks of an instruction, whose other sites are given.
func (f *function) backings(instr ssa.Instruction, others []*site) (list []*site) {
	for _, s := range others {
		if b := f.backing(s); b != nil {
			list = append(list, b)
		}
	}
	switch instr := instr.(type) {
	case *ssa.Convert:
		if _, ok := instr.X.Type().Underlying().(*types.Slice); ok {
			list = append(list, f.block(instr, compiled.ReadBacking, instr.X)...)
		}
	case *ssa.Call:
		if b, ok := instr.Call.Value.(*ssa.Builtin); ok && b.Name() == "append" {
			list = append(list, f.block(instr, compiled.WriteBacking, instr.Call.Args[0])...)
		} else if op, ok := bufferOps(&instr.Call); ok {
			for _, arg := range instr.Call.Args {
				if plainSlice(arg.Type()) {
					list = append(list, f.block(instr, op, arg)...)
				}
			}
		}
	}
	return list
}

// block is the site of the block that a slice is in, if others may have it and it can matter.
func (f *function) block(instr ssa.Instruction, op compiled.TouchOp, v ssa.Value) []*site {
	root, _ := rootOf(v)
	s, ok := v.Type().Underlying().(*types.Slice)
	if c, isConst := v.(*ssa.Const); isConst && c.IsNil() || ok && !shared(s.Elem(), 0) ||
		f.fresh(root, instr) {
		return nil
	}
	return []*site{{in: f, instr: instr, op: op, base: v, name: f.in.valueName(v)}}
}

// backing is the site of the block that another site accesses, nil if there is none or it cannot
// matter.
func (f *function) backing(s *site) *site {
	op := compiled.ReadBacking
	if s.isWrite() {
		op = compiled.WriteBacking
	}
	b := &site{in: f, instr: s.instr, op: op, addr: s.addr, base: s.base, name: s.name}
	switch {
	case s.atomic != compiled.NotAtomic:
		return nil
	case s.class() == variables:
		if !f.mayPointInside(s) || !s.express().ok {
			return nil
		}
		b.written = copied(s.express())
		b.written.whole = true
		return b
	case s.class() != elements:
		return nil
	}
	if call, ok := s.containerCall(); ok && call != nil {
		return nil
	}
	if s.express().ok {
		return f.besides(s, b)
	}
	v := operand(s)
	if v == nil || !plainSlice(v.Type()) {
		return nil
	}
	b.base, b.addr = v, nil
	s.backed = true
	return b
}

// besides completes the site b for the block of elements whose holder is known, which s is of.
func (f *function) besides(s, b *site) *site {
	b.written = copied(s.express())
	t := f.in.info.TypeOf(b.written.variable)
	p, isPointer := t.Underlying().(*types.Pointer)
	if isPointer {
		t = p.Elem()
	}
	switch t := t.Underlying().(type) {
	case *types.Slice:
		if shared(t.Elem(), 0) {
			return b
		}
	case *types.Array:
		if shared(t.Elem(), 0) && (isPointer || f.in.memory.mayBeSliced(s.addr)) {
			b.written.whole = !isPointer
			return b
		}
	case *types.Basic:
	default: // of a type parameter
		b.written = &written{}
		return b
	}
	return nil
}

func copied(w *written) *written {
	c := *w
	return &c
}

// operand is the slice whose elements a site accesses one by one or all, nil if there is none.
func operand(s *site) ssa.Value {
	switch instr := s.instr.(type) {
	case *ssa.UnOp:
		return indexed(instr.X)
	case *ssa.Store:
		return indexed(instr.Addr)
	case *ssa.Call:
		b, ok := instr.Call.Value.(*ssa.Builtin)
		if !ok {
			return nil
		}
		if s.op == compiled.ReadInner && (b.Name() == "copy" || b.Name() == "append") {
			return instr.Call.Args[1]
		}
		return instr.Call.Args[0]
	}
	return nil
}

// indexed is the slice of which an address is that of an element.
func indexed(addr ssa.Value) ssa.Value {
	if x, ok := addr.(*ssa.IndexAddr); ok {
		return x.X
	}
	return nil
}

// plainSlice reports whether a type is a slice whose elements are written as a whole.
func plainSlice(t types.Type) bool {
	s, ok := t.Underlying().(*types.Slice)
	if !ok {
		return false
	}
	if _, ok := types.Unalias(s.Elem()).(*types.TypeParam); ok {
		return false
	}
	switch s.Elem().Underlying().(type) {
	case *types.Struct, *types.Array:
		return false
	}
	return true
}

// shared reports whether writes of elements of a type may write elements of a plain slice: those of
// the slice itself, or of an array inside.
func shared(t types.Type, depth int) bool {
	if _, ok := types.Unalias(t).(*types.TypeParam); ok || depth > 5 {
		return true
	}
	st, ok := t.Underlying().(*types.Struct)
	if !ok {
		return true
	}
	for field := range st.Fields() {
		_, isStruct := field.Type().Underlying().(*types.Struct)
		_, isArray := field.Type().Underlying().(*types.Array)
		if (isStruct || isArray) && shared(field.Type(), depth+1) {
			return true
		}
	}
	return false
}

// mayPointInside reports whether the variable of a site is what a pointer leads to that may be one
// to an element. Of a type of this package, it takes an element's address in this package.
func (f *function) mayPointInside(s *site) bool {
	switch s.addr.(type) {
	case nil, *ssa.FieldAddr, *ssa.IndexAddr, *ssa.Global, *ssa.FreeVar, *ssa.Alloc:
		return false
	}
	p, ok := s.addr.Type().Underlying().(*types.Pointer)
	if !ok || !shared(p.Elem(), 0) {
		return false
	}
	named, ok := types.Unalias(p.Elem()).(*types.Named)
	return !ok || named.Obj().Pkg() != f.in.pkg || named.Obj().Exported() ||
		f.in.memory.pointed[named.Origin().Obj()]
}

// mayBeSliced reports whether a slice of an array may be made, or its address handed on.
func (m *memory) mayBeSliced(addr ssa.Value) bool {
	switch v := addr.(type) {
	case *ssa.FieldAddr:
		field := fieldOf(v)
		return field == nil || field.Exported() || field.Pkg() != m.pkg || m.sliced[field]
	case *ssa.Global:
		return v.Pkg == nil || v.Pkg.Pkg != m.pkg || token.IsExported(v.Name()) || m.globals[v]
	}
	return true
}

// noteElement notes an element whose address is used for more than a load or store.
func (m *memory) noteElement(v *ssa.IndexAddr) {
	for _, use := range *v.Referrers() {
		switch use := use.(type) {
		case *ssa.UnOp, *ssa.DebugRef, *ssa.FieldAddr, *ssa.IndexAddr:
			continue
		case *ssa.Store:
			if use.Val != v {
				continue
			}
		}
		p := v.Type().Underlying().(*types.Pointer)
		if named, ok := types.Unalias(p.Elem()).(*types.Named); ok {
			m.pointed[named.Origin().Obj()] = true
		}
	}
}
