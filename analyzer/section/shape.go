// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"go/types"

	"github.com/commutego/commute/internal/engine/compiled"
	"golang.org/x/tools/go/ssa"
)

// shape says what the check and the act of a pair can do together.
func (p *pair) shape() compiled.Shape {
	switch {
	case p.small:
		return compiled.Computed
	case p.isAtomic():
		return p.atomicShape()
	}
	check, act := p.check, p.act
	counts := check.op == compiled.Len || check.op == compiled.ReadAll || check.isLength()
	switch {
	case act.op == compiled.Delete || act.op == compiled.WriteAll:
		return compiled.DeletedAfter
	case p.data && !counts:
		return compiled.LostUpdate
	case act.op == compiled.UpdateVar || act.op == compiled.Update:
		return compiled.Exceeded
	case counts:
		return compiled.Exceeded
	case act.op == compiled.WriteInner:
		return compiled.DeletedAfter
	}
	switch act.kind() {
	case nilValue:
		return compiled.DeletedAfter
	case constant:
		if act.op == compiled.WriteVar {
			return compiled.FlagSet
		}
	case identity:
		return compiled.Created
	}
	if p.claimsWork() {
		return compiled.FlagSet
	}
	return p.registered()
}

// registered is the shape of a pair of which the values say little.
func (p *pair) registered() compiled.Shape {
	if p.registers() {
		return compiled.Registered
	}
	return compiled.Computed
}

// A kind says what a write stores.
type kind uint8

// The kinds.
const (
	other    kind = iota
	constant      // but nil
	nilValue
	identity // two such values can be told apart though they are made alike
)

// kind says what a write stores.
func (s *site) kind() kind {
	switch {
	case s.remote != nil:
		return s.told.Kind
	case s.stored == nil:
		return other
	case isNil(s.stored):
		return nilValue
	case hasIdentity(s.stored.Type(), 0):
		return identity
	}
	if _, ok := s.stored.(*ssa.Const); ok {
		return constant
	}
	return other
}

// claimsWork reports whether the act stores a constant, and then the function does something that
// others notice, if its check has found nothing: two goroutines do it twice. What is done before
// the act may be repeated, as in a cache of what was validated. So what a loop does after its next
// check doesn't count.
func (p *pair) claimsWork() (found bool) {
	if p.act.op != compiled.Insert || p.act.kind() != constant && !p.act.storesConstant() {
		return false
	}
	byCheck := p.check.slices()[0]
	isCheck := func(instr ssa.Instruction) bool { return instr == p.check.at }
	p.f.Each(func(instr ssa.Instruction) {
		found = found || instr != p.act.at && byCheck.Controlled(instr.Block()) &&
			p.f.hasEffect(instr, 0) && p.f.Reaches(p.act.at, instr, isCheck)
	})
	return found
}

// storesConstant reports whether a write stores a constant that its function is called with.
func (e *event) storesConstant() bool {
	c, ok := e.given().(*ssa.Const)
	return ok && !c.IsNil()
}

// isLength reports whether a slice is read for its length.
func (s *site) isLength() bool {
	if s.remote != nil {
		return s.told.Length
	}
	v, ok := s.instr.(ssa.Value)
	if !ok || s.op != compiled.ReadVar {
		return false
	}
	if _, ok := v.Type().Underlying().(*types.Slice); !ok {
		return false
	}
	for _, use := range *v.Referrers() {
		if call, ok := use.(*ssa.Call); ok {
			if b, ok := call.Call.Value.(*ssa.Builtin); ok && b.Name() == "len" {
				return true
			}
		}
	}
	return false
}

func isNil(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	return ok && c.IsNil()
}

// hasIdentity reports whether two values of a type can be told apart though they are made alike.
func hasIdentity(t types.Type, depth int) bool {
	if depth > 5 {
		return true
	}
	switch t := t.Underlying().(type) {
	case *types.Basic:
		return false
	case *types.Struct:
		for field := range t.Fields() {
			if hasIdentity(field.Type(), depth+1) {
				return true
			}
		}
		return false
	case *types.Array:
		return hasIdentity(t.Elem(), depth+1)
	}
	return true
}

// fill reports whether the act stores a plain value that is made of its key alone, and its section
// writes nothing else.
func (p *pair) fill() bool {
	act := p.act
	if act.op != compiled.Insert || act.stored == nil || act.remote != nil || p.data ||
		hasIdentity(act.stored.Type(), 0) || p.registers() || p.claimsWork() {
		return false
	}
	own := act // in the function that makes it
	for own.from != nil {
		own = own.from
	}
	for _, w := range own.f.summary() {
		if w != own && w.isWrite() && (own.f.section(w, own) || own.f.section(own, w)) {
			return false
		}
	}
	return act.from == nil && p.f.madeOf(act.stored, act.key, 0)
}

// madeOf reports whether a value is computed from another one and constants, by functions that
// can't reach variables.
func (f *function) madeOf(v, key ssa.Value, depth int) bool {
	if v == key || f.Term(v).Text == f.Term(key).Text {
		return true
	}
	if depth > 10 {
		return false
	}
	switch v := v.(type) {
	case *ssa.Const:
		return true
	case *ssa.BinOp:
		return f.madeOf(v.X, key, depth+1) && f.madeOf(v.Y, key, depth+1)
	case *ssa.Convert:
		return f.madeOf(v.X, key, depth+1)
	case *ssa.ChangeType:
		return f.madeOf(v.X, key, depth+1)
	case *ssa.Extract:
		return f.madeOf(v.Tuple, key, depth+1)
	case *ssa.Call:
		if v.Call.StaticCallee() == nil {
			return false
		}
		for _, arg := range v.Call.Args {
			if !inert(arg.Type(), 0) || !f.madeOf(arg, key, depth+1) {
				return false
			}
		}
		return true
	}
	return false
}

// always reports whether an act is made whatever a read of its point has seen.
func (e *event) always() bool {
	if e.told != nil {
		return e.told.Always
	}
	for _, r := range e.f.summary() {
		if !r.isWrite() && !r.whole && r.at != e.at && r.samePoint(e) &&
			e.affected(r.slices()[0]).made {
			return false
		}
	}
	return e.from == nil || e.from.always()
}
