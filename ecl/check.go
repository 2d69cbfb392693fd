// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package ecl

import (
	"fmt"
	"go/token"
	"slices"
	"strings"
	"unicode"
)

// check completes s after its lines are read. First the methods get the canonical names that
// formulas use. Then families become pairs. Then the formulas are checked, and the pairs that are
// not given get theirs.
func (s *Spec) check() (errs Errors) {
	for _, m := range s.Methods {
		m.canonical()
		if err := m.checkCallback(); err != nil {
			errs = append(errs, err)
		}
	}
	expanded := s.expand()
	if expanded != nil {
		errs = append(errs, expanded)
	}
	for _, p := range s.Pairs {
		errs = errs.with(p.check())
	}
	for _, a := range s.Also {
		if err := a.check(); err != nil {
			errs = append(errs, err)
		}
	}
	if err := s.alternatives(); err != nil {
		errs = append(errs, err)
	}
	if expanded != nil { // a pair that is missing may be one of those it would have given
		return errs
	}
	return append(errs, s.missing(nil)...)
}

// checkRest is check for a spec with lines that could not be read. Errors that may follow from
// these lines are not reported. Such are missing pairs that the lines may have been about, or all
// missing pairs if a line was not about certain pairs.
func (s *Spec) checkRest(broken []string) (errs Errors) {
	for _, line := range broken {
		if !strings.HasPrefix(line, "//ecl:commute ") && !strings.HasPrefix(line, "//ecl:also ") {
			return nil
		}
	}
	for _, m := range s.Methods {
		m.canonical()
	}
	if err := s.expand(); err != nil {
		return Errors{err}
	}
	for _, p := range s.Pairs {
		errs = errs.with(p.check())
	}
	return append(errs, s.missing(func(a, b *Method) bool {
		return slices.ContainsFunc(broken,
			func(line string) bool { return named(line, a) && named(line, b) })
	})...)
}

// named reports whether a line has a method's name as a word. The line need not be Go.
func named(line string, m *Method) bool {
	isWord := func(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
	return slices.Contains(strings.FieldsFunc(line, func(r rune) bool { return !isWord(r) }),
		m.Name)
}

// canonical chooses m's parameter and result names. Each value gets the first name that is free.
// The name in a declaration comes first, as it is. Then come the names in uses: without the call's
// number (k for k1), as they are, and with an x behind them.
func (m *Method) canonical() {
	n, r := 0, 0
	if m.sig != nil {
		n = len(m.sig.params)
	}
	if m.resultsSig != nil {
		r = len(m.resultsSig.results)
	}
	names := make([]string, n+r)
	taken := map[string]bool{}
	try := func(i int, name string) {
		if names[i] == "" && name != "_" && !taken[name] && token.IsIdentifier(name) {
			names[i] = name
			taken[name] = true
		}
	}
	for _, pass := range []func(v string) string{
		nil, // declarations, verbatim
		func(v string) string { return strings.TrimRight(v, "0123456789") },
		func(v string) string { return v },
		func(v string) string { return v + "x" },
	} {
		for _, g := range m.uses {
			if pass == nil && !g.verbatim {
				continue
			}
			for i, v := range g.vars() {
				name := v.name
				if pass != nil && name != "_" {
					name = pass(name)
				}
				switch name {
				case "nil", "true", "false", "len":
					continue
				}
				try(i, name)
			}
		}
	}
	for i := range names {
		if names[i] == "" {
			names[i] = "_"
		}
	}
	m.Params, m.Results = names[:n:n], names[n:]
}

// checkCallback checks that the callback is a parameter.
func (m *Method) checkCallback() *Error {
	if m.Callback == "" {
		return nil
	}
	for _, p := range m.Params {
		if p == m.Callback {
			return nil
		}
	}
	return errorf(m.callbackPos, "name one of "+strings.Join(m.Params, ", "),
		"%s has no parameter %s", m.Name, m.Callback)
}

// check converts the formula of p to p.f, which is in the fragment.
func (p *Pair) check() *Error {
	n, err := p.conv.formula(p.expr)
	if err != nil {
		return err
	}
	if p.f, err = p.conv.fragment(n, false); err != nil {
		return err
	}
	if err := p.conv.needless(p.expr, n); err != nil {
		return err
	}
	if p.M[0] == p.M[1] {
		return p.symmetric()
	}
	return nil
}

// maxSymmetry bounds the conditions of a formula: symmetric tries all their truths.
const maxSymmetry = 20

// symmetric checks that the formula of a method with itself has the same truth when the two calls
// change places. It tries all truths of the atoms of both calls and of the disequalities. The
// conflict relation of points is symmetric; a formula that is not would be read as the stricter of
// the two.
func (p *Pair) symmetric() *Error {
	// 1, 2: atom a of that call; 4: variable a of call 1 != b of call 2
	type prop struct{ kind, a, b int }
	var props []prop
	index := map[prop]int{}
	add := func(q prop) {
		if _, ok := index[q]; !ok {
			index[q] = len(props)
			props = append(props, q)
		}
	}
	// Each condition is there for both orders of the calls.
	p.f.walk(func(n *node) {
		switch n.op {
		case opAtom:
			add(prop{n.call, n.atom, 0})
			add(prop{3 - n.call, n.atom, 0})
		case opNeq:
			add(prop{4, n.x, n.y})
			add(prop{4, n.y, n.x})
		}
	})
	if len(props) > maxSymmetry {
		return errorf(p.Pos, "split the method or use fewer conditions",
			"the formula of %s with itself has %d conditions, symmetry can be "+
				"checked for %d", p.M[0].Name, len(props), maxSymmetry)
	}
	for v := 0; v < 1<<len(props); v++ {
		// Bit i of v is the truth of props[i]; b is the formula with the calls exchanged.
		is := func(q prop) bool { return v>>index[q]&1 != 0 }
		a := p.f.eval(func(c, i int) bool { return is(prop{c, i, 0}) },
			func(x, y int) bool { return is(prop{4, x, y}) })
		b := p.f.eval(func(c, i int) bool { return is(prop{3 - c, i, 0}) },
			func(x, y int) bool { return is(prop{4, y, x}) })
		if a == b {
			continue
		}
		var with []string
		for _, q := range props {
			with = append(with, p.describe(q.kind, q.a, q.b, is(q)))
		}
		return errorf(p.Pos, "two calls commute or not, whichever is called the first",
			"the formula of %s with itself is not symmetric: with %s it is %v, and %v when the "+
				"calls change places",
			p.M[0].Name, strings.Join(with, ", "), a, b)
	}
	return nil
}

// describe prints one condition of symmetric and its truth: in canonical names, with the number of
// the call.
func (p *Pair) describe(kind, a, b int, truth bool) string {
	m := p.M[0]
	if kind == 4 {
		eq := "=="
		if truth {
			eq = "!="
		}
		return fmt.Sprintf("%s1 %s %s2", m.Vars()[a], eq, m.Vars()[b])
	}
	n := &node{op: opAtom}
	if !truth {
		n = not(n)
	}
	return n.goExpr([]string{number(m.atoms[a], m.Vars(), kind)}, 0)
}

// number appends the call's number to every variable of an atom.
func number(atom string, vars []string, call int) string {
	return RenameVars(atom, func(name string) string {
		for _, v := range vars {
			if v == name {
				return fmt.Sprint(name, call)
			}
		}
		return name
	})
}

// missing gives a formula to the pairs that have none. Two observers change nothing, so they
// commute; all others need a default. It reports the pairs without one, except those that are
// excused.
func (s *Spec) missing(excused func(a, b *Method) bool) (errs Errors) {
	have := map[[2]int]bool{}
	for _, p := range s.Pairs {
		have[[2]int{p.M[0].Index, p.M[1].Index}] = true
		have[[2]int{p.M[1].Index, p.M[0].Index}] = true
	}
	for i, a := range s.Methods {
		for _, b := range s.Methods[i:] {
			if have[[2]int{a.Index, b.Index}] || excused != nil && excused(a, b) {
				continue
			}
			q := &Pair{Pos: s.Pos, M: [2]*Method{a, b}}
			switch {
			case a.Role == Observer && b.Role == Observer:
				q.f, q.Text = &node{op: opTrue}, fmt.Sprintf("%s, %s: true", a.display(),
					b.display())
			case s.def != nil:
				q.Pos, q.Text = s.defPos, fmt.Sprintf("%s, %s: %v", a.display(), b.display(),
					*s.def)
				q.f = &node{op: opFalse}
				if *s.def {
					q.f.op = opTrue
				}
			default:
				hint := "add //ecl:commute " + a.display() + ", " + b.display() +
					": ..., or //ecl:default false"
				err := errorf(s.Pos, hint, "no formula for the pair %s, %s", a.Name, b.Name)
				err.Add = "//ecl:commute " + a.numbered(1) + ", " + b.numbered(2) + ": false"
				errs = append(errs, err)
				continue
			}
			s.Pairs = append(s.Pairs, q)
		}
	}
	return errs
}
