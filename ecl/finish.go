// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package ecl

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strings"
)

// maxKeys is how many values of one call may name points: the engine has room for as many.
const maxKeys = 4

// finish drops the atoms that no touch depends on any more, lists each method's keys, orders the
// points and names them.
func finish(t *Table) (*Table, error) {
	for _, m := range t.Methods {
		m.dropAtoms()
		if err := m.setKeys(); err != nil {
			return nil, err
		}
		m.Atoms = nil
		for _, a := range m.atoms {
			m.Atoms = append(m.Atoms, a.expr)
		}
	}
	t = t.ordered()
	for _, m := range t.Methods {
		for _, touch := range m.Touch {
			slices.SortFunc(touch,
				func(a, b Touch) int { return cmp.Or(a.Point-b.Point, a.Arg-b.Arg) })
		}
	}
	t.name()
	return t, nil
}

// setKeys lists the variables by whose values a call of m touches keyed points.
func (m *TableMethod) setKeys() error {
	for _, touch := range m.Touch {
		for _, u := range touch {
			if u.Arg >= 0 && !slices.Contains(m.Keys, u.Arg) {
				m.Keys = append(m.Keys, u.Arg)
			}
		}
	}
	slices.Sort(m.Keys)
	if len(m.Keys) > maxKeys {
		return errorf(m.Pos, "use fewer disequalities",
			"%s has %d values that are compared with other calls', more than %d",
			m.Name, len(m.Keys), maxKeys)
	}
	return nil
}

// ordered is t with its points in the order in which people see them: keyed ones first, and of
// those the ones that reads touch.
func (t *Table) ordered() *Table {
	order := make([]int, len(t.Points))
	for i := range order {
		order[i] = i
	}
	rank := func(i int) int {
		switch {
		case t.Points[i].Keyed && t.readers(i) && !t.Conflict(i, i):
			return 0 // r:k
		case t.Points[i].Keyed:
			return 1 // w:k
		case len(t.always(i)) > 0:
			return 2 // size
		}
		return 3 // resize, and other points that are touched under a condition
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(rank(a), rank(b)) })
	class := make([]int, len(order))
	points := make([]Point, len(order))
	for to, from := range order {
		class[from], points[to] = to, t.Points[from]
	}
	return quotient(t, points, class)
}

// dropAtoms removes the atoms on which m's touches do not depend: the method need not compute them.
func (m *TableMethod) dropAtoms() {
	// From the highest bit, so that the numbers of those still to come don't change.
	for b := len(m.atoms) - 1; b >= 0; b-- {
		same := true
		for beta := range m.Touch {
			same = same && slices.Equal(m.Touch[beta], m.Touch[beta^1<<b])
		}
		if !same {
			continue
		}
		var touch [][]Touch
		for beta := range m.Touch {
			if beta>>b&1 == 0 {
				touch = append(touch, m.Touch[beta])
			}
		}
		m.Touch = touch
		m.atoms = slices.Delete(slices.Clone(m.atoms), b, b+1)
	}
}

// touchers returns the methods that touch point i under some beta.
func (t *Table) touchers(i int) (ms []*TableMethod) {
	for _, m := range t.Methods {
		for _, touch := range m.Touch {
			if slices.ContainsFunc(touch, func(u Touch) bool { return u.Point == i }) {
				ms = append(ms, m)
				break
			}
		}
	}
	return ms
}

// always returns the methods that touch point i under every beta.
func (t *Table) always(i int) (ms []*TableMethod) {
	for _, m := range t.touchers(i) {
		if !slices.ContainsFunc(m.Touch, func(touch []Touch) bool {
			return !slices.ContainsFunc(touch, func(u Touch) bool { return u.Point == i })
		}) {
			ms = append(ms, m)
		}
	}
	return ms
}

// readers reports whether a read touches point i: an observer, or a method that touches it always
// and has no conditions.
func (t *Table) readers(i int) bool {
	if slices.ContainsFunc(t.touchers(i), func(m *TableMethod) bool { return m.Role == Observer }) {
		return true
	}
	return slices.ContainsFunc(t.always(i), func(m *TableMethod) bool { return len(m.atoms) == 0 })
}

// name gives each point a readable name. Points of reads and writes of a key are r:k and w:k. A
// point that only Size touches is size, and one that conflicts with it only is resize. Others have
// the method and its condition, delete[loaded]:k.
func (t *Table) name() {
	taken := map[string]bool{}
	set := func(i int, name string) {
		p := &t.Points[i]
		suffix := ""
		if p.Keyed {
			suffix = ":" + strings.TrimLeft(t.Spec.Methods[p.method].Vars()[p.slot], "_")
		}
		full := name + suffix
		for n := 2; taken[full]; n++ {
			full = fmt.Sprintf("%s%d%s", name, n, suffix)
		}
		taken[full] = true
		p.Name = full
	}
	// The names of methods come first: baseName looks for one called size.
	for i, p := range t.Points {
		if ms := t.touchers(i); !p.Keyed && len(ms) == 1 && len(t.always(i)) == 1 {
			set(i, strings.ToLower(ms[0].Name))
		}
	}
	for i := range t.Points {
		if t.Points[i].Name == "" {
			set(i, t.baseName(i))
		}
	}
}

// baseName is the name of a point that has no method's name, without its key.
func (t *Table) baseName(i int) string {
	p := t.Points[i]
	ms := t.touchers(i)
	switch {
	case !p.Keyed && t.degree(i) == 1 && !t.Conflict(i, i):
		for j := range t.Points {
			if n := t.Points[j].Name; t.Conflict(i, j) &&
				(n == "size" || n == "len" || n == "count") {
				return "resize"
			}
		}
	}
	switch {
	case t.readers(i) && !t.Conflict(i, i):
		return "r"
	case t.Conflict(i, i) || len(ms) > 1:
		return "w"
	case len(ms) == 0:
		return "none"
	}
	// One method touches it, under a condition.
	m := ms[0]
	var betas []uint32
	for beta, touch := range m.Touch {
		if slices.ContainsFunc(touch, func(u Touch) bool { return u.Point == i }) {
			betas = append(betas, uint32(beta))
		}
	}
	if when := m.when(betas); when != "" {
		return strings.ToLower(m.Name) + "[" + when + "]"
	}
	return strings.ToLower(m.Name)
}

// condition prints beta as a Go expression.
func (m *TableMethod) condition(beta uint32) string {
	n := &node{op: opAnd}
	for i := range m.atoms {
		k := m.atoms[i].f
		if beta>>i&1 == 0 {
			k = not(k)
		}
		n.operands = append(n.operands, k)
	}
	if len(n.operands) == 1 {
		n = n.operands[0]
	}
	return n.goExpr(m.Method.atoms, 0)
}

// Beta prints the conditions of a beta vector, for people.
func (m *TableMethod) Beta(beta uint32) string {
	if bits.Len32(beta) > len(m.atoms) || len(m.atoms) == 0 {
		return ""
	}
	return m.condition(beta)
}
