// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package spectest

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"

	"github.com/commutego/commute/ecl"
)

// A plan says how one type is tested.
type plan struct {
	*domains
	object  object
	methods []*method // by ecl.Method.Index
	order   []int     // methods as calls are drawn: those that change something first
	asked   []asked   // by pair: what samples compare; nil if no formula is inferred
}

// A method is a method of the type, with the values of its parameters.
type method struct {
	*ecl.Method
	fn      *types.Func
	sig     *types.Signature
	params  map[string]types.Type // of the type's declaration, as the method's names them
	domains []*domain
	asked   []condition // in the place of those that the specification has
}

const (
	maxMethods = 255
	maxPairs   = 1<<16 - 1
)

// newPlan finds the methods of a specification, and the values for their parameters. Observers come
// last in the order of methods.
func newPlan(s *scope, spec *ecl.Spec) (*plan, error) { return newPlanOf(s, spec, false) }

func newPlanOf(s *scope, spec *ecl.Spec, wide bool) (*plan, error) {
	o, err := s.newObject(spec)
	if err != nil {
		return nil, err
	}
	d, err := newDomains(s, spec)
	if err != nil {
		return nil, err
	}
	d.wide = wide
	if len(spec.Methods) > maxMethods || len(spec.Pairs) > maxPairs {
		return nil, &ecl.Error{Pos: spec.Pos, Text: fmt.Sprintf("%s has %d methods, more than %d",
			spec.Name, len(spec.Methods), maxMethods), Hint: "test a part of them"}
	}
	p := &plan{domains: d, object: o}
	var observers []int
	for i, m := range spec.Methods {
		pm, err := p.method(m)
		if err != nil {
			return nil, err
		}
		p.methods = append(p.methods, pm)
		if m.Role == ecl.Observer {
			observers = append(observers, i)
		} else {
			p.order = append(p.order, i)
		}
	}
	p.order = append(p.order, observers...)
	return p, d.unused()
}

// method finds a method's signature and its parameters' values.
func (p *plan) method(m *ecl.Method) (*method, error) {
	fail := func(hint, format string, args ...any) (*method, error) {
		return nil, &ecl.Error{Pos: m.Pos, Text: fmt.Sprintf(format, args...), Hint: hint}
	}
	obj, _, _ := types.LookupFieldOrMethod(p.object.typ, true, p.pkg.Types, m.Name)
	fn, ok := obj.(*types.Func)
	switch {
	case !ok:
		return fail("mend the name", "%s has no method %s", p.shortType(p.object.typ), m.Name)
	case p.external && !fn.Exported():
		return fail("leave it out: the type is tested from another package",
			"method %s of %s is not exported", m.Name, p.spec.Name)
	}
	pm := &method{Method: m, fn: fn, sig: fn.Signature(), params: typeParams(fn)}
	params := pm.sig.Params()
	if n := params.Len(); len(m.Params) > 0 && len(m.Params) != n {
		return fail("name each of them, or write _ for it",
			"method %s of %s has %d parameters, not %d", m.Name, p.spec.Name, n, len(m.Params))
	}
	if n := pm.sig.Results().Len(); len(m.Results) > 0 && m.Real != n {
		return fail("name each of them, or write _ for it",
			"method %s of %s has %d results, not %d", m.Name, p.spec.Name, n, m.Real)
	}
	written := p.written(fn)
	for i := range params.Len() {
		text := ""
		if i < len(written) {
			text = written[i]
		}
		d, err := p.of(params.At(i).Type(), text)
		if err != nil {
			return fail("give some: //ecl:sample and the type, ':' and expressions",
				"parameter %d of method %s: %v", i+1, m.Name, err)
		}
		pm.domains = append(pm.domains, d)
	}
	return pm, nil
}

// conditions are what is computed of one call.
func (m *method) conditions() (list []string) {
	if m.asked == nil {
		return m.Conditions()
	}
	for _, c := range m.asked {
		list = append(list, c.text)
	}
	return list
}

// typeParams maps the type parameters that a method's receiver names to their arguments.
func typeParams(fn *types.Func) map[string]types.Type {
	t := fn.Signature().Recv().Type()
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	named, ok := t.(*types.Named)
	params := fn.Origin().Signature().RecvTypeParams()
	if !ok || named.TypeArgs().Len() != params.Len() {
		return nil
	}
	all := make(map[string]types.Type)
	for i := range params.Len() {
		all[params.At(i).Obj().Name()] = named.TypeArgs().At(i)
	}
	return all
}

// written lists the types of a method's parameters as its declaration writes them, if it is in the
// package.
func (p *plan) written(fn *types.Func) (list []string) {
	for _, f := range p.pkg.Syntax {
		for _, decl := range f.Decls {
			d, ok := decl.(*ast.FuncDecl)
			if !ok || d.Name.Pos() != fn.Origin().Pos() {
				continue
			}
			for _, field := range d.Type.Params.List {
				for range max(1, len(field.Names)) {
					list = append(list, types.ExprString(field.Type))
				}
			}
		}
	}
	return list
}

// A call is a method with the indices of its arguments.
type call struct {
	method int
	args   []int
}

// text prints a call on an object, with the names of pointees as generated code has them.
func (p *plan) text(object string, c call) string {
	m := p.methods[c.method]
	s := m.Name + "("
	if object != "" {
		s = object + "." + s
	}
	var args []string
	for i, a := range c.args {
		v := m.domains[i].values[a]
		if m.sig.Variadic() && i == len(c.args)-1 {
			v = spread(v, m.domains[i].typ)
		}
		if v != "" {
			args = append(args, v)
		}
	}
	return s + strings.Join(args, ", ") + ")"
}

// brief prints a call for people: functions by their parameter's name.
func (p *plan) brief(c call) string {
	m := p.methods[c.method]
	s := p.text("", c)
	for i, a := range c.args {
		if v := m.domains[i].values[a]; strings.HasPrefix(v, "func(") {
			name := "f"
			if i < len(m.Params) && m.Params[i] != "_" {
				name = m.Params[i]
			}
			s = strings.Replace(s, v, name, 1)
		}
	}
	return human(s)
}

// spread prints a list as the last arguments of a call.
func spread(list, typ string) string {
	if list == "nil" {
		return ""
	}
	if elems, ok := strings.CutPrefix(list, typ+"{"); ok {
		return strings.TrimSuffix(elems, "}")
	}
	return list + "..."
}
