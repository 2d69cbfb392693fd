// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"go/token"
	"go/types"
	"strings"

	"github.com/commutego/commute/internal/engine/compiled"
	"golang.org/x/tools/go/ssa"
)

// A container is a variable of a type of another package that has no lock of its own: its whole
// value is one point. What its methods do is known by their names.

// containerSites is the access of a call of a container's method.
func (f *function) containerSites(call *ssa.Call) []*site {
	common := &call.Call
	fn := common.StaticCallee()
	if fn == nil || common.IsInvoke() || fn.Signature.Recv() == nil || f.in.function(fn) != nil ||
		!f.in.isContainer(fn.Signature.Recv().Type()) {
		return nil
	}
	recv := common.Args[0]
	var addr ssa.Value
	if load, ok := recv.(*ssa.UnOp); ok && load.Op == token.MUL {
		addr = load.X
	} else if isPointer(recv) {
		addr = recv
	}
	if addr == nil {
		return nil
	}
	if root, _ := rootOf(recv); f.fresh(root, call) {
		return nil
	}
	if root, _ := rootOf(addr); f.fresh(root, call) {
		return nil
	}
	switch addr.(type) {
	case *ssa.FieldAddr, *ssa.Global, *ssa.FreeVar, *ssa.Alloc:
	default:
		return nil
	}
	s := &site{op: compiled.ReadInner, addr: addr, name: f.in.nameOf(addr)}
	if !observes(fn) {
		s.op = compiled.WriteInner
	}
	return []*site{s}
}

// isContainer reports whether a type of another package is a container.
func (p *program) isContainer(t types.Type) bool {
	if ptr, ok := types.Unalias(t).(*types.Pointer); ok {
		t = ptr.Elem()
	}
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() == nil || named.Obj().Pkg() == p.pkg {
		return false
	}
	_, ok = named.Underlying().(*types.Struct)
	return ok && !inertTypes[types.TypeString(named, nil)] && !synchronizes(named, 0)
}

// synchronizes reports whether a type has a lock, an atomic or a channel in it.
func synchronizes(t types.Type, depth int) bool {
	if depth > 4 {
		return true
	}
	if named, ok := types.Unalias(t).(*types.Named); ok && named.Obj().Pkg() != nil {
		switch named.Obj().Pkg().Path() {
		case "sync", "sync/atomic", "time", "context", "log", "reflect":
			return true
		}
	}
	switch t := t.Underlying().(type) {
	case *types.Chan:
		return true
	case *types.Array:
		return synchronizes(t.Elem(), depth+1)
	case *types.Struct:
		for field := range t.Fields() {
			if _, ok := field.Type().Underlying().(*types.Pointer); !ok &&
				synchronizes(field.Type(), depth+1) {
				return true
			}
		}
	}
	return false
}

// observers are the beginnings of names of methods that only look.
var observers = []string{"Len", "Get", "Peek", "Front", "Back", "Contains", "Has", "Is", "Min",
	"Max", "Keys", "Values", "String", "Cap", "Count", "Size", "Find", "Empty", "Oldest", "Newest",
	"Equal", "Before", "After", "Sub", "Compare", "Unix", "Range", "Ascend", "Descend", "Bytes",
	"Next", "Prev", "Root", "Exists", "Test", "All", "Any", "None", "Load"}

func observes(fn *ssa.Function) bool {
	if _, pointer := fn.Signature.Recv().Type().Underlying().(*types.Pointer); !pointer {
		return true // of a copy
	}
	return observesByName(fn.Name())
}

// observesByName reports whether the name of a function says that it only looks.
func observesByName(name string) bool {
	for _, prefix := range observers {
		if rest, ok := strings.CutPrefix(name, prefix); ok &&
			(rest == "" || rest[0] < 'a' || rest[0] > 'z') {
			return true
		}
	}
	return false
}
