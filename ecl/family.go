// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package ecl

import (
	"go/ast"
	"go/token"
)

// A methodGroup is a name for methods with equal behaviour: Read(k)/v: Get(k)/v, Peek(k)/v.
type methodGroup struct {
	sig     *signature
	members []*signature
	methods []*Method
}

// group returns the group of that name, nil if there is none.
func (s *Spec) group(name string) *methodGroup {
	for _, g := range s.groups {
		if g.sig.name == name {
			return g
		}
	}
	return nil
}

// group reads Read(k)/v: Get(k)/v, Peek(k, _)/v.
func (p *lineParser) group(c *cursor) *Error {
	sig, err := c.signature()
	if err != nil {
		return err
	}
	g := &methodGroup{sig: sig}
	if have := p.cur.group(sig.name); have != nil {
		return errorf(sig.pos, "", "group %s is defined twice, first at %s", sig.name, have.sig.pos)
	}
	for _, m := range p.cur.Methods {
		if m.Name == sig.name {
			return errorf(sig.pos, "a group is defined before it is used, and is no method",
				"%s is named as a method at %s", sig.name, m.Pos)
		}
	}
	if !c.eat(':') {
		return errorf(c.pos(), "", "expected ':' and the methods of the group, found %s", c.found())
	}
	for {
		m, err := c.signature()
		if err != nil {
			return err
		}
		if err := g.add(p, m); err != nil {
			return err
		}
		if c.end() {
			break
		}
		if !c.eat(',') {
			return errorf(c.pos(), "", "expected ',' or the end of the line, found %s", c.found())
		}
	}
	p.cur.groups = append(p.cur.groups, g)
	return nil
}

// add makes a method a member; it has to have every value of the group.
func (g *methodGroup) add(p *lineParser, sig *signature) *Error {
	m, err := p.use(sig)
	if err != nil {
		return err
	}
	for _, have := range g.methods {
		if have == m {
			return errorf(sig.pos, "", "%s is in the group twice", m.Name)
		}
	}
	for _, v := range g.sig.vars() {
		found := v.name == "_"
		for _, u := range sig.vars() {
			found = found || u.name == v.name
		}
		if !found {
			return errorf(sig.pos, "name it, or leave it out of "+g.sig.name,
				"%s has no value called %s, as the group has", sig.name, v.name)
		}
	}
	g.members, g.methods = append(g.members, sig), append(g.methods, m)
	return nil
}

// as is the signature of member i that stands for a use of g. The member's values that the group
// has get their names from the use.
func (g *methodGroup) as(i int, use *signature) *signature {
	names := map[string]string{}
	vars := use.vars()
	for j, v := range g.sig.vars() {
		if j < len(vars) {
			names[v.name] = vars[j].name
		}
	}
	rename := func(list []variable) (out []variable) {
		for _, v := range list {
			name := names[v.name]
			if v.name == "_" || name == "" {
				name = "_"
			}
			out = append(out, variable{use.pos, name})
		}
		return out
	}
	m := *g.members[i]
	m.pos, m.params, m.results = use.pos, rename(m.params), rename(m.results)
	return &m
}

// A side is what stands on one side of the comma in a commute directive.
type side struct {
	pos  token.Position
	sig  *signature // a call of a method or a group
	set  []variable // {A, B}
	wild bool       // _
}

// A family is a commute directive that gives the formula of more than one pair.
type family struct {
	sides [2]side
	wild  bool
	text  string
	conv  converter // the methods are set for each pair
	expr  ast.Expr
	at    token.Position // of the formula
}

// commute reads the formula of a pair of methods, or of a family of pairs.
func (p *lineParser) commute(c *cursor) *Error {
	sides, expr, start, err := c.sides()
	if err != nil {
		return err
	}
	f := &family{sides: sides, text: words(c.text), expr: expr, at: c.at(start),
		conv: converter{spec: p.cur, base: c.at(start), src: c.text[start:]}}
	many := false
	for _, s := range sides {
		switch {
		case s.wild:
			many, f.wild = true, true
		case s.set != nil:
			many = true
			for _, name := range s.set {
				if p.cur.group(name.name) != nil {
					continue
				}
				if _, err := p.use(&signature{pos: name.pos, name: name.name}); err != nil {
					return err
				}
			}
		case p.cur.group(s.sig.name) != nil:
			many = true
			if err := p.cur.group(s.sig.name).fits(s.sig); err != nil {
				return err
			}
		default:
			if _, err := p.use(s.sig); err != nil {
				return err
			}
		}
	}
	if many {
		if sides[0].wild && sides[1].wild {
			return errorf(sides[0].pos, "write //ecl:default", "a formula for all pairs")
		}
		p.cur.families = append(p.cur.families, f)
		return nil
	}
	q := f.pair([2]*signature{sides[0].sig, sides[1].sig},
		[2]*Method{p.method(sides[0].sig), p.method(sides[1].sig)})
	if o := p.cur.pair(q.M); o != nil {
		return errorf(sides[0].pos, "", "the pair %s, %s is given twice, first at %s", q.M[0].Name,
			q.M[1].Name, o.sig[0].pos)
	}
	p.cur.Pairs = append(p.cur.Pairs, q)
	return nil
}

// fits compares a use of g with its definition.
func (g *methodGroup) fits(use *signature) *Error {
	if len(use.params) != len(g.sig.params) ||
		use.hasRes && len(use.results) != len(g.sig.results) {
		return errorf(use.pos, "write it as there, or _ for what is not needed",
			"the group is %s, at %s", g.sig, g.sig.pos)
	}
	return nil
}

// pair is the pair of two methods with the formula of f.
func (f *family) pair(sig [2]*signature, m [2]*Method) *Pair {
	q := &Pair{Pos: f.at, Text: f.text, sig: sig, M: m, expr: f.expr}
	conv := f.conv
	conv.m, conv.sig = m, sig
	q.conv = &conv
	return q
}

// pair returns the pair of two methods that has a formula, nil if there is none yet.
func (s *Spec) pair(m [2]*Method) *Pair {
	for _, p := range s.Pairs {
		if p.M == m || p.M == [2]*Method{m[1], m[0]} {
			return p
		}
	}
	return nil
}

// expand makes the pairs of all families, except those that have a formula already: pairs that are
// written out go before families. Families of sets and groups go before those with _.
func (s *Spec) expand() *Error {
	for _, wild := range []bool{false, true} {
		before := len(s.Pairs)
		for _, f := range s.families {
			if f.wild != wild {
				continue
			}
			if err := s.expandFamily(f, before); err != nil {
				return err
			}
		}
	}
	return nil
}

// expandFamily adds the pairs of f. Those of s.Pairs[:before] are given by more precise directives,
// and stay. Two directives that are equally precise must agree.
func (s *Spec) expandFamily(f *family, before int) *Error {
	for i, a := range s.expandSide(f.sides[0]) {
		for j, b := range s.expandSide(f.sides[1]) {
			if f.same() && j < i {
				continue // the pair came up in the other order
			}
			m := [2]*Method{s.named(a.name), s.named(b.name)}
			if have := s.pair(m); have != nil {
				if k := s.index(have); k >= before && !f.agrees(have) {
					return errorf(f.sides[0].pos, "give it in a directive of its own",
						"the pair %s, %s is given twice, first at %s", m[0].Name, m[1].Name,
						have.Pos)
				}
				continue
			}
			s.Pairs = append(s.Pairs, f.pair([2]*signature{a, b}, m))
		}
	}
	return nil
}

// same reports whether both sides of f are the same group or set, so that each pair comes up twice.
func (f *family) same() bool {
	a, b := f.sides[0], f.sides[1]
	if a.sig != nil && b.sig != nil {
		return a.sig.name == b.sig.name
	}
	if len(a.set) != len(b.set) || a.set == nil {
		return false
	}
	for i := range a.set {
		if a.set[i].name != b.set[i].name {
			return false
		}
	}
	return true
}

// agrees reports whether f and what gave p its formula are the same constant, or the same
// directive.
func (f *family) agrees(p *Pair) bool {
	if p.expr == f.expr {
		return true
	}
	x, okx := f.expr.(*ast.Ident)
	y, oky := p.expr.(*ast.Ident)
	return okx && oky && x.Name == y.Name && (x.Name == "true" || x.Name == "false")
}

// index is that of p in s.Pairs.
func (s *Spec) index(p *Pair) int {
	for i, q := range s.Pairs {
		if p == q {
			return i
		}
	}
	return -1
}

// named is the method with a name, or nil.
func (s *Spec) named(name string) *Method {
	for _, m := range s.Methods {
		if m.Name == name {
			return m
		}
	}
	return nil
}

// expandSide lists the calls that a side stands for.
func (s *Spec) expandSide(x side) (list []*signature) {
	switch {
	case x.wild:
		for _, m := range s.Methods {
			list = append(list, m.unnamed(x.pos))
		}
	case x.set != nil:
		for _, name := range x.set {
			if g := s.group(name.name); g != nil {
				for _, m := range g.methods {
					list = append(list, m.unnamed(name.pos))
				}
			} else {
				list = append(list, s.named(name.name).unnamed(name.pos))
			}
		}
	default:
		g := s.group(x.sig.name)
		if g == nil {
			return []*signature{x.sig}
		}
		for i := range g.members {
			list = append(list, g.as(i, x.sig))
		}
	}
	return list
}

// unnamed is a call of m in which no value has a name.
func (m *Method) unnamed(pos token.Position) *signature {
	g := &signature{pos: pos, name: m.Name, hasParams: true, unnamed: true}
	for range m.Params {
		g.params = append(g.params, variable{pos, "_"})
	}
	return g
}

// Bare reports whether the specification does not give the parameters of m: the method is only in
// sets, or covered by _.
func (m *Method) Bare() bool { return m.sig == nil }

// SetParams gives n parameters to a method that the specification only names.
func (s *Spec) SetParams(m *Method, n int) {
	m.Params = make([]string, n)
	for i := range m.Params {
		m.Params[i] = "_"
	}
	for _, p := range s.Pairs {
		for i := range p.M {
			if p.M[i] == m && p.sig[i] != nil {
				p.sig[i] = m.unnamed(p.sig[i].pos)
			}
		}
	}
}
