// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package spectest

import (
	"cmp"
	"go/types"
	"slices"

	"github.com/commutego/commute/ecl"
	"github.com/commutego/commute/internal/spectest/weakest"
)

// A condition is one on a call of a method, over its names, that inferred formulas may have.
type condition struct {
	text, negated string
	cost          int
	boolean       bool // the text is the name of a value
	odd           bool // it is about a certain value
}

// An asked pair has what samples say of two calls, besides the conditions on each.
type asked struct{ comparisons []comparison }

// A comparison is that value x of the first call differs from value y of the second one.
type comparison struct {
	x, y int // in the order of [ecl.Method.Vars]
	cost int
	key  bool // the values can be keys
}

// What literals cost, from those that formulas have often to those that they have rarely.
const (
	always = usual - 1
	usual  = weakest.Plain
	seldom = usual + 1
	rarely = 2 * usual
)

// How many conditions on a call, and comparisons of a pair, are looked at. All of a pair are the
// bits of a word.
const (
	maxConditions  = 20
	maxComparisons = weakest.MaxBits - 2*maxConditions
)

// ask has samples say what inferred formulas may speak of.
func (p *plan) ask() {
	for _, m := range p.methods {
		m.asked = m.candidates()
	}
	for _, pair := range p.spec.Pairs {
		x, y := p.methods[pair.M[0].Index], p.methods[pair.M[1].Index]
		p.asked = append(p.asked, asked{comparisons(x, y)})
	}
}

// A value is a parameter or a result of a method.
type value struct {
	index    int // in the order of [ecl.Method.Vars]
	name     string
	isParam  bool
	typ      types.Type // in the instance that is tested
	declared types.Type // as the method's declaration has it
}

// values lists the parameters and results that have a name.
func (m *method) values() (list []value) {
	add := func(first int, names []string, tuple, declared *types.Tuple) {
		for i, name := range names {
			if name != "_" && i < tuple.Len() {
				list = append(list, value{first + i, name, first+i < len(m.Params),
					tuple.At(i).Type(), declared.At(i).Type()})
			}
		}
	}
	origin := m.fn.Origin().Signature()
	add(0, m.Params, m.sig.Params(), origin.Params())
	add(len(m.Params), m.Results, m.sig.Results(), origin.Results())
	return list
}

// candidates lists the conditions on a call of m.
func (m *method) candidates() (list []condition) {
	values := m.values()
	for _, v := range values {
		v.candidates(&list)
	}
	for i, v := range values {
		for _, w := range values[i+1:] {
			if !v.sameType(w) || v.is(types.IsBoolean) || !v.comparable() || v.isError() {
				continue
			}
			x, y, odd := v.name, w.name, v.isKey()
			add := func(cost int, text, negated string, odd bool) {
				list = append(list, condition{text: text, negated: negated, cost: cost, odd: odd})
			}
			cost := usual
			if odd {
				cost = seldom
			}
			add(cost, x+" == "+y, x+" != "+y, odd)
			if v.is(types.IsInteger | types.IsFloat) {
				add(rarely, x+" <= "+y, x+" > "+y, true)
				add(rarely, x+" >= "+y, x+" < "+y, true)
			}
			if zero := v.zero(); zero != "" {
				a, b := "("+x+" == "+zero+")", "("+y+" == "+zero+")"
				add(seldom, a+" == "+b, a+" != "+b, odd || zero != "nil")
			}
		}
	}
	slices.SortStableFunc(list, func(a, b condition) int { return cmp.Compare(a.cost, b.cost) })
	return append([]condition{}, list[:min(len(list), maxConditions)]...)
}

// candidates adds the conditions on one value.
func (v value) candidates(list *[]condition) {
	add := func(cost int, text, negated string) {
		*list = append(*list, condition{text: text, negated: negated, cost: cost,
			odd: !v.isError()})
	}
	switch u := v.declared.Underlying().(type) {
	case *types.Slice, *types.Map:
		*list = append(*list, condition{text: "len(" + v.name + ") == 0",
			negated: "len(" + v.name + ") != 0", cost: usual})
		return
	case *types.Basic:
		if u.Info()&types.IsBoolean != 0 {
			*list = append(*list, condition{text: v.name, negated: "!" + v.name, cost: usual,
				boolean: true})
			return
		}
	}
	zero := v.zero()
	if zero == "" {
		return
	}
	cost := seldom
	if v.isError() {
		cost = usual
	}
	add(cost, v.name+" == "+zero, v.name+" != "+zero)
	if v.is(types.IsInteger|types.IsFloat) && !v.is(types.IsUnsigned) {
		add(rarely, v.name+" > 0", v.name+" <= 0")
		add(rarely, v.name+" < 0", v.name+" >= 0")
	}
}

// zero is the zero value of v's type as a formula can have it, "" if it can't.
func (v value) zero() string {
	if _, ok := types.Unalias(v.declared).(*types.TypeParam); ok {
		return ""
	}
	switch u := v.declared.Underlying().(type) {
	case *types.Pointer, *types.Interface, *types.Signature, *types.Chan:
		return "nil"
	case *types.Basic:
		switch info := u.Info(); {
		case info&types.IsString != 0:
			return `""`
		case info&(types.IsInteger|types.IsFloat) != 0:
			return "0"
		}
	}
	return ""
}

// is reports whether v's type has a property of basic types.
func (v value) is(info types.BasicInfo) bool {
	if _, ok := types.Unalias(v.declared).(*types.TypeParam); ok {
		return false
	}
	b, ok := v.declared.Underlying().(*types.Basic)
	return ok && b.Info()&info != 0
}

// comparable reports whether two values can be compared: those of a type parameter often can.
func (v value) comparable() bool {
	_, param := types.Unalias(v.declared).(*types.TypeParam)
	return param || types.Comparable(v.declared)
}

func (v value) isError() bool { return types.Identical(v.declared, errorType) }

var errorType = types.Universe.Lookup("error").Type()

// isKey reports whether v is likely to be a key, which has nothing to do with other values.
func (v value) isKey() bool { return v.isParam && v.index == 0 }

// sameType reports whether two values are of one type: not in the instance alone, if that is of a
// generic type.
func (v value) sameType(w value) bool {
	x, _ := types.Unalias(v.declared).(*types.TypeParam)
	y, _ := types.Unalias(w.declared).(*types.TypeParam)
	if (x == nil) != (y == nil) || x != nil && x.Index() != y.Index() {
		return false // each method has type parameters of its own
	}
	return types.Identical(v.typ, w.typ)
}

// comparisons lists those of a call of m and one of n.
func comparisons(m, n *method) (list []comparison) {
	for _, v := range m.values() {
		for _, w := range n.values() {
			if !v.sameType(w) || v.is(types.IsBoolean) || !v.comparable() || v.isError() {
				continue
			}
			c := comparison{v.index, w.index, usual, types.Comparable(v.declared)}
			switch {
			case !v.isParam && !w.isParam:
				c.key, c.cost = false, rarely // results alone say nothing of what was asked
			case v.isParam != w.isParam:
				c.cost = seldom
			case v.isKey() && w.isKey():
				c.cost = always
			case v.index != w.index && v.name != w.name:
				c.cost = seldom
			}
			list = append(list, c)
		}
	}
	slices.SortStableFunc(list, func(a, b comparison) int { return cmp.Compare(a.cost, b.cost) })
	if len(list) > maxComparisons {
		list = list[:maxComparisons]
	}
	if m == n { // with the calls exchanged each has to be there, too
		all := slices.Clone(list)
		list = slices.DeleteFunc(list, func(c comparison) bool {
			return !slices.ContainsFunc(all, func(d comparison) bool {
				return d.x == c.y && d.y == c.x
			})
		})
	}
	return list
}

// bits are what the bits of a sample's valuations of a pair are about.
func (p *plan) bits(pair int) (list []weakest.Bit) {
	ms := p.spec.Pairs[pair].M
	n := len(p.methods[ms[0].Index].asked)
	for call, m := range ms {
		for i, c := range p.methods[m.Index].asked {
			list = append(list, weakest.Bit{Call: call + 1, Cost: c.cost, Swap: (1-call)*n + i,
				Value: c.boolean, Odd: c.odd})
		}
	}
	first := len(list)
	all := p.asked[pair].comparisons
	for _, c := range all {
		list = append(list, weakest.Bit{Cost: c.cost, Key: c.key,
			Swap: first + slices.IndexFunc(all, func(d comparison) bool {
				return d.x == c.y && d.y == c.x
			})})
	}
	return list
}

// literal prints bit i of a pair's valuations, or its negation. Values have the number of their
// call.
func (p *plan) literal(pair, i int, truth bool) string {
	for call, m := range p.spec.Pairs[pair].M {
		asked := p.methods[m.Index].asked
		if i >= len(asked) {
			i -= len(asked)
			continue
		}
		text := asked[i].text
		if !truth {
			text = asked[i].negated
		}
		return ecl.RenameVars(text, func(name string) string {
			if slices.Contains(m.Vars(), name) {
				return numbered(name, call)
			}
			return name
		})
	}
	c := p.asked[pair].comparisons[i]
	op := " == "
	if truth {
		op = " != "
	}
	return p.value(pair, 0, c.x) + op + p.value(pair, 1, c.y)
}

func (p *plan) value(pair, call, i int) string {
	return numbered(p.spec.Pairs[pair].M[call].Vars()[i], call)
}

// numbered is a name with the number of its call, which is 0 or 1.
func numbered(name string, call int) string { return name + [...]string{"1", "2"}[call] }
