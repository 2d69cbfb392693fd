// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package checkact

import (
	"slices"

	"github.com/commutego/commute/ecl"
	"golang.org/x/tools/go/ssa"
)

// A made is a call that a function makes.
type made struct {
	Call
	instr  *ssa.Call
	object *term
	keys   []*term
}

// madeBy lists the calls of specified methods by a function, in the order of the source.
func (f *function) madeBy(calls Calls, role ecl.Role) (list []*made) {
	f.each(func(instr ssa.Instruction) {
		call, ok := instr.(*ssa.Call)
		if !ok {
			return
		}
		c, ok := calls[call.Pos()]
		if !ok || c.Role != role {
			return
		}
		m := &made{Call: c, instr: call}
		args := call.Call.Args
		if call.Call.IsInvoke() {
			m.object = f.term(call.Call.Value)
		} else if len(args) > 0 {
			m.object, args = f.term(args[0]), args[1:]
		}
		for _, k := range c.Keys {
			if k < len(args) {
				m.keys = append(m.keys, f.term(args[k]))
			}
		}
		if m.object != nil && len(m.keys) == len(c.Keys) {
			list = append(list, m)
		}
	})
	slices.SortFunc(list, func(a, b *made) int { return int(a.instr.Pos() - b.instr.Pos()) })
	return list
}

// callPairs finds the pairs of calls of which the check is made by f. There is none where another
// check that the act depends on, or another act, always comes between: what is done then is the
// other's business.
func (f *function) callPairs(calls Calls) (pairs []Pair) {
	for _, p := range f.madePairs(calls) {
		pairs = append(pairs, Pair{p.check.Point, p.act.Point})
	}
	return pairs
}

func (f *function) madePairs(calls Calls) (pairs []madePair) {
	if len(calls) == 0 {
		return nil
	}
	checks := f.madeBy(calls, ecl.Observer)
	if len(checks) == 0 {
		return nil
	}
	acts := f.madeBy(calls, ecl.Mutator)
	slicesOf := make([]*slice, len(checks))
	for _, act := range acts {
		var found []*made
		by := make(map[*made]*slice)
		for i, check := range checks {
			if !same(check, act) {
				continue
			}
			if slicesOf[i] == nil {
				slicesOf[i] = f.sliceFrom(check.instr, f.called(check.instr))
			}
			if slicesOf[i].acts(act.instr) && f.still(check, act) {
				found = append(found, check)
				by[check] = slicesOf[i]
			}
		}
		for _, check := range found {
			between := func(m *made) bool { return same(m, act) && f.between(check.instr, m.instr, act.instr) }
			if !slices.ContainsFunc(found, between) && !slices.ContainsFunc(acts, between) {
				pairs = append(pairs, madePair{check, act, f, by[check]})
			}
		}
	}
	for _, check := range checks {
		pairs = append(pairs, f.inCallback(check, calls)...)
	}
	return pairs
}

// same reports whether two calls are of one object and, if both have keys, for one key, as far as
// the terms say.
func same(check, act *made) bool {
	if check.object.text != act.object.text {
		return false
	}
	if len(check.keys) == 0 || len(act.keys) == 0 {
		return true
	}
	return slices.EqualFunc(check.keys, act.keys, func(a, b *term) bool { return a.text == b.text })
}

// still reports whether the terms, which are the same for both, can have their values yet when the
// act comes.
func (f *function) still(check, act *made) bool {
	t := &term{reads: check.object.reads, leaves: check.object.leaves}
	if len(act.keys) > 0 {
		for _, k := range check.keys {
			t.reads = append(slices.Clone(t.reads), k.reads...)
			t.leaves = append(slices.Clone(t.leaves), k.leaves...)
		}
	}
	return f.lasting(t, check.instr, act.instr)
}

// between reports whether one instruction is always followed by another before a third.
func (f *function) between(first, second, third ssa.Instruction) bool {
	return first != second && f.reaches(first, third, nil) &&
		!f.reaches(first, third, func(instr ssa.Instruction) bool { return instr == second })
}

// acts reports whether a call depends on the slice's beginning.
func (s *slice) acts(call *ssa.Call) bool {
	if s.decided(call.Block()) {
		return true
	}
	args := call.Call.Args
	if call.Call.Signature().Recv() != nil && !call.Call.IsInvoke() {
		args = args[1:] // not the receiver
	}
	for _, arg := range args {
		if s.carries(arg, call) {
			return true
		}
	}
	return false
}

// callback is the literal that a call is given, if there is one.
func (f *function) callback(call *ssa.Call) (*function, *ssa.MakeClosure) {
	for _, arg := range call.Call.Args {
		if t, ok := arg.(*ssa.ChangeType); ok {
			arg = t.X
		}
		switch fn := arg.(type) {
		case *ssa.MakeClosure:
			return f.of[fn.Fn.(*ssa.Function)], fn
		case *ssa.Function:
			if fn.Parent() == f.Function {
				return f.of[fn], nil
			}
		}
	}
	return nil, nil
}

// called lists the variables of f, by the terms of their addresses, that the callback of a check
// writes to: what they are then depends on how often it was called, if on nothing else.
func (f *function) called(call *ssa.Call) (written []string) {
	lit, _ := f.callback(call)
	if lit == nil {
		return nil
	}
	lit.each(func(instr ssa.Instruction) {
		switch instr := instr.(type) {
		case *ssa.Store:
			if local(instr.Addr) {
				written = append(written, f.term(instr.Addr).text)
			}
		case *ssa.MapUpdate:
			written = append(written, contents(f.term(instr.Map).text))
		}
	})
	return written
}

// inCallback finds acts in the callback of a check that depend on what it is called with.
func (f *function) inCallback(check *made, calls Calls) (pairs []madePair) {
	lit, _ := f.callback(check.instr)
	if lit == nil {
		return nil
	}
	s := lit.newSlice()
	for _, p := range lit.Params {
		s.values[p] = true
	}
	s.grow()
	for _, act := range lit.madeBy(calls, ecl.Mutator) {
		if (len(check.keys) == 0 || len(act.keys) == 0) && check.object.text == act.object.text &&
			s.acts(act.instr) {
			value := lit.newSlice()
			if n := len(lit.Params); n > 1 {
				value.values[lit.Params[n-1]] = true
			}
			value.grow()
			pairs = append(pairs, madePair{check, act, lit, value})
		}
	}
	return pairs
}
