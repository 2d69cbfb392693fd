// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package checkact

import (
	"slices"

	"github.com/commutego/commute/analyzer/internal/flow"
	"github.com/commutego/commute/ecl"
	"golang.org/x/tools/go/ssa"
)

// A methodCall is a call of a specified method in the SSA form of a function, or a call that leads
// to one.
type methodCall struct {
	Call
	instr  *ssa.Call
	object *flow.Term
	keys   []*flow.Term

	through *methodCall // the call that the callee makes, nil if the method itself is called
	// For callers, of a check: which results depend on it. Of an act: which parameters it depends
	// on.
	results, args []bool
}

// loose reports whether the object or a key of a call with equal terms may be another.
func (m *methodCall) loose() bool {
	return m.object.Loose ||
		slices.ContainsFunc(m.keys, func(k *flow.Term) bool { return k.Loose })
}

// methodCalls lists the calls of specified methods with a role by a function, and those through
// functions of the package, in the order of the source.
func (f *function) methodCalls(calls Calls, role ecl.Role) (list []*methodCall) {
	f.Each(func(instr ssa.Instruction) {
		call, ok := instr.(*ssa.Call)
		if !ok {
			return
		}
		c, ok := calls[call.Pos()]
		if !ok {
			list = append(list, f.throughCall(call, calls, role)...)
			return
		}
		if c.Role != role {
			return
		}
		m := &methodCall{Call: c, instr: call}
		args := call.Call.Args
		if call.Call.IsInvoke() {
			m.object = f.Term(call.Call.Value)
		} else if len(args) > 0 {
			m.object, args = f.Term(args[0]), args[1:]
		}
		for _, k := range c.Keys {
			if k < len(args) {
				m.keys = append(m.keys, f.Term(args[k]))
			}
		}
		if m.object != nil && len(m.keys) == len(c.Keys) {
			list = append(list, m)
		}
	})
	slices.SortFunc(list, func(a, b *methodCall) int { return int(a.instr.Pos() - b.instr.Pos()) })
	return list
}

// callPairs finds the pairs of calls of which the check is made by f.
func (f *function) callPairs(calls Calls) (pairs []Pair) {
	for _, p := range f.ssaPairs(calls) {
		through := p.check.through != nil || p.act.through != nil
		pair := Pair{p.check.Point, p.act.Point, through}
		if !slices.Contains(pairs, pair) {
			pairs = append(pairs, pair)
		}
	}
	return pairs
}

// ssaPairs finds the pairs of calls whose check is in f. A check doesn't count if another check on
// which the act depends always comes between: double-checked locking. Nor does it if another act
// always comes between, which may have claimed what was checked.
func (f *function) ssaPairs(calls Calls) (pairs []ssaPair) {
	if len(calls) == 0 {
		return nil
	}
	checks := f.methodCalls(calls, ecl.Observer)
	if len(checks) == 0 {
		return nil
	}
	acts := f.methodCalls(calls, ecl.Mutator)
	slicesOf := make([]flowing, len(checks))
	for _, act := range acts {
		var found []*methodCall
		by := make(map[*methodCall]*flow.Slice)
		for i, check := range checks {
			through := check.through != nil || act.through != nil
			if !same(check, act) || through && !throughPair(check, act) {
				continue
			}
			if slicesOf[i].Slice == nil {
				slicesOf[i] = f.sliceFrom(check)
			}
			if slicesOf[i].affects(act) && f.sameValues(check, act) {
				found = append(found, check)
				by[check] = slicesOf[i].Slice
			}
		}
		for _, check := range found {
			separates := func(m *methodCall) bool {
				return same(m, act) && f.AlwaysBetween(check.instr, m.instr, act.instr)
			}
			if !slices.ContainsFunc(found, separates) &&
				!slices.ContainsFunc(acts, separates) {
				pairs = append(pairs, ssaPair{check, act, f, by[check]})
			}
		}
	}
	for _, check := range checks {
		pairs = append(pairs, f.inCallback(check, calls)...)
	}
	return pairs
}

// same reports whether two calls have one object and, if both have keys, one key, by their terms.
func same(check, act *methodCall) bool {
	if check.object.Text != act.object.Text {
		return false
	}
	if len(check.keys) == 0 || len(act.keys) == 0 {
		return true
	}
	return slices.EqualFunc(check.keys, act.keys,
		func(a, b *flow.Term) bool { return a.Text == b.Text })
}

// sameValues reports whether the object and the keys can have the same values at the act as at the
// check. Their terms are the same for both calls.
func (f *function) sameValues(check, act *methodCall) bool {
	t := &flow.Term{Reads: check.object.Reads, Leaves: check.object.Leaves}
	if len(act.keys) > 0 {
		for _, k := range check.keys {
			t.Reads = append(slices.Clone(t.Reads), k.Reads...)
			t.Leaves = append(slices.Clone(t.Leaves), k.Leaves...)
		}
	}
	return f.Unchanged(t, check.instr, act.instr)
}

// callback is the function literal among the arguments of a call, if there is one.
func (f *function) callback(call *ssa.Call) (*function, *ssa.MakeClosure) {
	for _, arg := range call.Call.Args {
		if t, ok := arg.(*ssa.ChangeType); ok {
			arg = t.X
		}
		switch fn := arg.(type) {
		case *ssa.MakeClosure:
			return f.in.of[fn.Fn.(*ssa.Function)], fn
		case *ssa.Function:
			if fn.Parent() == f.Function.Function {
				return f.in.of[fn], nil
			}
		}
	}
	return nil, nil
}

// callbackWrites lists the addresses of variables of f that the callback of a check writes. Their
// values depend on the check at least by how often it has called the literal.
func (f *function) callbackWrites(call *ssa.Call) (written []string) {
	lit, _ := f.callback(call)
	if lit == nil {
		return nil
	}
	lit.Each(func(instr ssa.Instruction) {
		switch instr := instr.(type) {
		case *ssa.Store:
			if flow.Local(instr.Addr) {
				written = append(written, f.Term(instr.Addr).Text)
			}
		case *ssa.MapUpdate:
			written = append(written, flow.Contents(f.Term(instr.Map).Text))
		}
	})
	return written
}

// inCallback finds acts in the callback of a check that depend on the callback's arguments. The
// slice of the pair is that of the last one, the value: see linter.combined.
func (f *function) inCallback(check *methodCall, calls Calls) (pairs []ssaPair) {
	lit, _ := f.callback(check.instr)
	if lit == nil || check.through != nil {
		return nil
	}
	s := lit.NewSlice()
	for _, p := range lit.Params {
		s.Values[p] = true
	}
	s.Grow()
	for _, act := range lit.methodCalls(calls, ecl.Mutator) {
		if act.through != nil {
			continue
		}
		if (len(check.keys) == 0 || len(act.keys) == 0) && check.object.Text == act.object.Text &&
			s.AffectsCall(act.instr) {
			value := lit.NewSlice()
			if n := len(lit.Params); n > 1 {
				value.Values[lit.Params[n-1]] = true
			}
			value.Grow()
			pairs = append(pairs, ssaPair{check, act, lit, value})
		}
	}
	return pairs
}
