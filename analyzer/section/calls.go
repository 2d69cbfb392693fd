// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// A target is a function that a call may run, with the arguments that it gets.
type target struct {
	*function
	args    []ssa.Value // nil for a literal that is passed on: its callee has the arguments
	literal bool        // passed to the call, not called itself
	told    []*event    // of a function of another package: its events; see facts.go
	lent    []lock      // of a literal: the locks that the callee holds when it calls it
}

// maxImplementations bounds the methods that a call by an interface is taken to run.
const maxImplementations = 3

// targets lists the functions of the package that a call may run.
func (f *function) targets(call *ssa.Call) (list []target) {
	common := &call.Call
	if common.IsInvoke() {
		for _, m := range f.in.implementations(common) {
			list = append(list, target{function: m, args: arguments(common)})
		}
		return list
	}
	if callee := f.in.function(common.StaticCallee()); callee != nil {
		list = append(list, target{function: callee, args: common.Args})
	} else if told := f.in.foreign(common.StaticCallee()); told != nil {
		list = append(list, target{told: told, args: common.Args})
	}
	for i, arg := range common.Args {
		if lit := f.in.literal(arg); lit != nil && f.in.memory.callsBack(common, arg) {
			t := target{function: lit, literal: true}
			if callee := f.in.function(common.StaticCallee()); callee != nil {
				for _, k := range callee.lends(i, 0) {
					k.term = f.in.substitute(k.term, callee, common.Args)
					t.lent = append(t.lent, k)
				}
			}
			list = append(list, t)
		}
	}
	return list
}

// lends lists the locks that f holds whenever it calls the function that is its parameter i.
func (f *function) lends(i, depth int) (list []lock) {
	if i < 0 || i >= len(f.Params) || depth > maxDepth {
		return nil
	}
	first := true
	for _, use := range *f.Params[i].Referrers() {
		call, ok := use.(*ssa.Call)
		if !ok {
			continue
		}
		now := f.lockFlow().at(call)
		if callee := f.in.function(call.Call.StaticCallee()); callee != nil {
			k := slices.Index(call.Call.Args, ssa.Value(f.Params[i]))
			for _, lock := range callee.lends(k, depth+1) {
				lock.term = f.in.substitute(lock.term, callee, call.Call.Args)
				now = append(now, lock)
			}
		}
		if !first {
			now = slices.DeleteFunc(now, func(k lock) bool {
				return !slices.ContainsFunc(list, func(l lock) bool { return l.term == k.term })
			})
		}
		list, first = now, false
	}
	return list
}

// literal is the function literal that a value is, nil if it is none.
func (p *program) literal(v ssa.Value) *function {
	if t, ok := v.(*ssa.ChangeType); ok {
		v = t.X
	}
	switch fn := v.(type) {
	case *ssa.MakeClosure:
		return p.of[fn.Fn.(*ssa.Function)]
	case *ssa.Function:
		if fn.Parent() != nil {
			return p.of[fn]
		}
	}
	return nil
}

// later are the beginnings of names of functions that keep the function that they get, and call it
// later or in another goroutine.
var later = []string{"AfterFunc", "Go", "Handle", "Register", "On", "Add", "Submit", "Schedule",
	"Subscribe", "Set", "With", "New", "TryGo", "Notify", "Cleanup", "Queue", "Start", "Run"}

// callsBack reports whether a call is taken to call a literal that it gets before it returns. That
// of a function of the package is looked at; of others the name must not say that it comes later.
func (m *memory) callsBack(common *ssa.CallCommon, lit ssa.Value) bool {
	if common.IsInvoke() {
		return !keepsFunctions(common.Method.Name())
	}
	fn := common.StaticCallee()
	if fn == nil {
		return false
	}
	callee := m.function(fn)
	if callee == nil {
		return !keepsFunctions(fn.Name())
	}
	for i, arg := range common.Args {
		if arg == lit && i < len(callee.Params) && !m.onlyCalls(callee.Params[i], 0) {
			return false
		}
	}
	return true
}

// onlyCalls reports whether a function calls its parameter, or passes it on to one that does, and
// doesn't use it otherwise.
func (m *memory) onlyCalls(param ssa.Value, depth int) bool {
	for _, use := range *param.Referrers() {
		switch use := use.(type) {
		case *ssa.DebugRef, *ssa.BinOp:
		case *ssa.Call:
			if use.Call.Value != param && (depth > 3 || !m.passesOn(&use.Call, param, depth)) {
				return false
			}
		case *ssa.Defer:
			if use.Call.Value != param {
				return false
			}
		case *ssa.ChangeType:
			if !m.onlyCalls(use, depth+1) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

func (m *memory) passesOn(common *ssa.CallCommon, v ssa.Value, depth int) bool {
	if callee := m.function(common.StaticCallee()); callee != nil {
		for i, arg := range common.Args {
			if arg == v && i < len(callee.Params) && !m.onlyCalls(callee.Params[i], depth+1) {
				return false
			}
		}
		return true
	}
	return m.callsBack(common, v)
}

func keepsFunctions(name string) bool {
	for _, prefix := range later {
		if rest, ok := strings.CutPrefix(name, prefix); ok &&
			(rest == "" || rest[0] < 'a' || rest[0] > 'z') {
			return true
		}
	}
	return false
}

// implementations are the methods of the package that a call by an interface of the package may
// run, if there are few.
func (p *program) implementations(common *ssa.CallCommon) (list []*function) {
	named, ok := types.Unalias(common.Value.Type()).(*types.Named)
	if !ok || named.Obj().Pkg() != p.pkg {
		return nil
	}
	iface, ok := named.Underlying().(*types.Interface)
	if !ok || named.TypeParams().Len() > 0 {
		return nil
	}
	if _, ok := p.impls[named]; !ok {
		p.impls[named] = p.implementing(iface)
	}
	if len(p.impls[named]) > maxImplementations {
		return nil
	}
	for _, t := range p.impls[named] {
		obj, _, _ := types.LookupFieldOrMethod(t, true, p.pkg, common.Method.Name())
		if m, ok := obj.(*types.Func); ok {
			for _, fn := range p.functions {
				if fn.Object() == m {
					list = append(list, fn)
				}
			}
		}
	}
	return list
}

// implementing lists the types of the package that implement an interface.
func (p *program) implementing(iface *types.Interface) (list []types.Type) {
	scope := p.pkg.Scope()
	for _, name := range scope.Names() {
		obj, ok := scope.Lookup(name).(*types.TypeName)
		if !ok || obj.IsAlias() {
			continue
		}
		t, ok := obj.Type().(*types.Named)
		if !ok || types.IsInterface(t) || t.TypeParams().Len() > 0 {
			continue
		}
		if types.Implements(t, iface) || types.Implements(types.NewPointer(t), iface) {
			list = append(list, types.NewPointer(t))
		}
	}
	return list
}

// inert reports whether a value of a type leads to no variables of the package.
func inert(t types.Type, depth int) bool {
	if depth > 5 {
		return false
	}
	if inertTypes[types.TypeString(t, nil)] {
		return true
	}
	switch t := t.Underlying().(type) {
	case *types.Basic:
		return t.Kind() != types.UnsafePointer
	case *types.Struct:
		for field := range t.Fields() {
			if !inert(field.Type(), depth+1) {
				return false
			}
		}
		return true
	case *types.Array:
		return inert(t.Elem(), depth+1)
	}
	return false
}

// inertTypes are inert though they have pointers.
var inertTypes = map[string]bool{"error": true, "time.Time": true, "*time.Location": true}
