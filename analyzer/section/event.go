// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"go/token"
	"go/types"

	"github.com/commutego/commute/analyzer/internal/flow"
	"github.com/commutego/commute/internal/engine/compiled"
	"golang.org/x/tools/go/ssa"
)

// A site is an instruction that accesses a variable that other goroutines may have.
type site struct {
	in     *function
	instr  ssa.Instruction
	op     compiled.TouchOp
	addr   ssa.Value // of the variable; nil for a map or slice that was not read from one
	base   ssa.Value // the map
	key    ssa.Value // of an operation on one key
	stored ssa.Value // what is written, if it is one value
	name   name
	header bool // reads a map, slice or pointer only to access what it leads to
	// A struct or array is read or written whole, and it has parts that are accessed.
	whole  bool
	atomic compiled.AtomicKind // of an atomic operation

	backed bool // the access to elements is noted by another site as well; see backing.go

	remote *Remote // of a function of another package
	told   fact    // the same

	written *written // how it stands in the source; nil: not looked for yet
	number  int      // in Result.Touches, counted from 1
}

// An event is an access by a function or by what it calls, in terms of the function.
type event struct {
	*site
	f     *function
	at    ssa.Instruction // the access itself, or the call that leads to it
	by    token.Pos       // the call, not valid for the function's own accesses
	from  *event          // the event of the callee, nil for the function's own accesses
	via   target
	term  string // the address of the variable; of a map without one, the map
	keyed string // the term of the key, "" without one
	locks []held
	depth int

	forward   [2]*flow.Slice // of a read; see summary.go
	flowsTo   *[2]flows      // of a read
	dependsOn *deps          // of a write
	looks     int            // of a write: whether it was looked again; see rules.go
	told      *fact          // of a function of another package
}

// A held lock is one that is held at an event. An inner one is taken by a callee, which lets it go.
// A lent one is inner, too: it is held by a function of the package when it calls a literal, whose
// event it is.
type held struct {
	lock
	inner, lent bool
}

func (s *site) isWrite() bool {
	switch s.op {
	case compiled.WriteVar, compiled.UpdateVar, compiled.Insert, compiled.Update, compiled.Delete,
		compiled.WriteAll, compiled.WriteInner:
		return true
	}
	return false
}

// sites lists the accesses of an instruction.
func (f *function) sites(instr ssa.Instruction) (list []*site) {
	switch instr := instr.(type) {
	case *ssa.UnOp:
		if instr.Op == token.MUL && !f.partOfUpdate(instr) {
			list = f.load(instr)
		}
	case *ssa.Store:
		list = f.store(instr)
	case *ssa.Lookup:
		if isMap(instr.X) && !f.partOfUpdate(instr) {
			list = f.mapSite(instr, compiled.Lookup, instr.X, instr.Index, nil)
		}
	case *ssa.MapUpdate:
		op := compiled.Insert
		if f.updated(instr, instr.Value) != nil {
			op = compiled.Update
		}
		list = f.mapSite(instr, op, instr.Map, instr.Key, instr.Value)
	case *ssa.Range:
		if isMap(instr.X) {
			list = f.mapSite(instr, compiled.ReadAll, instr.X, nil, nil)
		}
	case *ssa.Call:
		list = f.callSites(instr)
	}
	for _, s := range list {
		s.in, s.instr = f, instr
	}
	return append(list, f.backings(instr, list)...)
}

func isMap(v ssa.Value) bool {
	_, ok := v.Type().Underlying().(*types.Map)
	return ok
}

// load is the site of a load.
func (f *function) load(load *ssa.UnOp) []*site {
	if f.private(load.X, load) {
		return nil
	}
	h := holderOf(load.X)
	s := &site{op: compiled.ReadVar, addr: h.addr, header: headerOnly(load)}
	if h.inner {
		s.op = compiled.ReadInner
	}
	if h.addr == nil {
		s.base, _ = rootOf(load.X)
		s.name = f.in.valueName(s.base)
		return []*site{s}
	}
	s.name = f.in.nameOf(h.addr)
	switch load.Type().Underlying().(type) {
	case *types.Struct:
		s.whole = !h.inner && f.in.hasParts(load.Type(), s.name)
	case *types.Array:
		s.op = compiled.ReadInner
	}
	return []*site{s}
}

// hasParts reports whether the fields of a struct variable may be accessed one by one.
func (p *program) hasParts(t types.Type, n name) bool {
	if n.obj == nil || n.obj.Exported() || p.memory.split[n.obj] {
		st, ok := t.Underlying().(*types.Struct)
		if named, isNamed := types.Unalias(t).(*types.Named); ok && isNamed &&
			named.Obj().Pkg() != p.pkg { // of another package: only exported fields are accessed
			for field := range st.Fields() {
				if field.Exported() {
					return true
				}
			}
			return false
		}
		return !ok || st.NumFields() > 0
	}
	return false
}

// headerOnly reports whether a value is used only to get at what it leads to.
func headerOnly(v ssa.Value) bool {
	for _, use := range *v.Referrers() {
		switch use := use.(type) {
		case *ssa.DebugRef:
		case *ssa.Lookup:
			if use.Index == v {
				return false
			}
		case *ssa.MapUpdate:
			if use.Key == v || use.Value == v {
				return false
			}
		case *ssa.Range, *ssa.FieldAddr:
		case *ssa.IndexAddr:
			if use.Index == v {
				return false
			}
		case ssa.CallInstruction:
			common := use.Common()
			if b, ok := common.Value.(*ssa.Builtin); ok {
				if b.Name() != "delete" && b.Name() != "clear" &&
					!(b.Name() == "len" && isMap(v)) ||
					common.Args[0] != v {
					return false
				}
			} else if common.IsInvoke() && common.Value != v ||
				!common.IsInvoke() && (common.Signature().Recv() == nil || common.Args[0] != v) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// store is the site of a store.
func (f *function) store(instr *ssa.Store) []*site {
	if f.private(instr.Addr, instr) {
		return nil
	}
	if _, ok := instr.Addr.(*ssa.Alloc); ok && instr.Pos() == token.NoPos {
		return nil // a parameter that is captured gets its value
	}
	h := holderOf(instr.Addr)
	s := &site{op: compiled.WriteVar, addr: h.addr, stored: instr.Val}
	if h.addr == nil {
		s.op = compiled.WriteInner
		s.base, _ = rootOf(instr.Addr)
		s.name = f.in.valueName(s.base)
		return []*site{s}
	}
	s.name = f.in.nameOf(h.addr)
	switch {
	case h.inner:
		s.op = compiled.WriteInner
	case f.updated(instr, instr.Val) != nil:
		s.op = compiled.UpdateVar
	}
	switch instr.Val.Type().Underlying().(type) {
	case *types.Struct:
		s.whole = !h.inner && f.in.hasParts(instr.Val.Type(), s.name)
	case *types.Array:
		s.op = compiled.WriteInner
	}
	return []*site{s}
}

// mapSite is the site of an operation on a map.
func (f *function) mapSite(instr ssa.Instruction, op compiled.TouchOp, m, key,
	stored ssa.Value) []*site {
	if root, _ := rootOf(m); f.fresh(root, instr) {
		return nil
	}
	return []*site{{op: op, addr: elementsOf(m), base: m, key: key, stored: stored,
		name: f.in.valueName(m)}}
}

// callSites are the accesses of a builtin function.
func (f *function) callSites(call *ssa.Call) (list []*site) {
	b, ok := call.Call.Value.(*ssa.Builtin)
	if !ok || len(call.Call.Args) == 0 {
		if list := f.atomicSite(call); list != nil {
			return list
		}
		return f.containerSites(call)
	}
	arg := call.Call.Args[0]
	switch b.Name() {
	case "len":
		if isMap(arg) {
			return f.mapSite(call, compiled.Len, arg, nil, nil)
		}
	case "delete":
		return f.mapSite(call, compiled.Delete, arg, call.Call.Args[1], nil)
	case "clear":
		if isMap(arg) {
			return f.mapSite(call, compiled.WriteAll, arg, nil, nil)
		}
		return f.elements(call, compiled.WriteInner, arg)
	case "copy":
		list = f.elements(call, compiled.WriteInner, arg)
		return append(list, f.elements(call, compiled.ReadInner, call.Call.Args[1])...)
	case "append":
		if len(call.Call.Args) > 1 {
			return f.elements(call, compiled.ReadInner, call.Call.Args[1])
		}
	}
	return nil
}

// elements is the site of an access to all elements of a slice.
func (f *function) elements(call *ssa.Call, op compiled.TouchOp, v ssa.Value) []*site {
	if basic, ok := v.Type().Underlying().(*types.Basic); ok && basic.Info()&types.IsString != 0 {
		return nil
	}
	if c, ok := v.(*ssa.Const); ok && c.IsNil() {
		return nil
	}
	if root, _ := rootOf(v); f.fresh(root, call) {
		return nil
	}
	if s, ok := v.(*ssa.Slice); ok {
		v = s.X
	}
	return []*site{{op: op, addr: elementsOf(v), base: v, name: f.in.valueName(v)}}
}
