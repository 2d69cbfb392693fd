// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package ecl

import "math/bits"

// A system is the input of the translation. For each method it has the atoms that are the bits of
// its beta, and for each pair a formula over them.
type system struct {
	spec  *Spec
	atoms [][]atom // by method
	pairs []sysPair
}

// A sysPair is a pair of methods, by index, and its formula.
type sysPair struct {
	m1, m2 int
	f      *node
}

// method is the index of the method of call 1 or 2.
func (p *sysPair) method(call int) int {
	if call == 1 {
		return p.m1
	}
	return p.m2
}

// An atom is one bit of a method's beta.
type atom struct {
	expr string // Go expression over the method's canonical names
	f    *node  // over the method's normalised atoms, before consolidation
}

// newSystem is the system of a spec before simplification: its atoms are those of the formulas.
func newSystem(s *Spec) *system {
	y := &system{spec: s}
	for _, m := range s.Methods {
		var as []atom
		for i, a := range m.atoms {
			as = append(as, atom{a, &node{op: opAtom, call: 1, atom: i}})
		}
		y.atoms = append(y.atoms, as)
	}
	for _, p := range s.Pairs {
		y.pairs = append(y.pairs, sysPair{p.M[0].Index, p.M[1].Index, p.f})
	}
	return y
}

// A unit is a maximal subformula over one call, up to equivalence and negation.
type unit struct {
	f     *node
	atoms uint32 // the set of atoms that it depends on
	index int    // as an atom of the consolidated system; -1 if its atoms stay
}

// The units are those of one method.
type units struct {
	byKey map[string]*unit // by the key of truth
	order []*unit          // in the order in which they were found
}

// find is the unit of n, which it makes at first use, and whether n is the negation of it. If n is
// constant there is no unit, and negated is its value.
func (us *units) find(n *node) (u *unit, negated bool) {
	key, set, atFalse := truth(n)
	if key == "" {
		return nil, atFalse
	}
	if u = us.byKey[key]; u == nil {
		u = &unit{f: n, atoms: set, index: -1}
		us.byKey[key] = u
		us.order = append(us.order, u)
		return u, false
	}
	_, _, first := truth(u.f)
	return u, atFalse != first
}

// maxUnit bounds the atoms of one unit, for its truth table.
const maxUnit = 12

// consolidate is the first simplification of A.3. Where atoms are used only inside the same maximal
// subformulas over one call, and these are fewer, the subformulas take the place of the atoms.
//
// Subformulas that share atoms may not have all combinations of truths. As atoms of their own they
// then make points that no call touches, which keep other points from being simplified. If careful
// is set, they stay as they are.
func consolidate(y *system, careful bool) *system {
	all := make([]units, len(y.atoms))
	for m := range all {
		all[m].byKey = map[string]*unit{}
	}
	// First collect the units of all pairs: which of them become atoms depends on all.
	for _, p := range y.pairs {
		group(p.f, func(call int, n *node) *node {
			all[p.method(call)].find(n)
			return n
		})
	}
	out := &system{spec: y.spec, atoms: make([][]atom, len(y.atoms))}
	for m := range y.atoms {
		out.atoms[m] = chooseAtoms(y.atoms[m], all[m].order, careful)
	}
	// Then rewrite the formulas over the atoms that were chosen.
	for _, p := range y.pairs {
		f := group(p.f, func(call int, n *node) *node {
			m := p.method(call)
			return all[m].replacement(n, call, out.atoms[m])
		})
		out.pairs = append(out.pairs, sysPair{p.m1, p.m2, f})
	}
	return out
}

// replacement is n, a maximal subformula over one call, over the atoms of the consolidated system.
func (us *units) replacement(n *node, call int, atoms []atom) *node {
	u, negated := us.find(n)
	switch {
	case u == nil && negated:
		return &node{op: opTrue}
	case u == nil:
		return &node{op: opFalse}
	case u.index < 0: // its atoms stay, under new numbers
		return renumber(u.f, call, atoms, negated)
	case negated:
		return not(&node{op: opAtom, call: call, atom: u.index})
	}
	return &node{op: opAtom, call: call, atom: u.index}
}

// chooseAtoms decides what the bits of a method's beta are. The units fall into classes: those that
// share atoms, directly or through others. For each class either the units become atoms, if they
// are fewer, or the atoms stay.
func chooseAtoms(atoms []atom, units []*unit, careful bool) (out []atom) {
	text := make([]string, len(atoms))
	for i, a := range atoms {
		text[i] = a.expr
	}
	done := uint32(0)
	for i := range atoms {
		bit := uint32(1) << i
		if done&bit != 0 {
			continue
		}
		set := bit // the atoms of the class of atom i: a fixed point
		for grown := true; grown; {
			grown = false
			for _, u := range units {
				if u.atoms&set != 0 && u.atoms&^set != 0 {
					set |= u.atoms
					grown = true
				}
			}
		}
		done |= set
		var in []*unit // the units of the class
		for _, u := range units {
			if u.atoms&set != 0 {
				in = append(in, u)
			}
		}
		// Fewer units than atoms make fewer points: two to the power of either. An atom of no unit
		// is in no formula any more, and goes without a replacement.
		if len(in) < bits.OnesCount32(set) && (!careful || independent(in, set)) {
			for _, u := range in {
				u.index = len(out)
				out = append(out, atom{u.f.goExpr(text, 0), u.f})
			}
			continue
		}
		for j := range atoms {
			if set>>j&1 != 0 {
				out = append(out, atoms[j])
			}
		}
	}
	return out
}

// independent reports whether units can have all combinations of truths, over all truths of the
// atoms in set.
func independent(units []*unit, set uint32) bool {
	if len(units) == 1 {
		return true
	}
	n := bits.OnesCount32(set)
	if n > maxUnit {
		return false
	}
	seen := map[uint32]bool{}
	for v := range 1 << n {
		var truths uint32
		for i, u := range units {
			// Bit k of v is the truth of the k-th atom in set.
			is := func(_, a int) bool { return v>>bits.OnesCount32(set&(1<<a-1))&1 != 0 }
			if u.f.eval(is, nil) {
				truths |= 1 << i
			}
		}
		seen[truths] = true
	}
	return len(seen) == 1<<len(units)
}

// renumber copies a formula over one call, with the new numbers of its atoms.
func renumber(n *node, call int, atoms []atom, negated bool) *node {
	if negated {
		return not(renumber(n, call, atoms, false))
	}
	c := &node{op: n.op, call: call}
	if n.op == opAtom {
		for i, a := range atoms {
			if a.f.op == opAtom && a.f.atom == n.atom {
				c.atom = i
			}
		}
	}
	for _, k := range n.operands {
		c.operands = append(c.operands, renumber(k, call, atoms, false))
	}
	return c
}

// group replaces each maximal subformula over one call by what f returns for it. Operands of one
// and, or of one or, that are about the same call are one subformula.
func group(n *node, f func(call int, n *node) *node) *node {
	switch set := n.calls(); {
	case set == 1 || set == 2:
		return f(set, n)
	case n.op == opNeq || len(n.operands) == 0:
		return n
	}
	c := &node{op: n.op}
	var own [3][]*node // by call: the operands about that call only
	for _, k := range n.operands {
		if set := k.calls(); (set == 1 || set == 2) && (n.op == opAnd || n.op == opOr) {
			own[set] = append(own[set], k)
		} else {
			c.operands = append(c.operands, group(k, f))
		}
	}
	for call, ks := range own {
		switch len(ks) {
		case 0:
		case 1:
			c.operands = append(c.operands, f(call, ks[0]))
		default:
			c.operands = append(c.operands, f(call, &node{op: n.op, operands: ks}))
		}
	}
	return c
}

// truth looks at a formula over one call. It returns a key that equivalent formulas and their
// negations have in common, and the set of the atoms that matter. The third result is whether n is
// true where all atoms are false. The key of a constant is empty.
//
// The key is the truth table over the atoms that matter. Beyond maxUnit atoms it is the text of the
// formula, so that equivalence may be missed; that costs points, and is not wrong.
func truth(n *node) (key string, set uint32, atFalse bool) {
	var all uint32
	n.walk(func(k *node) {
		if k.op == opAtom {
			all |= 1 << k.atom
		}
	})
	var idx []int // the atoms of n; bit b of a valuation is the truth of atom idx[b]
	for i := range 32 {
		if all>>i&1 != 0 {
			idx = append(idx, i)
		}
	}
	val := func(v int) bool {
		return n.eval(func(_, i int) bool { return v>>bits.OnesCount32(all&(1<<i-1))&1 != 0 }, nil)
	}
	atFalse = val(0)
	if len(idx) > maxUnit { // too many rows for a table
		text := make([]string, 32)
		for i := range text {
			text[i] = string(rune('A' + i))
		}
		return n.goExpr(text, 0), all, false
	}
	// An atom matters if to change its truth alone changes that of n in some row.
	for b, i := range idx {
		for v := range 1 << len(idx) {
			if val(v) != val(v^1<<b) {
				set |= 1 << i
				break
			}
		}
	}
	if set == 0 {
		return "", 0, atFalse
	}
	return tableKey(set, idx, func(v int) bool { return val(v) != atFalse }), set, atFalse
}

// tableKey is the set of atoms and the truth table over them, as bytes. Atoms of idx that are not
// in the set don't matter, and are left at false.
func tableKey(set uint32, idx []int, is func(v int) bool) string {
	k := make([]byte, 0, 1<<len(idx)+4)
	k = append(k, byte(set), byte(set>>8), byte(set>>16), byte(set>>24))
	for v := range 1 << len(idx) {
		skip := false
		for b, i := range idx {
			skip = skip || v>>b&1 != 0 && set>>i&1 == 0
		}
		switch {
		case skip:
		case is(v):
			k = append(k, '1')
		default:
			k = append(k, '0')
		}
	}
	return string(k)
}
