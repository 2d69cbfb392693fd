// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"go/token"
	"go/types"
	"slices"

	"github.com/commutego/commute/internal/engine/compiled"
	"golang.org/x/tools/go/ssa"
)

// A linkedPair is of two variables that belong together: see compiled.Shape.Linked. Its makers
// change both, its users read both.
type linkedPair struct {
	check, act *event
	shape      compiled.Shape
}

// linked lists the linked pairs of the package's functions. A pair of makers that has no users, or
// of users without makers, is none.
func (p *program) linked() map[*function][]linkedPair {
	all := make(map[*function][]linkedPair)
	p.link(all, (*function).halfMakers, (*function).halfUsers)
	p.link(all, (*function).entryMakers, (*function).entryUsers)
	p.link(all, (*function).tornMakers, (*function).tornUsers)
	return all
}

// link adds the pairs of makers that have users, and those of their users.
func (p *program) link(all map[*function][]linkedPair, makers, users func(*function) []linkedPair) {
	type key struct{ check, act string }
	made, used := make(map[key]bool), make(map[key]bool)
	keyOf := func(l linkedPair) key { return key{l.check.name.full(), l.act.name.full()} }
	var list []*function
	for _, f := range p.functions {
		if f.node() == nil {
			continue
		}
		list = append(list, f)
		for _, l := range makers(f) {
			made[keyOf(l)] = true
		}
	}
	if len(made) == 0 {
		return
	}
	for _, f := range list {
		for _, l := range users(f) {
			if made[keyOf(l)] {
				used[keyOf(l)] = true
				all[f] = append(all[f], l)
			}
		}
	}
	for _, f := range list {
		for _, l := range makers(f) {
			if used[keyOf(l)] {
				all[f] = append(all[f], l)
			}
		}
	}
}

// halfMakers are the pairs of a function that finds a pointer nil, sets a flag in the same section,
// and sets the pointer in a later one. The flag stays as it is.
func (f *function) halfMakers() (list []linkedPair) {
	for _, p := range f.pairs() {
		if p.isAtomic() || p.act.op != compiled.WriteVar || !p.act.setsPointer() || !p.findsNil() ||
			!p.act.express().ok || f.defersMore() {
			continue
		}
		for _, m := range f.summary() {
			if m.setsFlag() && m.express().ok && (f.section(p.check, m) || f.section(m, p.check)) &&
				f.Reaches(m.at, p.act.at, nil) && f.stays(m, p.act) {
				if _, outer, apart := f.apart(m, p.act); apart && !outer {
					list = append(list, linkedPair{m, p.act, compiled.HalfSeen})
				}
			}
		}
	}
	return list
}

// findsNil reports whether the act of a pair is only made if its check has found nil.
func (p *pair) findsNil() (found bool) {
	v, ok := p.check.instr.(ssa.Value)
	if !ok || p.check.from != nil {
		return false
	}
	p.f.Each(func(instr ssa.Instruction) {
		branch, ok := instr.(*ssa.If)
		if !ok {
			return
		}
		cond, ok := branch.Cond.(*ssa.BinOp)
		if !ok || !(cond.X == v && isNil(cond.Y) || cond.Y == v && isNil(cond.X)) {
			return
		}
		way := branch.Block().Succs[0]
		switch cond.Op {
		case token.NEQ:
			way = branch.Block().Succs[1]
		case token.EQL:
		default:
			return
		}
		found = found || len(way.Preds) == 1 && way.Dominates(p.act.at.Block())
	})
	return found
}

// setsPointer reports whether a write stores something else than nil in a variable that may be nil.
func (e *event) setsPointer() bool {
	return e.stored != nil && mayBeNil(e.stored.Type()) && e.kind() != nilValue
}

func mayBeNil(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Pointer, *types.Map, *types.Chan, *types.Signature, *types.Interface:
		return true
	}
	return false
}

// setsFlag reports whether a write sets a flag, under a lock.
func (e *event) setsFlag() bool {
	if e.op != compiled.WriteVar || e.atomic != compiled.NotAtomic || len(e.locks) == 0 ||
		e.whole || e.stored == nil {
		return false
	}
	c, ok := e.stored.(*ssa.Const)
	return ok && c.Value != nil && c.Value.ExactString() == "true"
}

// stays reports whether a flag that a function sets is as it was set when the function acts, and
// later.
func (f *function) stays(set, act *event) bool {
	return !slices.ContainsFunc(f.summary(), func(w *event) bool {
		return w != set && w.isWrite() && w.name.full() == set.name.full() &&
			(w.at == set.at || w.at == act.at || f.Reaches(act.at, w.at, nil) ||
				f.Reaches(set.at, w.at, nil) && f.Reaches(w.at, act.at, nil))
	})
}

// defersMore reports whether a function defers more than letting go of locks.
func (f *function) defersMore() (found bool) {
	f.Each(func(instr ssa.Instruction) {
		if d, ok := instr.(*ssa.Defer); ok && len(f.deferredOps(d)) == 0 {
			found = true
		}
	})
	return found
}

// halfUsers are the pairs of a function that uses what a pointer leads to, because a flag is set.
// It does not look whether the pointer is set.
func (f *function) halfUsers() (list []linkedPair) {
	var reads []*event
	for _, e := range f.summary() {
		if e.op == compiled.ReadVar && e.atomic == compiled.NotAtomic && len(e.locks) > 0 &&
			!e.whole {
			reads = append(reads, e)
		}
	}
	for _, x := range reads {
		v, ok := x.instr.(ssa.Value)
		if x.from != nil || !ok || !mayBeNil(v.Type()) || !usedBlindly(v, 0) || !x.express().ok {
			continue
		}
		for _, q := range reads {
			if q != x && isBool(q) && q.express().ok && x.affected(q.slices()[0]).made &&
				!q.held(x) && !slices.ContainsFunc(reads, x.isLookedAt) {
				list = append(list, linkedPair{q, x, compiled.HalfSeen})
			}
		}
	}
	return list
}

// isLookedAt reports whether another read of the same variable decides whether a read is made.
func (e *event) isLookedAt(other *event) bool {
	return other != e && other.name.full() == e.name.full() &&
		e.affected(other.slices()[0]).made
}

// held reports whether a lock is held from a read to another one that the first one's section has
// not: it may be the one that makers hold all the while.
func (e *event) held(other *event) bool {
	_, outer, _ := e.f.apart(e, other)
	return outer && !e.f.section(e, other)
}

func isBool(e *event) bool {
	v, ok := e.instr.(ssa.Value)
	if !ok {
		return false
	}
	b, ok := v.Type().Underlying().(*types.Basic)
	return ok && b.Info()&types.IsBoolean != 0
}

// usedBlindly reports whether all that is done with a pointer needs one that is not nil.
func usedBlindly(v ssa.Value, depth int) bool {
	used := false
	for _, use := range *v.Referrers() {
		switch use := use.(type) {
		case *ssa.DebugRef:
			continue
		case *ssa.FieldAddr:
		case *ssa.UnOp:
			if use.Op != token.MUL {
				return false
			}
		case *ssa.MapUpdate:
			if use.Map != v {
				return false
			}
		case *ssa.Call:
			if !calledOn(&use.Call, v, depth) {
				return false
			}
		default:
			return false
		}
		used = true
	}
	return used
}

// calledOn reports whether a value is called, or is the receiver of a call: of a method of an
// interface, or of one in this package that does nothing else with it either.
func calledOn(call *ssa.CallCommon, v ssa.Value, depth int) bool {
	if slices.Contains(call.Args[min(len(call.Args), 1):], v) {
		return false
	}
	if call.Value == v {
		return true
	}
	fn := call.StaticCallee()
	return fn != nil && fn.Signature.Recv() != nil && call.Args[0] == v &&
		len(fn.Blocks) > 0 && depth < 3 && usedBlindly(fn.Params[0], depth+1)
}
