// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package spectest

import (
	"go/types"
	"slices"
	"strings"
)

// maxConstructors is how many functions are tried for a type whose zero value is of no use.
const maxConstructors = 4

// A constructor makes objects by a call with arguments.
type constructor struct {
	object
	shown string // the call, as the package's own source would have it
}

// constructors lists the functions of the package that make objects of the plan's type from
// arguments of which values are known: New and NewT first, then others whose names begin so. A map
// can be made without any.
func (p *plan) constructors() (list []constructor) {
	named, ok := p.pkg.Types.Scope().Lookup(p.spec.Name).Type().(*types.Named)
	if !ok {
		return nil
	}
	args, err := p.typeArgs(p.spec, named)
	if err != nil {
		return nil
	}
	if t, err := p.instance(named, args); err == nil {
		if _, ok := t.Underlying().(*types.Map); ok {
			o := object{expr: "make(" + p.typeString(t) + ")", typ: types.NewPointer(t), take: true}
			list = append(list, constructor{o, o.expr})
		}
	}
	var names []string
	for _, name := range p.pkg.Types.Scope().Names() {
		if strings.HasPrefix(strings.ToLower(name), "new") {
			names = append(names, name)
		}
	}
	usual := []string{"new", "new" + strings.ToLower(named.Obj().Name())} // the last is the best
	slices.SortStableFunc(names, func(a, b string) int {
		return slices.Index(usual, strings.ToLower(b)) - slices.Index(usual, strings.ToLower(a))
	})
	for _, name := range names {
		o, sig, ok := p.maker(name, named, args)
		if !ok {
			continue
		}
		if values, ok := p.arguments(sig); ok {
			o.expr += "(" + strings.Join(values, ", ") + ")"
			list = append(list, constructor{o, strings.ReplaceAll(o.expr, prefix, "")})
		}
	}
	return list
}

// arguments chooses a value for each parameter: one that the specification gives for the type, or
// one that is likely to do.
func (p *plan) arguments(sig *types.Signature) (values []string, ok bool) {
	n := sig.Params().Len()
	if sig.Variadic() {
		n--
	}
	for i := range n {
		t := sig.Params().At(i).Type()
		if p.hidden(t) != "" {
			return nil, false
		}
		list, err := p.sample(t, "")
		if err != nil {
			return nil, false
		}
		if list != nil {
			values = append(values, list[0])
			continue
		}
		if list = p.values(t, 0); len(list) == 0 {
			return nil, false
		}
		value := list[min(1, len(list)-1)] // the first is often zero
		if b, ok := t.(*types.Basic); ok && b.Info()&types.IsInteger != 0 {
			value = "3"
			if p.wide {
				value = "2" // fewer than there are keys
			}
		}
		values = append(values, value)
	}
	return values, true
}
