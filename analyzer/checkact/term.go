// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package checkact

import (
	"fmt"
	"go/token"
	"go/types"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// A term is a value as an expression over what a function has not computed itself, and over what no
// expression stands for. Two values of equal terms are equal, unless something that the terms read
// has been written in between, or a leaf has been computed anew.
type term struct {
	text   string
	reads  []string          // the terms of addresses that are read
	leaves []ssa.Instruction // that are computed in the function
}

// maxTerm bounds the length of a term; what is longer is a leaf.
const maxTerm = 500

// term returns the term of a value. The address of a field of what is at an address begins with the
// term of that address.
func (p *program) term(v ssa.Value) *term {
	if t := p.terms[v]; t != nil {
		return t
	}
	p.terms[v] = p.leaf(v) // a value that is made of itself is a leaf
	t := p.compose(v)
	if t == nil || len(t.text) > maxTerm {
		t = p.leaf(v)
	}
	p.terms[v] = t
	return t
}

func (p *program) leaf(v ssa.Value) *term {
	id, ok := p.ids[v]
	if !ok {
		id = len(p.ids)
		p.ids[v] = id
	}
	t := &term{text: "#" + strconv.Itoa(id)}
	if instr, ok := v.(ssa.Instruction); ok {
		t.leaves = []ssa.Instruction{instr}
	}
	return t
}

// compose returns the term of a value that is made of others, or that stands for itself; nil if it
// is a leaf.
func (p *program) compose(v ssa.Value) *term {
	switch v := v.(type) {
	case *ssa.Const:
		return &term{text: "const " + v.Type().String() + " " + v.String()}
	case *ssa.Global, *ssa.Function:
		return &term{text: v.String()}
	case *ssa.FreeVar:
		return p.captured(v)
	case *ssa.FieldAddr:
		return p.of1("%s."+strconv.Itoa(v.Field), v.X)
	case *ssa.Field:
		return p.of1("%s."+strconv.Itoa(v.Field), v.X)
	case *ssa.IndexAddr:
		return p.of2("%s[%s]", v.X, v.Index)
	case *ssa.Index:
		return p.of2("%s[%s]", v.X, v.Index)
	case *ssa.UnOp:
		switch v.Op {
		case token.MUL:
			t := p.of1("*(%s)", v.X)
			t.reads = append(t.reads, p.term(v.X).text)
			return t
		case token.ARROW:
			return nil
		}
		return p.of1(v.Op.String()+"(%s)", v.X)
	case *ssa.BinOp:
		return p.of2("(%s "+v.Op.String()+" %s)", v.X, v.Y)
	case *ssa.Convert:
		if _, ok := v.X.Type().Underlying().(*types.Slice); ok {
			return nil // its elements are read
		}
		return p.of1(v.Type().String()+"(%s)", v.X)
	case *ssa.ChangeType:
		return p.of1(v.Type().String()+"(%s)", v.X)
	case *ssa.ChangeInterface:
		return p.of1(v.Type().String()+"(%s)", v.X)
	case *ssa.MakeInterface:
		return p.of1("any "+v.X.Type().String()+"(%s)", v.X)
	case *ssa.TypeAssert:
		if !v.CommaOk {
			return p.of1("%s.("+v.AssertedType.String()+")", v.X)
		}
	}
	return nil
}

func (p *program) of1(format string, x ssa.Value) *term {
	t := p.term(x)
	return &term{strings.ReplaceAll(format, "%s", t.text), append([]string(nil), t.reads...),
		t.leaves}
}

func (p *program) of2(format string, x, y ssa.Value) *term {
	t, u := p.term(x), p.term(y)
	return &term{
		fmt.Sprintf(format, t.text, u.text),
		append(append([]string(nil), t.reads...), u.reads...),
		append(append([]ssa.Instruction(nil), t.leaves...), u.leaves...),
	}
}

// captured is the term that a captured variable has where the literal stands, if that is one place.
func (p *program) captured(v *ssa.FreeVar) *term {
	c := p.closures[v.Parent()]
	if c == nil {
		return nil
	}
	for i, free := range v.Parent().FreeVars {
		if free == v {
			return p.term(c.Bindings[i])
		}
	}
	return nil
}

// overlap reports whether one of two addresses lies in what is at the other.
func overlap(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	return strings.HasPrefix(b, a) && (len(a) == len(b) || b[len(a)] == '.' || b[len(a)] == '[')
}

// lasting reports whether control can go from one instruction to another with nothing happening
// between that would give the term another value.
func (f *function) lasting(t *term, from, to ssa.Instruction) bool {
	return f.reaches(from, to, func(instr ssa.Instruction) bool {
		for _, leaf := range t.leaves {
			if leaf == instr {
				return true
			}
		}
		if store, ok := instr.(*ssa.Store); ok {
			addr := f.term(store.Addr).text
			for _, read := range t.reads {
				if overlap(read, addr) {
					return true
				}
			}
		}
		return false
	})
}
