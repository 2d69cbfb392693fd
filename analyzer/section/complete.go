// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"go/types"
	"slices"

	"github.com/commutego/commute/internal/engine/compiled"
	"golang.org/x/tools/go/ssa"
)

// A section is complete if each access to memory in it is a touch, or of memory that no other
// goroutine can write. What is not known for sure makes it incomplete.

// complete reports whether the section that an instruction begins is complete.
func (f *function) complete(begin ssa.Instruction, term string) bool {
	for _, instr := range f.region(begin, term) {
		if !f.understood(instr) {
			return false
		}
	}
	return true
}

// region lists the instructions of a section. Calls that are deferred in it belong to it if it
// lasts to the function's end.
func (f *function) region(begin ssa.Instruction, term string) (list []ssa.Instruction) {
	ends := f.lockFlow().unlocks(term)
	var deferred []ssa.Instruction
	atEnd := false
	f.ReachesAny(begin, func(instr ssa.Instruction) bool { return false },
		func(instr ssa.Instruction) bool {
			if ends(instr) {
				return true
			}
			switch instr.(type) {
			case *ssa.Defer:
				deferred = append(deferred, instr)
			case *ssa.RunDefers:
				atEnd = true
			default:
				list = append(list, instr)
			}
			return false
		})
	if atEnd {
		list = append(list, deferred...)
	}
	return list
}

// onlyLocks reports whether a call takes or lets go a lock, itself or in a literal, and does
// nothing else.
func (p *program) onlyLocks(common *ssa.CallCommon) bool {
	if common.IsInvoke() || common.StaticCallee() == nil {
		return false
	}
	fn := common.StaticCallee()
	lit := p.function(fn)
	if lit == nil {
		pkg := packageOf(fn)
		return pkg != nil && pkg.Path() == "sync" && len(p.lockOps(common)) > 0
	}
	if lit.Parent() == nil || len(lit.Blocks) > 1 {
		return false
	}
	only := true
	lit.Each(func(instr ssa.Instruction) {
		call, ok := instr.(*ssa.Call)
		only = only && len(lit.sites(instr)) == 0 &&
			(!ok || call.Call.StaticCallee() != fn && p.onlyLocks(&call.Call))
	})
	return only
}

// packageOf is the package of a function, nil if it has none.
func packageOf(fn *ssa.Function) *types.Package {
	if fn.Origin() != nil {
		fn = fn.Origin()
	}
	if fn.Pkg != nil {
		return fn.Pkg.Pkg
	}
	if obj := fn.Object(); obj != nil {
		return obj.Pkg()
	}
	return nil
}

// understood reports whether all accesses of an instruction are known, with those of what it calls.
func (f *function) understood(instr ssa.Instruction) bool {
	for _, s := range f.sites(instr) {
		if s.atomic == compiled.NotAtomic && !s.backed && !s.express().ok {
			return false
		}
	}
	switch instr := instr.(type) {
	case *ssa.Call:
		return f.callUnderstood(instr)
	case *ssa.Defer:
		return f.in.onlyLocks(&instr.Call)
	case *ssa.Next:
		r, ok := instr.Iter.(*ssa.Range)
		return ok && f.oneSection(r, instr)
	case *ssa.SliceToArrayPointer, *ssa.MultiConvert:
		return false
	}
	return true
}

// callUnderstood reports whether all that a call does to variables is known.
func (f *function) callUnderstood(call *ssa.Call) bool {
	common := &call.Call
	if b, ok := common.Value.(*ssa.Builtin); ok {
		return b.Name() != "recover"
	}
	if f.in.onlyLocks(common) {
		return true
	}
	if common.IsInvoke() {
		return isError(common)
	}
	fn := common.StaticCallee()
	if fn == nil {
		param, ok := common.Value.(*ssa.Parameter)
		return ok && f.literalsOnly(param)
	}
	if callee := f.in.function(fn); callee != nil {
		return callee.understoodWhole()
	}
	pkg := packageOf(fn)
	if pkg == nil || pkg == f.in.pkg {
		return false // of the package, but not looked at
	}
	return f.harmless(call, fn, pkg.Path())
}

// literalsOnly reports whether all that a parameter can be are literals of the package whose
// accesses are known. The package alone calls the function.
func (f *function) literalsOnly(param *ssa.Parameter) bool {
	i := slices.Index(f.Params, param)
	if i < 0 || f.exported() || f.in.escaped[f] || f.Parent() != nil {
		return false
	}
	for _, call := range f.in.callers[f] {
		args := call.Common().Args
		if _, ok := call.(*ssa.Call); !ok || i >= len(args) {
			return false
		}
		lit := f.in.literal(args[i])
		if lit == nil || !lit.understoodWhole() {
			return false
		}
	}
	return true
}

func isFunction(v ssa.Value) bool {
	_, ok := v.Type().Underlying().(*types.Signature)
	return ok
}

// isError reports whether a call is that of the method of an error.
func isError(common *ssa.CallCommon) bool {
	return common.Method.Name() == "Error" && types.TypeString(common.Value.Type(), nil) == "error"
}

// understoodWhole reports whether all accesses of a function and its callees are known.
func (f *function) understoodWhole() bool {
	if f.known == unknown {
		f.known = begun // a recursive function is not known
		f.summary()
		whole := !f.truncated
		f.Each(func(instr ssa.Instruction) {
			whole = whole && f.understood(instr)
		})
		if whole {
			f.known = done
		}
	}
	return f.known == done
}

// harmless reports whether a function of another package cannot reach variables of this one, or
// only the object that it is a method of, which is a site.
func (f *function) harmless(call *ssa.Call, fn *ssa.Function, path string) bool {
	args := call.Call.Args
	if path == "sync" || path == "sync/atomic" {
		return !slices.ContainsFunc(args, isFunction)
	}
	if fn.Signature.Recv() != nil && len(args) > 0 {
		t := fn.Signature.Recv().Type()
		if p, ok := types.Unalias(t).(*types.Pointer); ok && inert(p.Elem(), 0) || callsBack(t, 0) {
			return false
		}
		if !f.in.isContainer(t) && !selfContained[path] && !inert(t, 0) {
			return false
		}
		if f.in.isContainer(t) && len(f.callSites(call)) == 0 {
			if root, _ := rootOf(args[0]); !f.fresh(root, call) {
				return false
			}
		}
		args = args[1:]
	}
	for _, arg := range args {
		if !isBuffer(call, arg) && !f.inertArgument(arg, call) {
			return false
		}
	}
	return true
}

// callsBack reports whether a value of a type has functions or values with methods in it, which its
// own methods may call.
func callsBack(t types.Type, depth int) bool {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	switch u := t.Underlying().(type) {
	case *types.Signature:
		return true
	case *types.Interface:
		return u.NumMethods() > 0 && types.TypeString(t, nil) != "error"
	case *types.Struct:
		if named, ok := types.Unalias(t).(*types.Named); ok && named.Obj().Pkg() != nil &&
			selfContained[named.Obj().Pkg().Path()] {
			return false
		}
		for field := range u.Fields() {
			if depth < 3 && callsBack(field.Type(), depth+1) {
				return true
			}
		}
	}
	return false
}

// selfContained are packages whose types have locks of their own, or none to need one.
var selfContained = map[string]bool{
	"time": true, "log": true, "context": true,
}

// inertArgument reports whether a value leads to no variables of the package but those that the
// function has for itself.
func (f *function) inertArgument(v ssa.Value, at ssa.Instruction) bool {
	switch x := v.(type) {
	case *ssa.Const:
		return true
	case *ssa.MakeInterface:
		return inert(x.X.Type(), 0)
	case *ssa.Slice: // of variadic arguments
		alloc, ok := x.X.(*ssa.Alloc)
		return ok && f.fresh(alloc, at) && f.inertElements(alloc)
	}
	return inert(v.Type(), 0)
}

// inertElements reports whether all that is stored in an array is inert.
func (f *function) inertElements(array *ssa.Alloc) bool {
	for _, use := range *array.Referrers() {
		addr, ok := use.(*ssa.IndexAddr)
		if !ok {
			continue
		}
		for _, use := range *addr.Referrers() {
			if store, ok := use.(*ssa.Store); ok && !f.inertArgument(store.Val, store) {
				return false
			}
		}
	}
	return true
}
