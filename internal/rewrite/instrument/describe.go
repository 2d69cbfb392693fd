// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package instrument

import (
	"reflect"
	"slices"
	"strings"

	"github.com/commutego/commute/ecl"
	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/rewrite/literal"
)

// printer prints the engine's types for a package that is instrumented. Its prefix differs from
// commute_, as a specified method may be called anything.
var printer = literal.Printer{
	Prefix: "commuteABI_", // what is specified may be called anything, also behind commute_
	Unsafe: "commute_unsafe",
	Names: map[reflect.Type]string{
		reflect.TypeFor[commrace.Call](): "commute_Call",
		reflect.TypeFor[commrace.Spec](): "commute_Spec",
	},
}

// declarations are the types that a package shares with the engine, printed from the engine's own,
// so that the layouts agree.
var declarations = printer.Declare(
	reflect.TypeFor[commrace.Call](),
	reflect.TypeFor[commrace.Spec](),
	reflect.TypeFor[compiled.Table](),
	reflect.TypeFor[compiled.Method](),
	reflect.TypeFor[compiled.Touch](),
	reflect.TypeFor[compiled.Point](),
	reflect.TypeFor[compiled.Formula](),
	reflect.TypeFor[compiled.Alternative](),
	reflect.TypeFor[compiled.Condition](),
)

// Describe is a table as the engine takes it.
func Describe(t *ecl.Table) *compiled.Table {
	c := &compiled.Table{TypeName: t.Spec.TypeName()}
	for _, m := range t.Methods {
		c.Methods = append(c.Methods, describeMethod(t, m))
	}
	for i, p := range t.Points {
		point := compiled.Point{Name: p.Name, Keyed: p.Keyed}
		for j := range t.Points {
			if t.Conflict(i, j) {
				point.Conflicts |= 1 << j
			}
		}
		c.Points = append(c.Points, point)
	}
	for _, p := range t.Spec.Pairs {
		first, second, _ := ordered(p.M)
		c.Formulas = append(c.Formulas, compiled.Formula{First: first, Second: second,
			Pos: p.Pos.String(), Text: strings.ReplaceAll(p.Text, "\t", " ")})
	}
	for _, a := range t.Spec.Also {
		first, second, swapped := ordered(a.M)
		alternative := compiled.Alternative{First: first, Second: second}
		for _, cond := range a.Conds {
			if swapped {
				cond = cond.Swapped()
			}
			alternative.Conditions = append(alternative.Conditions, describeCondition(cond))
		}
		c.Also = append(c.Also, alternative)
	}
	return c
}

// describeMethod is a method of a table as the engine takes it. A touch is an access point and the
// number of its key among those of the method.
func describeMethod(t *ecl.Table, m *ecl.TableMethod) compiled.Method {
	c := compiled.Method{
		Name: m.Name, Role: byte(m.Role), Callback: m.Callback != "", Open: t.Spec.Open,
		Derived: t.Spec.Derived,
		Params:  strings.Join(m.Params, ","), Results: strings.Join(m.Results, ","),
		Visible: m.Real,
	}
	for _, k := range m.Keys {
		c.Keys = append(c.Keys, uint8(k))
	}
	for _, touch := range m.Touch {
		list := []compiled.Touch{}
		for _, u := range touch {
			list = append(list, compiled.Touch{
				Point: uint8(u.Point),
				Key:   uint8(max(slices.Index(m.Keys, u.Arg), 0)),
			})
		}
		c.Touch = append(c.Touch, list)
	}
	return c
}

// ordered are the numbers of two methods, the lower one first. swapped says that their order was
// the other one.
func ordered(m [2]*ecl.Method) (first, second uint8, swapped bool) {
	a, b := uint8(m[0].Index), uint8(m[1].Index)
	return min(a, b), max(a, b), a > b
}

// describeCondition is a condition.
func describeCondition(c ecl.Cond) compiled.Condition {
	sign := func(yes, no byte) byte {
		if c.Want {
			return yes
		}
		return no
	}
	switch c.Kind {
	case ecl.First:
		return compiled.Condition{Op: sign('+', '-'), I: uint8(c.X)}
	case ecl.Second:
		return compiled.Condition{Op: sign('+', '-'), Of: 1, I: uint8(c.Y)}
	case ecl.FirstUnused:
		return compiled.Condition{Op: '~', I: uint8(c.X)}
	case ecl.SecondUnused:
		return compiled.Condition{Op: '~', Of: 1, I: uint8(c.Y)}
	}
	return compiled.Condition{Op: sign('=', '!'), I: uint8(c.X), J: uint8(c.Y)}
}
