// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package flow

import (
	"fmt"
	"go/token"
	"go/types"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// A Term is a value as an expression over constants, package-level variables and leaves. For
// example, *(#1.0) is the first field of what leaf 1 points to. Two values with equal terms are
// equal, with two exceptions. A variable that the terms read may have been written in between, or a
// leaf computed again, in the next round of a loop.
type Term struct {
	Text   string
	Reads  []string          // the addresses that are read
	Leaves []ssa.Instruction // the leaves that are computed in the function
	Loose  bool              // a value with an equal term may be another: see [Program.Loose]
}

// maxTerm bounds the length of a term; a value with a longer one is a leaf.
const maxTerm = 500

// Term returns the term of a value. The address of a field of what is at an address begins with the
// term of that address.
func (p *Program) Term(v ssa.Value) *Term {
	if t := p.terms[v]; t != nil {
		return t
	}
	p.terms[v] = p.leaf(v) // ends the recursion of a value that is computed from itself
	t := p.compose(v)
	if t == nil || len(t.Text) > maxTerm {
		t = p.leaf(v)
	}
	p.terms[v] = t
	return t
}

// leaf is the term of a value as a leaf: its number.
func (p *Program) leaf(v ssa.Value) *Term {
	id, ok := p.ids[v]
	if !ok {
		id = len(p.ids)
		p.ids[v] = id
	}
	t := &Term{Text: "#" + strconv.Itoa(id)}
	if id == len(p.leaves) {
		p.leaves = append(p.leaves, v)
	}
	if instr, ok := v.(ssa.Instruction); ok {
		t.Leaves = []ssa.Instruction{instr}
	}
	return t
}

// compose returns the term of a value by its operation; nil if the value is a leaf. Operations that
// may give another result for equal operands, such as calls and receives, make leaves.
func (p *Program) compose(v ssa.Value) *Term {
	switch v := v.(type) {
	case *ssa.Const:
		return &Term{Text: "const " + v.Type().String() + " " +
			strings.ReplaceAll(v.String(), "#", `\x23`)}
	case *ssa.Global, *ssa.Function:
		return &Term{Text: v.String()}
	case *ssa.FreeVar:
		return p.captured(v)
	case *ssa.FieldAddr:
		return p.unary("%s."+strconv.Itoa(v.Field), v.X)
	case *ssa.Field:
		return p.unary("%s."+strconv.Itoa(v.Field), v.X)
	case *ssa.IndexAddr:
		return p.binary("%s[%s]", v.X, v.Index)
	case *ssa.Index:
		return p.binary("%s[%s]", v.X, v.Index)
	case *ssa.UnOp:
		switch v.Op {
		case token.MUL:
			if value := p.Assigned(v.X); value != nil {
				return p.Term(value)
			}
			t := p.unary("*(%s)", v.X)
			t.Reads = append(t.Reads, p.Term(v.X).Text)
			return t
		case token.ARROW: // each receive gives another value
			return nil
		}
		return p.unary(v.Op.String()+"(%s)", v.X)
	case *ssa.BinOp:
		return p.binary("(%s "+v.Op.String()+" %s)", v.X, v.Y)
	case *ssa.Convert:
		if _, ok := v.X.Type().Underlying().(*types.Slice); ok {
			break // its elements are read
		}
		return p.unary(v.Type().String()+"(%s)", v.X)
	case *ssa.ChangeType:
		return p.unary(v.Type().String()+"(%s)", v.X)
	case *ssa.ChangeInterface:
		return p.unary(v.Type().String()+"(%s)", v.X)
	case *ssa.MakeInterface:
		return p.unary("any "+v.X.Type().String()+"(%s)", v.X)
	case *ssa.TypeAssert:
		if !v.CommaOk {
			return p.unary("%s.("+v.AssertedType.String()+")", v.X)
		}
	}
	if p.Loose {
		return p.loose(v)
	}
	return nil
}

// unary is the term of an operation on one value.
func (p *Program) unary(format string, x ssa.Value) *Term {
	t := p.Term(x)
	return &Term{strings.ReplaceAll(format, "%s", t.Text), append([]string(nil), t.Reads...),
		t.Leaves, t.Loose}
}

// binary is the term of an operation on two values.
func (p *Program) binary(format string, x, y ssa.Value) *Term {
	t, u := p.Term(x), p.Term(y)
	return &Term{
		fmt.Sprintf(format, t.Text, u.Text),
		append(append([]string(nil), t.Reads...), u.Reads...),
		append(append([]ssa.Instruction(nil), t.Leaves...), u.Leaves...),
		t.Loose || u.Loose,
	}
}

// captured is the term that a captured variable has in the function around the literal, nil if that
// is not known.
func (p *Program) captured(v *ssa.FreeVar) *Term {
	c := p.Closures[v.Parent()]
	if c == nil {
		return nil
	}
	for i, free := range v.Parent().FreeVars {
		if free == v {
			return p.Term(c.Bindings[i])
		}
	}
	return nil
}

// Overlap reports whether one of two addresses lies in the variable at the other. The address of a
// field or an element begins with that of its variable.
func Overlap(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	return strings.HasPrefix(b, a) && (len(a) == len(b) || b[len(a)] == '.' || b[len(a)] == '[')
}

// Unchanged reports whether a term can have the same value at two instructions: there is a path
// between them without an instruction that would change it.
func (f *Function) Unchanged(t *Term, from, to ssa.Instruction) bool {
	return f.Reaches(from, to, func(instr ssa.Instruction) bool {
		for _, leaf := range t.Leaves {
			if leaf == instr {
				return true
			}
		}
		if store, ok := instr.(*ssa.Store); ok {
			addr := f.Term(store.Addr).Text
			for _, read := range t.Reads {
				if Overlap(read, addr) {
					return true
				}
			}
		}
		return false
	})
}
