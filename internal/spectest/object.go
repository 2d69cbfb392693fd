// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package spectest

import (
	"fmt"
	"go/types"
	"strings"

	"github.com/commutego/commute/ecl"
)

// An object says how generated code makes an object of a type.
type object struct {
	expr  string
	typ   types.Type // of the object, as methods are called on it
	take  bool       // the expression is a value, and typ is a pointer to its type
	fails bool       // it yields an error as well
	zero  bool       // it is a zero value
}

// newObject is how an object of a specification's type is made: as it says, by New, or as a zero
// value.
func (s *scope) newObject(spec *ecl.Spec) (object, error) {
	if spec.New != "" {
		text, t, err := s.expr(spec.NewPos, spec.New)
		if err != nil {
			return object{}, err
		}
		return s.made(spec, text, t)
	}
	fail := func(text, hint string) (object, error) {
		return object{}, &ecl.Error{Pos: spec.Pos, Text: text, Hint: hint}
	}
	obj, ok := s.pkg.Types.Scope().Lookup(spec.Name).(*types.TypeName)
	if !ok {
		return fail(fmt.Sprintf("package %s has no type %s", s.pkg.PkgPath, spec.Name),
			"mend the name")
	}
	named, ok := obj.Type().(*types.Named)
	if !ok || types.IsInterface(named) {
		return fail(spec.Name+" is no type of its own", "specify the type that has the methods")
	}
	if h := s.hidden(named); h != "" {
		return fail(fmt.Sprintf("type %s is not exported by %s, which is tested from another "+
			"package", h, s.pkg.PkgPath),
			"say how an object is made: //ecl:new and an expression")
	}
	args, err := s.typeArgs(spec, named)
	if err != nil {
		return object{}, err
	}
	if o, ok := s.constructor(named, args); ok {
		return o, nil
	}
	t, err := s.instance(named, args)
	if err != nil {
		return object{}, err
	}
	return object{expr: "new(" + s.typeString(t) + ")", typ: types.NewPointer(t), zero: true}, nil
}

// instance is a type with arguments for its parameters, if it has any.
func (s *scope) instance(named *types.Named, args []types.Type) (types.Type, error) {
	if len(args) == 0 {
		return named, nil
	}
	return types.Instantiate(nil, named, args, true)
}

// made checks the type of an expression that makes objects.
func (s *scope) made(spec *ecl.Spec, text string, t types.Type) (object, error) {
	o := object{expr: text, typ: t}
	if tuple, ok := t.(*types.Tuple); ok {
		if tuple.Len() != 2 || s.shortType(tuple.At(1).Type()) != "error" {
			return o, &ecl.Error{Pos: spec.NewPos, Text: spec.New + " yields " + tuple.String(),
				Hint: "write an expression that yields an object, or an object and an error"}
		}
		o.typ, o.fails = tuple.At(0).Type(), true
	}
	if _, ok := types.Unalias(o.typ).(*types.Named); ok && !types.IsInterface(o.typ) {
		o.typ, o.take = types.NewPointer(o.typ), true
	}
	if h := s.hidden(o.typ); h != "" {
		return o, &ecl.Error{Pos: spec.NewPos, Text: "type " + h +
			" cannot be written outside of its package",
			Hint: "write an expression of an exported type"}
	}
	return o, nil
}

// constructor looks for a function NewT or New, without parameters that it needs, that makes a T or
// *T.
func (s *scope) constructor(named *types.Named, args []types.Type) (object, bool) {
	for _, name := range []string{"New" + named.Obj().Name(), "new" + named.Obj().Name(), "New"} {
		o, sig, ok := s.maker(name, named, args)
		if ok && (sig.Params().Len() == 0 || sig.Params().Len() == 1 && sig.Variadic()) {
			o.expr += "()"
			return o, true
		}
	}
	return object{}, false
}

// maker looks for a function that makes a T or *T. The expression lacks its arguments.
func (s *scope) maker(name string, named *types.Named, args []types.Type) (o object,
	sig *types.Signature, ok bool) {
	fn, ok := s.pkg.Types.Scope().Lookup(name).(*types.Func)
	if !ok || s.external && !fn.Exported() {
		return o, nil, false
	}
	sig = fn.Signature()
	o.expr = name
	if sig.TypeParams().Len() > 0 {
		if sig.TypeParams().Len() != len(args) {
			return o, sig, false
		}
		inst, err := types.Instantiate(nil, sig, args, true)
		if err != nil {
			return o, sig, false
		}
		sig = inst.(*types.Signature)
		var list []string
		for _, a := range args {
			list = append(list, s.typeString(a))
		}
		o.expr += "[" + strings.Join(list, ", ") + "]"
	}
	if n := sig.Results().Len(); n == 0 || n > 2 ||
		n == 2 && s.shortType(sig.Results().At(1).Type()) != "error" {
		return o, sig, false
	}
	t := sig.Results().At(0).Type()
	elem := t
	if p, ok := t.(*types.Pointer); ok {
		elem = p.Elem()
	}
	if x, ok := elem.(*types.Named); !ok || x.Origin() != named.Origin() {
		return o, sig, false
	}
	o.typ, o.fails = t, sig.Results().Len() == 2
	if s.external {
		o.expr = s.importName(s.pkg.PkgPath, s.pkg.Name) + "." + o.expr
	}
	if elem == t {
		o.typ, o.take = types.NewPointer(t), true
	}
	return o, sig, true
}

// typeArgs chooses types for the parameters of a generic type: string for the first, int for
// others, where the constraints allow it.
func (s *scope) typeArgs(spec *ecl.Spec, named *types.Named) (args []types.Type, err error) {
	params := named.TypeParams()
	for i := range params.Len() {
		candidates := []types.Type{types.Typ[types.Int], types.Typ[types.String],
			types.Typ[types.Float64], types.Typ[types.Bool], types.NewSlice(types.Typ[types.Byte])}
		if i == 0 {
			candidates[0], candidates[1] = candidates[1], candidates[0]
		}
		var arg types.Type
		for _, c := range candidates {
			if u, ok := params.At(i).Constraint().Underlying().(*types.Interface); ok &&
				arg == nil && types.Satisfies(c, u) {
				arg = c
			}
		}
		if arg == nil {
			return nil, &ecl.Error{Pos: spec.Pos,
				Text: fmt.Sprintf("no type is known for the parameter %s of %s", params.At(i),
					spec.Name),
				Hint: "say how an object is made: //ecl:new New[int]()"}
		}
		args = append(args, arg)
	}
	return args, nil
}
