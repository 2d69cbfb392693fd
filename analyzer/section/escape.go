// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// An escape says where others may get the address of a variable, or a map or slice: the
// instructions of its function after which they may have it.
type escape struct {
	at   []ssa.Instruction
	ever bool // it is not known where
}

// fresh reports whether an object is of the function alone while control is at an instruction: it
// was made there, and has not been passed on.
func (f *function) fresh(root ssa.Value, at ssa.Instruction) bool {
	switch root := root.(type) {
	case *ssa.FreeVar:
		outer := f.in.captured(root)
		if outer == nil {
			return false
		}
		e := f.in.memory.escapeOf(outer)
		return !e.ever && len(e.at) == 0
	case *ssa.Alloc, *ssa.MakeMap, *ssa.MakeSlice:
	case *ssa.Call:
		b, ok := root.Call.Value.(*ssa.Builtin)
		if !ok || b.Name() != "append" {
			return false
		}
		if c, ok := root.Call.Args[0].(*ssa.Const); !ok || !c.IsNil() { // of another slice
			base, _ := rootOf(root.Call.Args[0])
			if base == root || !f.fresh(base, at) {
				return false
			}
		}
	default:
		return false
	}
	if root.Parent() != f.Function.Function {
		return false
	}
	e := f.in.memory.escapeOf(root)
	if e.ever {
		return false
	}
	for _, instr := range e.at {
		if instr == at || f.Reaches(instr, at, nil) {
			return false
		}
	}
	return true
}

// captured is the variable that a literal captures, nil if it isn't known.
func (p *program) captured(v *ssa.FreeVar) *ssa.Alloc {
	for range maxFollowed {
		switch outer := p.Binding(v).(type) {
		case *ssa.Alloc:
			return outer
		case *ssa.FreeVar:
			v = outer
		default:
			return nil
		}
	}
	return nil
}

// escapeOf finds where an address gets out of its function.
func (m *memory) escapeOf(v ssa.Value) *escape {
	if e := m.escapes[v]; e != nil {
		return e
	}
	e := &escape{}
	m.escapes[v] = &escape{ever: true} // ends recursion
	m.follow(v, e, make(map[ssa.Value]bool), 0)
	m.escapes[v] = e
	return e
}

// maxFollowed bounds the functions that an address is followed into.
const maxFollowed = 3

// follow looks at all uses of an address.
func (m *memory) follow(v ssa.Value, e *escape, seen map[ssa.Value]bool, depth int) {
	if seen[v] || e.ever {
		return
	}
	seen[v] = true
	uses := v.Referrers()
	if uses == nil {
		e.ever = true
		return
	}
	for _, use := range *uses {
		if m.keeps(v, use, e, seen, depth) {
			e.at = append(e.at, use)
		}
	}
}

// keeps reports whether an instruction lets an address get out. It follows the addresses that are
// made of it.
func (m *memory) keeps(v ssa.Value, use ssa.Instruction, e *escape, seen map[ssa.Value]bool,
	depth int) bool {
	switch use := use.(type) {
	case *ssa.UnOp, *ssa.DebugRef, *ssa.BinOp, *ssa.Lookup, *ssa.Range, *ssa.Return, *ssa.Index,
		*ssa.Field, *ssa.If, *ssa.TypeAssert, *ssa.Convert:
		return false
	case *ssa.FieldAddr, *ssa.IndexAddr, *ssa.Slice, *ssa.Phi, *ssa.ChangeType:
		m.follow(use.(ssa.Value), e, seen, depth)
		return false
	case *ssa.Store:
		return use.Val == v
	case *ssa.MapUpdate:
		return use.Map != v
	case *ssa.MakeInterface:
		return m.interfaceKept(use)
	case *ssa.Defer:
		return !m.known(&use.Call)
	case *ssa.Call:
		return m.keptByCall(v, use, e, seen, depth)
	case *ssa.MakeClosure:
		return m.keptByClosure(v, use, e, seen, depth)
	}
	return true
}

// known reports whether a call of a function keeps no address that it gets: one of another package
// whose parameters say what they are.
func (m *memory) known(common *ssa.CallCommon) bool {
	fn := common.StaticCallee()
	if fn == nil || common.IsInvoke() {
		return false
	}
	pkg := packageOf(fn)
	return pkg != nil && pkg != m.pkg
}

// interfaceKept reports whether an interface with an address in it is used for more than printing
// and decoding.
func (m *memory) interfaceKept(v *ssa.MakeInterface) bool {
	for _, use := range *v.Referrers() {
		switch use := use.(type) {
		case *ssa.DebugRef:
			continue
		case *ssa.Call:
			if fn := use.Call.StaticCallee(); fn != nil && fn.Pkg != nil &&
				decoders[fn.Pkg.Pkg.Path()] {
				continue
			}
		}
		return true
	}
	return false
}

// decoders are the packages that write what an interface points to, and don't keep it.
var decoders = map[string]bool{
	"encoding/json": true, "encoding/gob": true, "encoding/binary": true, "encoding/xml": true,
	"errors": true, "fmt": true,
}

func (m *memory) keptByCall(v ssa.Value, call *ssa.Call, e *escape, seen map[ssa.Value]bool,
	depth int) bool {
	if b, ok := call.Call.Value.(*ssa.Builtin); ok {
		if b.Name() == "append" && len(call.Call.Args) > 0 && call.Call.Args[0] == v {
			m.follow(call, e, seen, depth)
		}
		return false // what elements lead to is none of the slice's memory
	}
	if call.Call.IsInvoke() || call.Call.Value == v {
		return true
	}
	if m.known(&call.Call) {
		return false
	}
	callee := m.function(call.Call.StaticCallee())
	if callee == nil || depth >= maxFollowed {
		return true
	}
	inner := &escape{}
	for i, arg := range call.Call.Args {
		if arg == v && i < len(callee.Params) {
			m.follow(callee.Params[i], inner, make(map[ssa.Value]bool), depth+1)
		}
	}
	if inner.ever || len(inner.at) > 0 {
		return true
	}
	if types.Identical(call.Type(), v.Type()) {
		m.follow(call, e, seen, depth) // it may return what it gets
	}
	return false
}

// keptByClosure reports whether a literal that captures a variable is more than called or deferred.
func (m *memory) keptByClosure(v ssa.Value, c *ssa.MakeClosure, e *escape,
	seen map[ssa.Value]bool, depth int) bool {
	for _, use := range *c.Referrers() {
		switch use := use.(type) {
		case *ssa.DebugRef:
		case *ssa.Call:
			if use.Call.Value != c && !m.callsBack(&use.Call, c) {
				return true
			}
		case *ssa.Defer:
			if use.Call.Value != c {
				return true
			}
		default:
			return true
		}
	}
	for i, bound := range c.Bindings {
		if bound == v && depth < maxFollowed {
			inner := &escape{}
			m.follow(c.Fn.(*ssa.Function).FreeVars[i], inner, seen, depth+1)
			if inner.ever || len(inner.at) > 0 {
				return true
			}
		}
	}
	return depth >= maxFollowed
}
