// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// A place is where a variable is, in terms of its function.
type place struct {
	param  int  // the parameter that leads to it; -1 if it is another value
	key    key  // the key by which it was found
	fresh  bool // the function has made it
	linked bool // nodes of one type lead to it, as in a list or tree
}

// A key is what a map was looked up by.
type key struct {
	looked bool
	param  int // -1 if it is no parameter
}

func (k key) known() bool { return k.looked }

// none is the key of what was not looked up.
var none = key{param: -1}

// maxPlace bounds the steps to a place.
const maxPlace = 30

// placeOf is the place of an event, in terms of its function.
func (a *effects) placeOf(e *event, depth int) place {
	if e.from == nil {
		v := e.addr
		if v == nil {
			v = e.base
		}
		if v == nil {
			return place{param: -1, key: none}
		}
		at := e.in.place(v, 0)
		if e.key != nil && !at.key.looked {
			at.key = key{true, e.in.parameter(e.key)}
			at.linked = at.linked || at.key.param < 0 && e.in.place(e.key, 0).linked
		}
		return at
	}
	if e.via.function == nil || depth > maxDepth {
		return place{param: -1, key: none}
	}
	return e.f.lift(a.placeOf(e.from, depth+1), e.via.function, e.via.args)
}

// lift is the place that a callee knows by its parameters, in terms of the caller. A literal that
// was passed on has no arguments: what it captures is its own.
func (f *function) lift(at place, callee *function, args []ssa.Value) place {
	argument := func(i int) ssa.Value {
		if i >= 0 && i < len(args) && i < len(callee.Params) {
			return args[i]
		}
		return nil
	}
	n := place{param: -1, key: none, fresh: at.fresh, linked: at.linked}
	if v := argument(at.param); v != nil {
		n = f.place(v, 0)
		n.linked = n.linked || at.linked
	}
	if at.key.looked && !n.key.looked {
		n.key = key{true, -1}
		if v := argument(at.key.param); v != nil {
			n.key.param = f.parameter(v)
		}
	}
	return n
}

// parameter is the number of the parameter that a value is, or is an equal interface of; -1 if it
// is none.
func (f *function) parameter(v ssa.Value) int {
	for {
		switch x := v.(type) {
		case *ssa.MakeInterface:
			v = x.X
			continue
		case *ssa.ChangeType:
			v = x.X
			continue
		case *ssa.ChangeInterface:
			v = x.X
			continue
		case *ssa.UnOp:
			if value := f.Assigned(x.X); x.Op == token.MUL && value != nil {
				v = value
				continue
			}
		}
		break
	}
	for i, p := range f.Params {
		if v == p {
			return i
		}
	}
	return -1
}

// place traces a pointer, map or slice back to where the function has it from.
func (f *function) place(v ssa.Value, depth int) place {
	if depth > maxPlace {
		return place{param: -1, key: none}
	}
	again := func(x ssa.Value) place { return f.place(x, depth+1) }
	switch v := v.(type) {
	case *ssa.Parameter:
		return place{param: f.parameter(v), key: none}
	case *ssa.Alloc:
		if value := f.Assigned(v); value != nil {
			return again(value)
		}
		return place{param: -1, key: none, fresh: f.fresh(v, v)}
	case *ssa.MakeMap, *ssa.MakeSlice:
		return place{param: -1, key: none, fresh: true}
	case *ssa.FreeVar:
		if value := f.Assigned(v); value != nil {
			return place{param: -1, key: none}
		}
	case *ssa.FieldAddr:
		at := again(v.X)
		at.linked = at.linked || selfReferring(v) && (!at.key.looked || link(v))
		return at
	case *ssa.Field:
		return again(v.X)
	case *ssa.IndexAddr:
		return again(v.X)
	case *ssa.Index:
		return again(v.X)
	case *ssa.Slice:
		return again(v.X)
	case *ssa.ChangeType:
		return again(v.X)
	case *ssa.TypeAssert:
		return again(v.X)
	case *ssa.Extract:
		return again(v.Tuple)
	case *ssa.UnOp:
		if value := f.Assigned(v.X); v.Op == token.MUL && value != nil {
			return again(value)
		}
		return again(v.X)
	case *ssa.Lookup:
		at := again(v.X)
		if !at.key.looked {
			at.key = key{true, f.parameter(v.Index)}
		}
		return at
	case *ssa.Phi:
		return f.joined(v, depth)
	case *ssa.Call:
		return f.returned(v, depth)
	}
	return place{param: -1, key: none}
}

// joined is the place of a value that comes from several.
func (f *function) joined(v *ssa.Phi, depth int) place {
	var at *place
	for _, x := range v.Edges {
		if c, ok := x.(*ssa.Const); ok && c.IsNil() || x == v {
			continue
		}
		n := f.place(x, depth+5) // a loop ends
		switch {
		case n.fresh:
		case at == nil:
			at = &n
		case *at != n:
			return place{param: -1, key: key{at.key.looked || n.key.looked, -1},
				linked: at.linked || n.linked}
		}
	}
	if at == nil {
		return place{param: -1, key: none, fresh: true}
	}
	return *at
}

// returned is the place of the first result of a call that is a pointer.
func (f *function) returned(call *ssa.Call, depth int) place {
	unknown := place{param: -1, key: none}
	callee := f.in.function(call.Call.StaticCallee())
	if callee == nil || callee == f || depth > maxPlace/2 {
		return unknown
	}
	var at *place
	callee.Each(func(instr ssa.Instruction) {
		ret, ok := instr.(*ssa.Return)
		if !ok || len(ret.Results) == 0 {
			return
		}
		if c, ok := ret.Results[0].(*ssa.Const); ok && c.IsNil() {
			return
		}
		n := callee.place(ret.Results[0], depth+10)
		if at == nil || at.fresh {
			at = &n
		} else if !n.fresh && *at != n {
			at = &unknown
		}
	})
	if at == nil {
		return unknown
	}
	return f.lift(*at, callee, call.Call.Args)
}

// selfReferring reports whether a field belongs to a struct that has pointers to others of its
// type: it is a node of a list or tree.
func selfReferring(v *ssa.FieldAddr) bool {
	ptr, ok := v.X.Type().Underlying().(*types.Pointer)
	if !ok {
		return false
	}
	named, ok := types.Unalias(ptr.Elem()).(*types.Named)
	if !ok {
		return false
	}
	st, ok := named.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for field := range st.Fields() {
		if p, ok := field.Type().Underlying().(*types.Pointer); ok {
			if n, ok := types.Unalias(p.Elem()).(*types.Named); ok && n.Origin() == named.Origin() {
				return true
			}
		}
	}
	return false
}

// link reports whether a field is a pointer to a struct of its own type.
func link(v *ssa.FieldAddr) bool {
	field := fieldOf(v)
	ptr, ok := field.Type().Underlying().(*types.Pointer)
	if !ok {
		return false
	}
	to, ok1 := types.Unalias(ptr.Elem()).(*types.Named)
	of, ok2 := types.Unalias(v.X.Type().Underlying().(*types.Pointer).Elem()).(*types.Named)
	return ok1 && ok2 && to.Origin() == of.Origin()
}
