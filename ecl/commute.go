// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package ecl

import (
	"fmt"
	"strings"
)

// Commute decides, from the access points and the exceptions, whether two calls commute; values are
// parameters and results, shadow results included. It is for testing specs against real types, and
// supports only atoms of the forms x and x == y, over variables and nil.
func (t *Table) Commute(method1, method2 string, values1, values2 []any) bool {
	m1, m2 := t.method(method1), t.method(method2)
	b1, b2 := m1.BetaOf(values1), m2.BetaOf(values2)
	for _, p := range m1.Touch[b1] {
		for _, q := range m2.Touch[b2] {
			if t.Conflict(p.Point, q.Point) && (p.Arg < 0 || values1[p.Arg] == values2[q.Arg]) {
				return t.exception(m1, m2, values1, values2)
			}
		}
	}
	return true
}

// method is the method with a name, which must exist.
func (t *Table) method(name string) *TableMethod {
	for _, m := range t.Methods {
		if m.Name == name {
			return m
		}
	}
	panic("ecl: no method " + name)
}

// exception reports whether an also directive applies: one of a method with itself in either order
// of the calls.
func (t *Table) exception(m1, m2 *TableMethod, v1, v2 []any) bool {
	for _, a := range t.Spec.Also {
		for _, swap := range []bool{false, true} {
			x, y, u, w := m1.Method, m2.Method, v1, v2
			if swap {
				x, y, u, w = y, x, w, u
			}
			ok := a.M == [2]*Method{x, y}
			for _, c := range a.Conds {
				ok = ok && c.holds(u, w)
			}
			if ok {
				return true
			}
		}
	}
	return false
}

// BetaOf values m's atoms on concrete parameters and results.
func (m *TableMethod) BetaOf(values []any) uint32 {
	at := func(name string) any {
		for i, v := range m.Vars() {
			if v == name {
				return values[i]
			}
		}
		if name == "nil" {
			return nil
		}
		panic(fmt.Sprintf("ecl: BetaOf cannot value %s", name))
	}
	return m.beta(func(i int) bool {
		if x, y, ok := strings.Cut(m.Method.atoms[i], " == "); ok {
			return at(x) == at(y)
		}
		b, _ := at(m.Method.atoms[i]).(bool)
		return b
	})
}
