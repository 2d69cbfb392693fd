// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	exact "go/constant"
	"go/token"
	"slices"

	"github.com/commutego/commute/internal/engine/compiled"
	"golang.org/x/tools/go/ssa"
)

// A first value is what a function writes where its check has found nothing to compute from:
//
//	if n, ok := t.get(k); ok {
//		t.put(k, n+1)
//	} else {
//		t.put(k, 1)
//	}
//
// The act depends on the check as the update beside it does: of two goroutines that write the first
// value, one should have made an update. So one of the two is lost, even if both write the same.

// findFirst marks the candidates that write a first value as those whose value depends on data.
func findFirst(found [][]*pair) {
	for _, list := range found {
		for _, p := range list {
			if op := p.act.op; op == compiled.Insert || op == compiled.WriteVar {
				p.first = !p.data && p.how.made && p.updatedElse(found)
			}
		}
	}
	for _, list := range found {
		for _, p := range list {
			p.data = p.data || p.first
		}
	}
}

// updatedElse reports whether one of the candidates found is an update that the function makes in
// place of p's act, wherever the check sees what that act has written.
func (p *pair) updatedElse(found [][]*pair) bool {
	for _, list := range found {
		for _, q := range list {
			if q.data && !q.first && q.act.samePoint(p.act) && q.act.keyed == p.act.keyed &&
				q.act.surely() && !q.writesBack() && p.chosen(q) {
				return true
			}
		}
	}
	return false
}

// writesBack reports whether the act may write just what the check has seen, which loses nothing.
func (p *pair) writesBack() bool {
	if p.act.from == nil {
		return p.act.stored != nil && p.check.gives(p.act.stored, itsValue)
	}
	return slices.ContainsFunc(p.act.at.(*ssa.Call).Call.Args, func(arg ssa.Value) bool {
		return p.check.gives(arg, itsValue)
	})
}

// surely reports whether the functions that an event's function calls for a write make it, whatever
// they get and whatever they see at its point.
func (e *event) surely() bool {
	return e.from == nil || e.from.deps().made == 0 && e.from.always()
}

// chosen reports whether a branch chooses between the acts of p and of q, and would choose that of
// q if the check had seen what p's act writes.
func (p *pair) chosen(q *pair) bool {
	update := q.act.at
	for _, b := range p.f.Blocks {
		branch, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
		if !ok {
			continue
		}
		truth, known := p.afterAct(branch.Cond)
		if !known {
			continue
		}
		to, other := b.Succs[0], b.Succs[1]
		if !truth {
			to, other = other, to
		}
		if to == other || len(other.Preds) != 1 || !other.Dominates(p.act.at.Block()) {
			continue
		}
		ends := p.f.ReachesAny(branch, func(instr ssa.Instruction) bool {
			_, ret := instr.(*ssa.Return)
			return ret || instr == p.check.at
		}, func(instr ssa.Instruction) bool {
			return instr == update || instr == other.Instrs[0]
		})
		if !ends && p.f.Reaches(branch, update, nil) {
			return true
		}
	}
	return false
}

// afterAct is what a condition is if the check sees what the act has written.
func (p *pair) afterAct(cond ssa.Value) (truth, known bool) {
	switch cond := cond.(type) {
	case *ssa.UnOp:
		if cond.Op == token.NOT {
			truth, known = p.afterAct(cond.X)
			return !truth, known
		}
	case *ssa.BinOp:
		return p.compared(cond)
	}
	return true, p.act.op == compiled.Insert && p.check.op == compiled.Lookup &&
		p.check.gives(cond, presence)
}

// compared is afterAct for a comparison of what the check has seen with a constant.
func (p *pair) compared(cond *ssa.BinOp) (truth, known bool) {
	limit, ok := cond.Y.(*ssa.Const)
	wrote, isConst := p.act.given().(*ssa.Const)
	if !ok || !isConst || limit.Value == nil || wrote.Value == nil ||
		!p.check.gives(cond.X, itsValue) || limit.Value.Kind() != wrote.Value.Kind() {
		return false, false
	}
	switch cond.Op {
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
		return exact.Compare(wrote.Value, cond.Op, limit.Value), true
	}
	return false, false
}

// What a lookup gives.
const (
	itsValue = iota
	presence // whether the key is there
)

// gives reports whether a value of the event's function is what a read has seen, or whether it has
// seen something: the functions in between return that.
func (e *event) gives(v ssa.Value, part int) bool {
	v = e.f.onlyValue(v)
	if e.from == nil {
		if l, ok := e.instr.(*ssa.Lookup); ok && l.CommaOk {
			x, ok := v.(*ssa.Extract)
			return ok && x.Tuple == l && x.Index == part
		}
		read, ok := e.instr.(ssa.Value)
		return ok && part == itsValue && v == read
	}
	call, ok := e.at.(*ssa.Call)
	if !ok || e.via.literal {
		return false
	}
	if x, ok := v.(*ssa.Extract); ok && x.Tuple == call {
		return e.from.returned(x.Index, part)
	}
	return v == call && e.from.returned(0, part)
}

// returned reports whether the event's function returns, as one of its results, what gives says.
func (e *event) returned(result, part int) bool {
	if e.told != nil {
		return e.told.Gives[part]>>result&1 != 0
	}
	some, all := false, true
	e.f.Each(func(instr ssa.Instruction) {
		if ret, ok := instr.(*ssa.Return); ok && e.f.Reaches(e.at, ret, nil) {
			some, all = true, all && e.gives(ret.Results[result], part)
		}
	})
	return some && all
}

// returns is returned for all results of a read, a bit for each.
func (e *event) returns(part int) (results int) {
	for i := range min(e.f.Signature.Results().Len(), 31) {
		if e.returned(i, part) {
			results |= 1 << i
		}
	}
	return results
}

// onlyValue is the one value that is stored to the local variable that v is loaded from, or else v.
func (f *function) onlyValue(v ssa.Value) ssa.Value {
	load, ok := v.(*ssa.UnOp)
	if !ok || load.Op != token.MUL {
		return v
	}
	local, ok := load.X.(*ssa.Alloc)
	if !ok {
		return v
	}
	var stored ssa.Value
	for _, use := range *local.Referrers() {
		switch use := use.(type) {
		case *ssa.DebugRef, *ssa.UnOp:
		case *ssa.Store:
			if use.Addr != local || stored != nil {
				return v
			}
			stored = use.Val
		default:
			return v
		}
	}
	if stored == nil {
		return v
	}
	return stored
}
