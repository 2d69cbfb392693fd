// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package ecl

import (
	"cmp"
	"slices"
	"strings"
)

// Conditions returns the conditions of formulas on one call of m: Go expressions over
// [Method.Vars].
func (m *Method) Conditions() []string { return append([]string(nil), m.atoms...) }

// An ExprPrinter prints the parts of a formula over two calls as Go.
type ExprPrinter struct {
	// Condition returns condition i of call 1 or 2, of [Method.Conditions].
	Condition func(call, i int) string
	// Differ returns the condition that variable x of call 1 differs from variable y of call 2.
	Differ func(x, y int) string
	// Equal returns an also directive's condition x == y, or x != y.
	Equal func(x, y int, want bool) string
	// Boolean returns the condition of variable v of call 1 or 2, which is a boolean.
	Boolean func(call, v int) string
}

// GoExpr prints the condition under which a call of p.M[0], call 1, and one of p.M[1], call 2,
// commute. It is the pair's formula, or one of the alternatives that s has for it. Alternatives
// that require an unused result are left out; [Spec.Ignoring] has them.
func (s *Spec) GoExpr(p *Pair, w ExprPrinter) string {
	alternatives := []string{p.f.print(w)}
	for _, a := range s.alternativesOf(p, w) {
		if a.Calls == [2]bool{} {
			alternatives = append(alternatives, a.Expr)
		}
	}
	return strings.Join(alternatives, " || ")
}

// An Ignoring is a condition under which calls commute if some of their results are not used.
type Ignoring struct {
	Expr  string
	Calls [2]bool // the calls whose results must be unused
}

// Ignoring lists the alternatives for p that require a call whose result is not used.
func (s *Spec) Ignoring(p *Pair, w ExprPrinter) []Ignoring {
	return slices.DeleteFunc(s.alternativesOf(p, w),
		func(a Ignoring) bool { return a.Calls == [2]bool{} })
}

// alternativesOf lists all alternatives for p.
func (s *Spec) alternativesOf(p *Pair, w ExprPrinter) (list []Ignoring) {
	for _, a := range s.Also {
		if a.M == p.M {
			list = append(list, a.print(w, false))
		}
		if a.M == [2]*Method{p.M[1], p.M[0]} {
			list = append(list, a.print(w, true))
		}
	}
	return list
}

// Constant reports whether p's formula is true or false, whatever the calls' values are.
func (p *Pair) Constant() bool { return p.f.op == opTrue || p.f.op == opFalse }

// print writes n in parentheses, unless it needs none.
func (n *node) print(w ExprPrinter) string {
	join := func(sep string) string {
		var parts []string
		for _, k := range n.operands {
			parts = append(parts, k.print(w))
		}
		return "(" + strings.Join(parts, sep) + ")"
	}
	switch n.op {
	case opTrue:
		return "true"
	case opAtom:
		return w.Condition(n.call, n.atom)
	case opNeq:
		return w.Differ(n.x, n.y)
	case opNot:
		return "!" + n.operands[0].print(w)
	case opAnd:
		return join(" && ")
	case opOr:
		return join(" || ")
	case opIff:
		return join(" == ")
	}
	return "false"
}

// print writes the conditions of an alternative; swapped says that its first call is call 2.
func (a *Also) print(w ExprPrinter, swapped bool) (alt Ignoring) {
	var parts []string
	for _, c := range a.Conds {
		if swapped {
			c = c.Swapped()
		}
		text := ""
		switch c.Kind {
		case Equal:
			text = w.Equal(c.X, c.Y, c.Want)
		case First:
			text = w.Boolean(1, c.X)
		case Second:
			text = w.Boolean(2, c.Y)
		case FirstUnused, SecondUnused:
			alt.Calls[c.Kind-FirstUnused] = true
			continue
		}
		if c.Kind != Equal && !c.Want {
			text = "!" + text
		}
		parts = append(parts, text)
	}
	alt.Expr = cmp.Or(strings.Join(parts, " && "), "true")
	return alt
}
