// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package checkact

import (
	"go/types"
	"slices"
	"strings"

	"github.com/commutego/commute/analyzer/internal/flow"
	"golang.org/x/tools/go/ssa"
)

// Two goroutines that both act do no harm if the second one changes nothing that counts: it stores
// what the first one has stored, or deletes what is gone. Such pairs are for level all.

// repeats reports whether an act that is made twice has the effect of one, as far as can be seen.
// A value that is stored must be a constant, or made of what the key and the object are made of,
// without an identity of its own. Of what is deleted, nothing but that it was there has been asked.
func (l *linter) repeats(p ssaPair) bool {
	if p.check.instr.Parent() != p.act.instr.Parent() {
		return false
	}
	args := p.act.instr.Call.Args
	if p.act.instr.Call.IsInvoke() || len(args) == 0 {
		return false
	}
	made := newOrigins(l.program)
	made.add(args[0])
	var values []ssa.Value
	for i, arg := range args[1:] {
		if slices.Contains(p.act.Keys, i) {
			made.add(arg)
		} else {
			values = append(values, arg)
		}
	}
	if len(values) == 0 {
		return !usesValue(p.check.instr)
	}
	value := newOrigins(l.program)
	for _, v := range values {
		if value.add(v); l.hasIdentity(v) || computed(v, p.check.instr, make(map[ssa.Value]bool)) {
			return false
		}
	}
	for v := range value.roots {
		if !made.roots[v] {
			return false
		}
	}
	return true
}

// usesValue reports whether the first of several results of a call is used. A call without two
// results gives its callback the value.
func usesValue(call *ssa.Call) bool {
	if t, ok := call.Type().(*types.Tuple); !ok || t.Len() < 2 {
		return true
	}
	for _, use := range *call.Referrers() {
		e, ok := use.(*ssa.Extract)
		if !ok || e.Index != 0 {
			continue
		}
		for _, use := range *e.Referrers() {
			if _, debug := use.(*ssa.DebugRef); !debug {
				return true
			}
		}
	}
	return false
}

// Origins are the parameters and captured variables that values are made of.
type origins struct {
	in    *program
	seen  map[ssa.Value]bool
	roots map[ssa.Value]bool
}

func newOrigins(p *program) *origins {
	return &origins{p, make(map[ssa.Value]bool), make(map[ssa.Value]bool)}
}

// add adds those of a value: what it is computed from, and what is stored in variables on the way.
func (o *origins) add(v ssa.Value) {
	if v == nil || o.seen[v] {
		return
	}
	o.seen[v] = true
	switch v := v.(type) {
	case *ssa.Parameter, *ssa.FreeVar:
		o.roots[v] = true
	case *ssa.Alloc:
		o.stored(v, 0)
	}
	if instr, ok := v.(ssa.Instruction); ok {
		for _, op := range instr.Operands(nil) {
			o.add(*op)
		}
	}
}

// stored adds what is stored in a variable, or in a part of it.
func (o *origins) stored(addr ssa.Value, depth int) {
	for _, use := range *addr.Referrers() {
		switch use := use.(type) {
		case *ssa.Store:
			if use.Addr == addr {
				o.add(use.Val)
			}
		case *ssa.FieldAddr:
			if depth < 5 {
				o.stored(use, depth+1)
			}
		case *ssa.IndexAddr:
			if depth < 5 {
				o.stored(use, depth+1)
			}
		}
	}
}

// hasIdentity reports whether a value is made by the function itself, or by one that makes such
// values, and two of them can be told apart.
func (l *linter) hasIdentity(v ssa.Value) bool {
	switch x := v.(type) {
	case *ssa.MakeInterface:
		return l.hasIdentity(x.X)
	case *ssa.ChangeType:
		return l.hasIdentity(x.X)
	case *ssa.ChangeInterface:
		return l.hasIdentity(x.X)
	case *ssa.Phi:
		return slices.ContainsFunc(x.Edges, func(e ssa.Value) bool {
			_, loops := e.(*ssa.Phi)
			return !loops && l.hasIdentity(e)
		})
	case *ssa.Alloc, *ssa.MakeMap, *ssa.MakeChan, *ssa.MakeClosure:
		return true
	case *ssa.Call:
		fn := x.Call.StaticCallee()
		if fn == nil || !refers(x.Type()) {
			return false
		}
		if f := l.Of[fn]; f != nil {
			return makesNew(f)
		}
		rest, ok := strings.CutPrefix(fn.Name(), "New")
		return ok && (rest == "" || rest[0] < 'a' || rest[0] > 'z')
	}
	return false
}

// refers reports whether a value of a type leads to a variable.
func refers(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Pointer, *types.Map, *types.Chan:
		return true
	}
	return false
}

// makesNew reports whether a function returns what it has made itself.
func makesNew(f *flow.Function) (found bool) {
	f.Each(func(instr ssa.Instruction) {
		if ret, ok := instr.(*ssa.Return); ok && len(ret.Results) > 0 {
			switch ret.Results[0].(type) {
			case *ssa.Alloc, *ssa.MakeMap, *ssa.MakeChan:
				found = true
			}
		}
	})
	return found
}
