// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package spectest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/commutego/commute/ecl"
)

// exhaust makes, in all states that few calls build, each two calls in both orders. Where they do
// not commute no formula and no alternative may hold. It returns how often one held.
func exhaust(t *testing.T, m model, r *Inferred) (claims int) {
	text := "//ecl:type models.T\n" + strings.Join(r.Lines, "\n") + "\n"
	list, err := ecl.Parse("inferred.ecl", 1, 1, text)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ecl.Compile(list[0]); err != nil {
		t.Fatal(err)
	}
	e := &exhausted{model: m, spec: list[0]}
	var all, steps []modelCall
	for _, method := range list[0].Methods {
		calls := e.calls(method)
		all = append(all, calls...)
		if method.Role != ecl.Observer {
			steps = append(steps, calls...)
		}
	}
	claim := make(map[[2]string][]ast.Expr)
	for _, p := range r.Pairs {
		pair := [2]string{p.First, p.Second}
		for _, text := range append(p.Also, p.Formula) {
			x, err := parser.ParseExpr(text)
			if err != nil {
				t.Fatal(err)
			}
			claim[pair] = append(claim[pair], x)
		}
	}
	for _, state := range e.states(steps, 4) {
		for _, a := range all {
			for _, b := range all {
				exprs, ok := claim[[2]string{a.method.Name, b.method.Name}]
				if !ok {
					continue // the other order is one of the pairs
				}
				if held, wrong := e.try(state, a, b, exprs); held {
					claims++
					if wrong != "" {
						t.Errorf("after %v: %v and %v do not commute: %s", state, a, b, wrong)
					}
				}
			}
		}
	}
	return claims
}

// exhausted is a model whose states are enumerated.
type exhausted struct {
	model
	spec *ecl.Spec
}

// A modelCall is a call with its arguments.
type modelCall struct {
	method *ecl.Method
	args   []reflect.Value
}

func (c modelCall) String() string {
	var args []string
	for _, a := range c.args {
		args = append(args, fmt.Sprintf("%#v", a.Interface()))
	}
	return c.method.Name + "(" + strings.Join(args, ", ") + ")"
}

// values are the arguments that are tried of each type.
var modelValues = map[reflect.Type][]reflect.Value{
	reflect.TypeFor[string](): valuesOf("", "a", "b"),
	reflect.TypeFor[int]():    valuesOf(0, 1, -1, -3),
	reflect.TypeFor[any](): {reflect.Zero(reflect.TypeFor[any]()), reflect.ValueOf(1),
		reflect.ValueOf("x")},
	reflect.TypeFor[[]string](): valuesOf([]string(nil), []string{"a"}, []string{"b", "a"}),
}

func valuesOf[T any](list ...T) (values []reflect.Value) {
	for _, v := range list {
		values = append(values, reflect.ValueOf(v))
	}
	return values
}

// calls lists the calls of a method.
func (e *exhausted) calls(m *ecl.Method) []modelCall {
	list := []modelCall{{method: m}}
	typ := reflect.ValueOf(e.make()).MethodByName(m.Name).Type()
	for in := range typ.Ins() {
		var longer []modelCall
		for _, c := range list {
			for _, v := range modelValues[in] {
				longer = append(longer, modelCall{m, append(c.args[:len(c.args):len(c.args)], v)})
			}
		}
		list = longer
	}
	return list
}

// maxStates bounds the states of a model.
const maxStates = 500

// states lists calls that bring a new object into each state that up to n calls can build.
func (e *exhausted) states(steps []modelCall, n int) (list [][]modelCall) {
	known := make(map[string]bool)
	add := func(calls []modelCall) {
		o := reflect.ValueOf(e.make())
		for _, c := range calls {
			c.on(o)
		}
		if text := fmt.Sprintf("%v", o.Elem().Interface()); !known[text] && len(list) < maxStates {
			known[text] = true
			list = append(list, calls)
		}
	}
	add(nil)
	last := list
	for range n {
		old := len(list)
		for _, s := range last {
			for _, c := range steps {
				add(append(s[:len(s):len(s)], c))
			}
		}
		last = list[old:]
	}
	return list
}

// try makes two calls in both orders, and evaluates the formulas on the values of either. If one
// holds, the results and what becomes of the object have to be the same.
func (e *exhausted) try(state []modelCall, a, b modelCall, claims []ast.Expr) (held bool,
	wrong string) {
	var results [2][2][]any
	var after [2]string
	for order := range 2 {
		o := reflect.ValueOf(e.make())
		for _, c := range state {
			c.on(o)
		}
		if order == 0 {
			results[0][0] = a.on(o)
			results[0][1] = b.on(o)
		} else {
			results[1][1] = b.on(o)
			results[1][0] = a.on(o)
		}
		after[order] = fmt.Sprintf("%v", o.Elem().Interface())
	}
	same := reflect.DeepEqual(results[0], results[1])
	for _, r := range results {
		for _, x := range claims {
			v := newValuation(a, b, r)
			switch {
			case !v.truth(x):
			case after[0] != after[1]:
				return true, fmt.Sprintf("%s becomes %s or %s", e.name, after[0], after[1])
			case !same && !v.unused:
				return true, fmt.Sprintf("the results are %v or %v", results[0], results[1])
			default:
				held = true
			}
		}
	}
	return held, ""
}

// on makes a call and returns its results.
func (c modelCall) on(o reflect.Value) (list []any) {
	f := o.MethodByName(c.method.Name)
	call := f.Call
	if f.Type().IsVariadic() {
		call = f.CallSlice
	}
	for _, r := range call(c.args) {
		list = append(list, r.Interface())
	}
	return list
}

// A valuation has the values of two calls by their names in formulas.
type valuation struct {
	values map[string]any
	unused bool // unused was asked for
}

func newValuation(a, b modelCall, results [2][]any) *valuation {
	v := &valuation{values: map[string]any{"nil": nil, "true": true, "false": false}}
	for i, c := range []modelCall{a, b} {
		number := strconv.Itoa(i + 1)
		for k, name := range c.method.Params {
			v.values[name+number] = c.args[k].Interface()
		}
		for k, name := range c.method.Results {
			v.values[name+number] = results[i][k]
		}
	}
	return v
}

func (v *valuation) truth(e ast.Expr) bool { return v.eval(e).(bool) }

// eval evaluates an expression of a formula.
func (v *valuation) eval(e ast.Expr) any {
	switch e := e.(type) {
	case *ast.Ident:
		return v.values[e.Name]
	case *ast.BasicLit:
		if e.Kind == token.INT {
			n, _ := strconv.Atoi(e.Value)
			return n
		}
		s, _ := strconv.Unquote(e.Value)
		return s
	case *ast.ParenExpr:
		return v.eval(e.X)
	case *ast.UnaryExpr:
		return !v.truth(e.X)
	case *ast.CallExpr:
		if e.Fun.(*ast.Ident).Name == "unused" {
			v.unused = true
			return true
		}
		return reflect.ValueOf(v.eval(e.Args[0])).Len()
	case *ast.BinaryExpr:
		switch e.Op {
		case token.LAND:
			return v.truth(e.X) && v.truth(e.Y)
		case token.LOR:
			return v.truth(e.X) || v.truth(e.Y)
		case token.EQL:
			return v.eval(e.X) == v.eval(e.Y)
		case token.NEQ:
			return v.eval(e.X) != v.eval(e.Y)
		}
		x, y := v.eval(e.X).(int), v.eval(e.Y).(int)
		switch e.Op {
		case token.LSS:
			return x < y
		case token.LEQ:
			return x <= y
		case token.GTR:
			return x > y
		case token.GEQ:
			return x >= y
		}
	}
	panic(fmt.Sprintf("no formula has %T", e))
}
