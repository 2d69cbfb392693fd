// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package spectest

import (
	"fmt"
	"go/types"
	"slices"
	"strings"

	"github.com/commutego/commute/ecl"
)

// A domain is the list of values with which parameters of one type are tested.
type domain struct {
	index  int
	typ    string
	values []string // Go expressions
	few    int      // how many of them a test of a specification has, where there are more
}

// A pointee is a variable of the generated code that arguments point to. An argument is then the
// same pointer in both orders, and its contents are set anew before each.
type pointee struct{ name, typ, init string }

const (
	maxValues = 6 // of a type
	maxDepth  = 3 // of structs and lists
)

// prefix begins the names of variables of generated code in expressions of domains.
const prefix = "commute_"

// domains makes the values of types.
type domains struct {
	*scope
	spec     *ecl.Spec
	wide     bool // more values than a test of a specification has
	list     []*domain
	samples  []*sample
	pointees []pointee
}

// A sample is the values that a specification gives for a type.
type sample struct {
	ecl.Sample
	texts []string
	types []types.Type
	used  bool
}

func newDomains(s *scope, spec *ecl.Spec) (*domains, error) {
	d := &domains{scope: s, spec: spec}
	for _, given := range spec.Samples {
		sample := &sample{Sample: given}
		for _, x := range given.Exprs {
			text, t, err := s.expr(given.Pos, x)
			if err != nil {
				return nil, err
			}
			sample.texts, sample.types = append(sample.texts, text), append(sample.types, t)
		}
		d.samples = append(d.samples, sample)
	}
	return d, nil
}

// unused reports samples of a type that no parameter has.
func (d *domains) unused() error {
	for _, s := range d.samples {
		if !s.used {
			return &ecl.Error{Pos: s.Pos,
				Text: fmt.Sprintf("no parameter of %s's methods is of type %s", d.spec.Name,
					s.Type), Hint: "write the type as the method's declaration does"}
		}
	}
	return nil
}

// of is the domain of a parameter whose type is written in the source as the text says.
func (d *domains) of(t types.Type, written string) (*domain, error) {
	if h := d.hidden(t); h != "" {
		return nil, fmt.Errorf("type %s cannot be written outside of its package", h)
	}
	values, err := d.sample(t, written)
	if err != nil {
		return nil, err
	}
	given := values != nil
	if !given {
		values = d.values(t, 0)
	}
	if len(values) == 0 {
		return nil, fmt.Errorf("no value of type %s is known", d.shortType(t))
	}
	typ, few := d.typeString(t), len(values)
	if b, ok := t.Underlying().(*types.Basic); ok && d.wide && !given {
		values = more(values, b)
	}
	for _, have := range d.list {
		if have.typ == typ && slices.Equal(have.values, values) {
			return have, nil
		}
	}
	n := &domain{len(d.list), typ, values, few}
	d.list = append(d.list, n)
	return n, nil
}

// sample is the values that the specification gives for a type, nil if it gives none.
func (d *domains) sample(t types.Type, written string) ([]string, error) {
	for _, s := range d.samples {
		if s.Type != written && s.Type != d.shortType(t) {
			continue
		}
		s.used = true
		for i, have := range s.types {
			if !types.AssignableTo(have, t) {
				return nil,
					fmt.Errorf("%s: %s is not a %s", d.short(s.Pos), s.Exprs[i], d.shortType(t))
			}
		}
		return s.texts, nil
	}
	return nil, nil
}

// values lists expressions of a type, the simplest first.
func (d *domains) values(t types.Type, depth int) []string {
	if v, err := d.sample(t, ""); v != nil && err == nil {
		return v
	}
	switch d.shortType(t) {
	case "context.Context":
		return []string{d.importName("context", "context") + ".Background()"}
	case "time.Duration":
		return []string{"0", d.importName("time", "time") + ".Hour", "-1"}
	case "time.Time":
		time := d.importName("time", "time")
		return []string{time + ".Time{}", time + ".Unix(1, 0)", time + ".Unix(2, 0)"}
	case "error":
		return []string{"nil",
			d.pointee("error", d.importName("errors", "errors")+`.New("a")`, "err")}
	}
	typ := d.typeString(t)
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return basicValues(u)
	case *types.Pointer:
		elem := d.typeString(u.Elem())
		return []string{d.pointer(elem, 0), d.pointer(elem, 1), "nil"}
	case *types.Struct:
		return d.structs(typ, u, depth)
	case *types.Slice:
		return d.lists(typ, u.Elem(), depth)
	case *types.Array:
		return append([]string{typ + "{}"}, d.lists(typ, u.Elem(), depth)[1:2]...)
	case *types.Map:
		return d.maps(typ, u, depth)
	case *types.Chan:
		return []string{"make(chan " + d.typeString(u.Elem()) + ", 8)"}
	case *types.Signature:
		return d.funcs(u)
	case *types.Interface:
		if u.Empty() {
			return []string{"nil", "0", "1", `"a"`}
		}
		return append([]string{"nil"}, d.implementers(u)...)
	}
	return nil
}

// basicValues lists a few values of a basic type, zero first. Methods tell few of them apart.
func basicValues(b *types.Basic) []string {
	switch info := b.Info(); {
	case info&types.IsBoolean != 0:
		return []string{"false", "true"}
	case info&types.IsString != 0:
		return []string{`""`, `"a"`, `"b"`}
	case info&types.IsUnsigned != 0:
		return []string{"0", "1", "2", "3"}
	case info&types.IsInteger != 0:
		return []string{"0", "1", "2", "-1"}
	case info&types.IsFloat != 0:
		return []string{"0", "1", "-0.5"}
	case info&types.IsComplex != 0:
		return []string{"0", "1i"}
	}
	return []string{"nil"} // unsafe.Pointer
}

// more adds to the values of a basic type others, if it has many: with five keys a cache of two
// forgets some.
func more(values []string, b *types.Basic) []string {
	var others []string
	switch info := b.Info(); {
	case info&types.IsString != 0:
		others = []string{`"a"`, `"b"`, `"c"`, `"d"`}
	case info&types.IsUnsigned != 0:
		others = []string{"4", "5"}
	case info&types.IsNumeric != 0:
		others = []string{"3", "-2", "2", "-1"}
	}
	list := slices.Clone(values)
	for _, v := range others {
		if len(list) < maxValues && !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	return list
}

// pointer is the name of a variable that points to a value of its own.
func (d *domains) pointer(elem string, n int) string {
	init := "new(" + elem + ")"
	i := 0
	for _, p := range d.pointees {
		if p.init == init {
			if i == n {
				return p.name
			}
			i++
		}
	}
	return d.pointee("*"+elem, init, "ptr")
}

func (d *domains) pointee(typ, init, kind string) string {
	if kind == "err" {
		for _, p := range d.pointees {
			if p.init == init {
				return p.name
			}
		}
	}
	p := pointee{fmt.Sprint(prefix, kind, len(d.pointees)), typ, init}
	d.pointees = append(d.pointees, p)
	return p.name
}

// structs lists the zero value, and one whose fields are not zero where generated code may set
// them.
func (d *domains) structs(typ string, u *types.Struct, depth int) []string {
	list := []string{typ + "{}"}
	var fields []string
	for f := range u.Fields() {
		own := f.Pkg() != nil && f.Pkg().Path() == d.pkg.PkgPath && !d.external
		if depth >= maxDepth || f.Name() == "_" || !f.Exported() && !own {
			continue
		}
		if v := d.values(f.Type(), depth+1); len(v) > 1 && d.hidden(f.Type()) == "" {
			fields = append(fields, f.Name()+": "+v[1])
		}
	}
	if len(fields) > 0 {
		list = append(list, typ+"{"+strings.Join(fields, ", ")+"}")
	}
	return list
}

// lists has nil and lists of one and two elements. An empty list behaves as nil nearly always.
func (d *domains) lists(typ string, elem types.Type, depth int) []string {
	if depth >= maxDepth {
		return []string{"nil", typ + "{}"}
	}
	v := d.values(elem, depth+1)
	if len(v) == 0 {
		return []string{"nil", typ + "{}"}
	}
	list := []string{"nil", typ + "{" + v[0] + "}"}
	if len(v) > 1 {
		list = append(list, typ+"{"+v[1]+"}", typ+"{"+v[1]+", "+v[0]+"}")
	}
	return list
}

func (d *domains) maps(typ string, u *types.Map, depth int) []string {
	list := []string{"nil"}
	if depth >= maxDepth {
		return list
	}
	k, v := d.values(u.Key(), depth+1), d.values(u.Elem(), depth+1)
	for i := range min(len(k), 2) {
		if len(v) > 0 {
			list = append(list, fmt.Sprintf("%s{%s: %s}", typ, k[i], v[min(i, len(v)-1)]))
		}
	}
	return list
}

// funcs has a function that returns zero values, and one that returns an argument, or true, or 1.
// Both note their arguments, which are part of the outcome.
func (d *domains) funcs(sig *types.Signature) []string {
	var params, args, results []string
	for i := range sig.Params().Len() {
		t, dots := sig.Params().At(i).Type(), ""
		if sig.Variadic() && i == sig.Params().Len()-1 {
			t, dots = t.(*types.Slice).Elem(), "..."
		}
		name := fmt.Sprint("a", i)
		params, args = append(params, name+" "+dots+d.typeString(t)), append(args, name)
	}
	other := ""
	for i := range sig.Results().Len() {
		t := sig.Results().At(i).Type()
		name := fmt.Sprint("r", i)
		results = append(results, name+" "+d.typeString(t))
		if v := d.other(t, sig.Params()); v != "" {
			other += "; " + name + " = " + v
		}
	}
	head := "func(" + strings.Join(params, ", ") + ")"
	if len(results) == 0 {
		return []string{fmt.Sprintf("%s { %svisited = append(%svisited, []any{%s}) }", head, prefix,
			prefix, strings.Join(args, ", "))}
	}
	head += " (" + strings.Join(results, ", ") + ")"
	var list []string
	for _, set := range []string{other, ""} {
		f := fmt.Sprintf("%s { %svisited = append(%svisited, []any{%s})%s; return }", head, prefix,
			prefix, strings.Join(args, ", "), set)
		if !slices.Contains(list, f) {
			list = append(list, f)
		}
	}
	return list
}

// other is a result of a function that is not zero: an argument of the type, if there is one.
func (d *domains) other(t types.Type, params *types.Tuple) string {
	for i := range params.Len() {
		if types.Identical(params.At(i).Type(), t) {
			return fmt.Sprint("a", i)
		}
	}
	if b, ok := t.Underlying().(*types.Basic); ok {
		if v := basicValues(b); len(v) > 1 {
			return v[1]
		}
	}
	return ""
}

// implementers lists values of the package's types that implement an interface.
func (d *domains) implementers(u *types.Interface) (list []string) {
	all := d.pkg.Types.Scope()
	for _, name := range all.Names() {
		obj, ok := all.Lookup(name).(*types.TypeName)
		if !ok || obj.IsAlias() || len(list) == 2 || d.hidden(obj.Type()) != "" {
			continue
		}
		named, ok := obj.Type().(*types.Named)
		if !ok || named.TypeParams().Len() > 0 || types.IsInterface(named) {
			continue
		}
		switch typ := d.typeString(named); {
		case types.Implements(named, u):
			list = append(list, "*new("+typ+")")
		case types.Implements(types.NewPointer(named), u):
			list = append(list, d.pointer(typ, 0))
		}
	}
	return list
}
