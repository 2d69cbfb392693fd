// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package ecl

import "math/bits"

// A system is what the translation starts from: for each method the atoms that
// its beta vectors value, for each pair a formula over them.
type system struct {
	spec  *Spec
	atoms [][]atom // by method
	pairs []sysPair
}

type sysPair struct {
	m1, m2 int
	f      *node
}

// An atom is one component of a method's beta vector.
type atom struct {
	expr string // Go expression over the method's canonical names
	f    *node  // over the method's normalised atoms, before consolidation
}

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
	atoms uint32 // that it depends on
	index int    // as an atom of the consolidated system
}

// maxUnit bounds the atoms of one unit, for its table of truth.
const maxUnit = 12

// consolidate is the first simplification of A.3: where atoms are used only
// inside the same maximal subformulas, and these are fewer, the subformulas
// take the atoms' place. Subformulas that share atoms may not have all truths
// together; taking them apart then makes points that no call touches, and that
// keep others from being simplified. So it is done if need be only, not if careful.
func consolidate(y *system, careful bool) *system {
	units := make([]map[string]*unit, len(y.atoms))
	order := make([][]*unit, len(y.atoms))
	for m := range units {
		units[m] = map[string]*unit{}
	}
	find := func(m int, n *node) (*unit, bool) {
		key, set, negated := truth(n)
		if key == "" {
			return nil, negated
		}
		u := units[m][key]
		if u == nil {
			u = &unit{f: n, atoms: set, index: -1}
			units[m][key] = u
			order[m] = append(order[m], u)
			return u, false
		}
		_, _, first := truth(u.f)
		return u, negated != first
	}
	for _, p := range y.pairs {
		group(p.f, func(call int, n *node) *node {
			find([]int{p.m1, p.m2}[call-1], n)
			return n
		})
	}
	out := &system{spec: y.spec, atoms: make([][]atom, len(y.atoms))}
	for m := range y.atoms {
		out.atoms[m] = chooseAtoms(y.atoms[m], order[m], careful)
	}
	for _, p := range y.pairs {
		f := group(p.f, func(call int, n *node) *node {
			m := []int{p.m1, p.m2}[call-1]
			u, negated := find(m, n)
			if u == nil {
				if negated {
					return &node{op: opTrue}
				}
				return &node{op: opFalse}
			}
			r := &node{op: opAtom, call: call, atom: u.index}
			if u.index < 0 { // its atoms stay, under new numbers
				return renumber(u.f, call, out.atoms[m], negated)
			}
			if negated {
				r = not(r)
			}
			return r
		})
		out.pairs = append(out.pairs, sysPair{p.m1, p.m2, f})
	}
	return out
}

// chooseAtoms decides, for each set of units that share atoms, whether the
// units or the atoms become components of beta.
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
		set := bit
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
		var in []*unit
		for _, u := range units {
			if u.atoms&set != 0 {
				in = append(in, u)
			}
		}
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

// independent reports whether units can have all truths together, over the
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
			if u.f.eval(func(_, a int) bool { return v>>bits.OnesCount32(set&(1<<a-1))&1 != 0 },
				nil) {
				truths |= 1 << i
			}
		}
		seen[truths] = true
	}
	return len(seen) == 1<<len(units)
}

// renumber copies a formula over one call, its atoms looked up in their new places.
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
	for _, k := range n.kids {
		c.kids = append(c.kids, renumber(k, call, atoms, false))
	}
	return c
}

// group replaces the maximal subformulas over one call by f's answer. Parts of
// a conjunction or disjunction that belong to one call are taken together.
func group(n *node, f func(call int, n *node) *node) *node {
	switch set := n.calls(); {
	case set == 1 || set == 2:
		return f(set, n)
	case n.op == opNeq || len(n.kids) == 0:
		return n
	}
	c := &node{op: n.op}
	var own [3][]*node
	for _, k := range n.kids {
		if set := k.calls(); (set == 1 || set == 2) && (n.op == opAnd || n.op == opOr) {
			own[set] = append(own[set], k)
		} else {
			c.kids = append(c.kids, group(k, f))
		}
	}
	for call, ks := range own {
		switch len(ks) {
		case 0:
		case 1:
			c.kids = append(c.kids, f(call, ks[0]))
		default:
			c.kids = append(c.kids, f(call, &node{op: n.op, kids: ks}))
		}
	}
	return c
}

// truth returns a key under which equivalent formulas over one call and their
// negations are the same, the atoms that matter, and whether n is true where
// all atoms are false. The key of a constant is empty.
func truth(n *node) (key string, set uint32, atFalse bool) {
	var all uint32
	n.walk(func(k *node) {
		if k.op == opAtom {
			all |= 1 << k.atom
		}
	})
	var idx []int
	for i := range 32 {
		if all>>i&1 != 0 {
			idx = append(idx, i)
		}
	}
	val := func(v int) bool {
		return n.eval(func(_, i int) bool { return v>>bits.OnesCount32(all&(1<<i-1))&1 != 0 }, nil)
	}
	atFalse = val(0)
	if len(idx) > maxUnit {
		text := make([]string, 32)
		for i := range text {
			text[i] = string(rune('A' + i))
		}
		return n.goExpr(text, 0), all, false
	}
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
	k := make([]byte, 0, 1<<len(idx)+4)
	k = append(k, byte(set), byte(set>>8), byte(set>>16), byte(set>>24))
	for v := range 1 << len(idx) {
		skip := false // atoms that don't matter are left at false
		for b, i := range idx {
			skip = skip || v>>b&1 != 0 && set>>i&1 == 0
		}
		if !skip {
			if val(v) != atFalse {
				k = append(k, '1')
			} else {
				k = append(k, '0')
			}
		}
	}
	return string(k), set, atFalse
}
