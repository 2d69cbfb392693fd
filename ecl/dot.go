// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package ecl

import (
	"fmt"
	"slices"
	"strings"
)

// Dot returns t as a graph for Graphviz. Each method is a box, with an arrow to each point that a
// call of it touches, labelled with the condition if there is one. Each point is an ellipse, double
// if it is keyed. A thick line joins points that conflict.
func (t *Table) Dot() string {
	var b strings.Builder
	fmt.Fprintf(&b, "digraph %s {\n", quote(t.Spec.TypeName()))
	b.WriteString("\trankdir=LR;\n\tnode [fontname=monospace];\n\tedge [fontname=monospace, " +
		"fontsize=10];\n\n")
	for i, m := range t.Methods {
		fmt.Fprintf(&b, "\tm%d [shape=box, label=%s];\n", i,
			quote(m.display()+"\n"+m.Role.String()))
	}
	for i, p := range t.Points {
		attrs := ""
		if p.Keyed {
			attrs = ", peripheries=2"
		}
		fmt.Fprintf(&b, "\tp%d [shape=ellipse%s, label=%s];\n", i, attrs, quote(p.Name))
	}
	b.WriteByte('\n')
	for i, m := range t.Methods {
		for _, e := range m.edges() {
			label := e.when
			if name := t.Points[e.Point].Name; e.Arg >= 0 &&
				!strings.HasSuffix(name, ":"+m.Vars()[e.Arg]) {
				label = strings.TrimSuffix(m.Vars()[e.Arg]+": "+label, ": ")
			}
			if label != "" {
				label = " [label=" + quote(label) + "]"
			}
			fmt.Fprintf(&b, "\tm%d -> p%d%s;\n", i, e.Point, label)
		}
	}
	b.WriteByte('\n')
	for i := range t.Points {
		for j := i; j < len(t.Points); j++ {
			if t.Conflict(i, j) {
				fmt.Fprintf(&b, "\tp%d -> p%d [dir=none, color=red, penwidth=2];\n", i, j)
			}
		}
	}
	b.WriteString("}\n")
	return b.String()
}

// quote makes a string of Graphviz, whose backslashes and quotes stand for themselves.
func quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", "", "\t",
		" ").Replace(s) + `"`
}

// A touchEdge is a point that m touches, and when; "" is always.
type touchEdge struct {
	Touch
	when string
}

// edges are the points that a call of m touches, each with its condition.
func (m *TableMethod) edges() (list []touchEdge) {
	betas := map[Touch][]uint32{}
	var order []Touch
	for beta, touch := range m.Touch {
		for _, u := range touch {
			if betas[u] == nil {
				order = append(order, u)
			}
			betas[u] = append(betas[u], uint32(beta))
		}
	}
	for _, u := range order {
		list = append(list, touchEdge{u, m.when(betas[u])})
	}
	return list
}

// when prints the condition that a call's beta is one of those given, "" if it always is. Atoms
// that make no difference are left out. If most betas are given, the negation of the others is
// shorter.
func (m *TableMethod) when(betas []uint32) string {
	if len(betas) == len(m.Touch) {
		return ""
	}
	is := map[uint32]bool{}
	for _, beta := range betas {
		is[beta] = true
	}
	mask := uint32(len(m.Touch)) - 1
	for i := range m.atoms {
		bit := uint32(1) << i
		if !slices.ContainsFunc(betas, func(beta uint32) bool { return !is[beta^bit] }) {
			mask &^= bit
		}
	}
	negate := 2*len(betas) > len(m.Touch)
	n := &node{op: opOr}
	for beta := range uint32(len(m.Touch)) {
		if beta&^mask == 0 && is[beta] != negate {
			n.operands = append(n.operands, m.valuation(beta, mask))
		}
	}
	if len(n.operands) == 1 {
		n = n.operands[0]
	}
	if negate {
		n = not(n)
	}
	return n.goExpr(m.Method.atoms, 0)
}

// valuation is the formula that the atoms in mask have the truths in beta.
func (m *TableMethod) valuation(beta, mask uint32) *node {
	n := &node{op: opAnd}
	for i, a := range m.atoms {
		k := a.f
		if mask>>i&1 == 0 {
			continue
		}
		if beta>>i&1 == 0 {
			k = not(k)
		}
		n.operands = append(n.operands, k)
	}
	if len(n.operands) == 1 {
		return n.operands[0]
	}
	return n
}
