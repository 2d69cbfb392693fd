// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// A memory knows which variables need no touch: those that only one goroutine has, and those that
// nobody writes once their object is made.
type memory struct {
	*program
	written map[*types.Var]bool   // fields that are written, or whose address is taken
	globals map[*ssa.Global]bool  // the same for package-level variables
	split   map[*types.Var]bool   // fields of which parts are accessed one by one
	escapes map[ssa.Value]*escape // where the address of a variable gets out
	first   map[*ssa.Alloc]bool   // see assignedFirst

	// For blocks of memory, see backing.go: array fields of which a slice may be made, the types of
	// elements whose addresses are handed on, and those of slices that share memory with
	// containers.
	sliced  map[*types.Var]bool
	pointed map[*types.TypeName]bool
	lent    []lent
	mutated map[*types.TypeName]bool // containers with mutators that sections call; see lent.go
}

// newMemory looks through the whole package for writes. Other packages can write what is exported.
func (p *program) newMemory() {
	m := &memory{
		program: p, written: make(map[*types.Var]bool), globals: make(map[*ssa.Global]bool),
		split: make(map[*types.Var]bool), escapes: make(map[ssa.Value]*escape),
		first: make(map[*ssa.Alloc]bool), sliced: make(map[*types.Var]bool),
		pointed: make(map[*types.TypeName]bool),
	}
	p.memory = m
	for _, fn := range p.Functions {
		fn.Each(func(instr ssa.Instruction) {
			switch instr := instr.(type) {
			case *ssa.Store:
				m.noteStore(instr)
			case *ssa.FieldAddr:
				m.noteField(instr)
			case *ssa.IndexAddr:
				m.noteElement(instr)
			case *ssa.Call:
				if f := m.of[fn.Function]; f != nil {
					m.noteLent(f, instr)
				}
			case *ssa.ChangeType: // of a pointer: what it points to has two types now
				m.noteConversion(instr.X.Type(), instr.Type())
			}
			for _, op := range instr.Operands(nil) {
				if g, ok := (*op).(*ssa.Global); ok {
					m.noteGlobal(g, instr)
				}
			}
		})
	}
}

// noteStore marks the fields that a store writes. A store to an object that no one else has yet
// makes the object. Elements that are appended may be written over.
func (m *memory) noteStore(s *ssa.Store) {
	root, element := rootOf(s.Addr)
	f := m.function(s.Parent())
	fresh := f != nil && f.fresh(root, s)
	if !fresh {
		for addr := s.Addr; ; {
			v, ok := addr.(*ssa.FieldAddr)
			if !ok {
				break
			}
			if field := fieldOf(v); field != nil {
				m.written[field] = true
			}
			addr = v.X
		}
	}
	if !fresh || element {
		m.writeAll(s.Val.Type(), 0)
	}
}

// noteConversion marks the fields of both struct types if a pointer to one becomes one to the
// other.
func (m *memory) noteConversion(list ...types.Type) {
	for _, t := range list {
		if p, ok := t.Underlying().(*types.Pointer); ok {
			m.writeAll(p.Elem(), 0)
		}
	}
}

// writeAll marks all fields of a struct type.
func (m *memory) writeAll(t types.Type, depth int) {
	switch t := t.Underlying().(type) {
	case *types.Struct:
		for field := range t.Fields() {
			m.written[field.Origin()] = true
			if depth < 8 {
				m.writeAll(field.Type(), depth+1)
			}
		}
	case *types.Array:
		if depth < 8 {
			m.writeAll(t.Elem(), depth+1)
		}
	}
}

// noteField marks a field if its address is used for more than loads and stores.
func (m *memory) noteField(v *ssa.FieldAddr) {
	field := fieldOf(v)
	if field == nil {
		return
	}
	for _, use := range *v.Referrers() {
		switch use := use.(type) {
		case *ssa.UnOp, *ssa.DebugRef, *ssa.IndexAddr:
		case *ssa.FieldAddr:
			m.split[field] = true
		case *ssa.Store:
			if use.Val == v {
				m.written[field] = true
			}
		default:
			m.written[field], m.sliced[field] = true, true
		}
	}
}

func (m *memory) noteGlobal(g *ssa.Global, instr ssa.Instruction) {
	switch instr := instr.(type) {
	case *ssa.UnOp, *ssa.DebugRef, *ssa.FieldAddr, *ssa.IndexAddr:
		return
	case *ssa.Store:
		if instr.Val != g && instr.Parent().Synthetic == "package initializer" {
			return
		}
	}
	m.globals[g] = true
}

// fieldOf is the field whose address is taken, as it is declared.
func fieldOf(v *ssa.FieldAddr) *types.Var {
	if p, ok := v.X.Type().Underlying().(*types.Pointer); ok {
		if st, ok := p.Elem().Underlying().(*types.Struct); ok {
			return st.Field(v.Field).Origin()
		}
	}
	return nil
}

// rootOf is the pointer, or the slice, that an address is made of; and whether it is the address of
// an element or its part.
func rootOf(addr ssa.Value) (root ssa.Value, element bool) {
	for {
		switch v := addr.(type) {
		case *ssa.FieldAddr:
			addr = v.X
		case *ssa.IndexAddr:
			addr, element = v.X, true
		case *ssa.Slice:
			addr = v.X
		case *ssa.ChangeType:
			addr = v.X
		default:
			return addr, element
		}
	}
}

// private reports whether no other goroutine can write a variable, or read it if it is written,
// while control is at an instruction.
func (f *function) private(addr ssa.Value, at ssa.Instruction) bool {
	root, element := rootOf(addr)
	if isCounter(root) || f.fresh(root, at) || root == addr && f.in.memory.assignedFirst(addr) {
		return true
	}
	return !element && f.in.memory.constant(addr)
}

// counters begins the names of the variables in which go test -cover counts what has run.
const counters = "goCover_"

// isCounter reports whether a value is the address of such variables. What is done to them is no
// part of the program: with -cover and without, the same is found.
func isCounter(v ssa.Value) bool {
	g, ok := v.(*ssa.Global)
	return ok && strings.HasPrefix(g.Name(), counters)
}

// counts reports whether an instruction only counts what has run.
func counts(instr ssa.Instruction) bool {
	switch instr := instr.(type) {
	case *ssa.Store:
		root, _ := rootOf(instr.Addr)
		return isCounter(root)
	case *ssa.Call: // of package sync/atomic
		if len(instr.Call.Args) > 0 {
			root, _ := rootOf(instr.Call.Args[0])
			return isCounter(root)
		}
	}
	return false
}

// constant reports whether the variable at an address is written only where it is made.
func (m *memory) constant(addr ssa.Value) bool {
	for {
		switch v := addr.(type) {
		case *ssa.FieldAddr:
			field := fieldOf(v)
			if field == nil || field.Exported() || field.Pkg() != m.pkg || m.written[field] {
				return false
			}
			switch v.X.(type) {
			case *ssa.FieldAddr, *ssa.Global:
				addr = v.X
			default:
				return true
			}
		case *ssa.Global:
			return v.Pkg != nil && v.Pkg.Pkg == m.pkg && !token.IsExported(v.Name()) &&
				!m.globals[v]
		default:
			return false
		}
	}
}

// assignedFirst reports whether a captured variable is assigned once, before it is captured.
func (m *memory) assignedFirst(addr ssa.Value) bool {
	if free, ok := addr.(*ssa.FreeVar); ok {
		outer := m.captured(free)
		if outer == nil {
			return false
		}
		addr = outer
	}
	v, ok := addr.(*ssa.Alloc)
	if !ok {
		return false
	}
	first, known := m.first[v]
	if !known {
		first = m.findFirst(v)
		m.first[v] = first
	}
	return first
}

func (m *memory) findFirst(v *ssa.Alloc) bool {
	f := m.of[v.Parent()]
	if f == nil || m.Assigned(v) == nil {
		return false
	}
	var store ssa.Instruction
	for _, use := range *v.Referrers() {
		if s, ok := use.(*ssa.Store); ok {
			store = s
		}
	}
	if store == nil {
		return false // in a literal
	}
	for _, use := range *v.Referrers() {
		if c, ok := use.(*ssa.MakeClosure); ok && f.Reaches(c, store, func(i ssa.Instruction) bool {
			return i == ssa.Instruction(v)
		}) {
			return false
		}
	}
	return true
}

// A holder is the variable that an access is to: a whole variable, or elements of one. It has no
// address if the elements are those of a slice or map that was not just read from a variable.
type holder struct {
	addr  ssa.Value
	inner bool
}

// holderOf finds the variable that an address belongs to.
func holderOf(addr ssa.Value) holder {
	for v := addr; ; {
		switch x := v.(type) {
		case *ssa.FieldAddr:
			v = x.X
			continue
		case *ssa.IndexAddr:
			return holder{elementsOf(x.X), true}
		}
		return holder{addr, false}
	}
}

// elementsOf is the address of the variable that a slice, map or array is in, nil if there is none.
func elementsOf(v ssa.Value) ssa.Value {
	switch x := v.(type) {
	case *ssa.UnOp:
		if x.Op == token.MUL {
			return holderOf(x.X).addr
		}
	case *ssa.FieldAddr, *ssa.Global, *ssa.FreeVar, *ssa.Alloc, *ssa.IndexAddr:
		if isPointer(x) { // to an array
			return holderOf(x).addr
		}
	}
	return nil
}

func isPointer(v ssa.Value) bool {
	_, ok := v.Type().Underlying().(*types.Pointer)
	return ok
}
