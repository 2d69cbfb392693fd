// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package flow

import (
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// loose is the term of what may have another value each time it is computed, nil for a leaf.
func (p *Program) loose(v ssa.Value) *Term {
	switch v := v.(type) {
	case *ssa.Call:
		return p.call(v)
	case *ssa.Extract:
		if _, ok := v.Tuple.(*ssa.Call); ok {
			return p.unary("result"+strconv.Itoa(v.Index)+"(%s)", v.Tuple)
		}
	}
	t := p.read(v)
	if t != nil {
		t.Loose = true
	}
	return t
}

// read is loose but for calls.
func (p *Program) read(v ssa.Value) *Term {
	switch v := v.(type) {
	case *ssa.Lookup:
		return p.binary("%s{%s}", v.X, v.Index)
	case *ssa.TypeAssert:
		return p.unary("%s.("+v.AssertedType.String()+")", v.X)
	case *ssa.Extract:
		switch v.Tuple.(type) {
		case *ssa.Lookup, *ssa.TypeAssert:
			if v.Index == 0 {
				return p.unary("%s", v.Tuple)
			}
			return p.unary("ok(%s)", v.Tuple)
		}
	case *ssa.Convert:
		return p.unary(v.Type().String()+"(%s)", v.X)
	}
	return nil
}

// call is the term of a call: what is called, and the arguments. A call of a function value is a
// leaf.
func (p *Program) call(v *ssa.Call) *Term {
	name := ""
	args := v.Call.Args
	switch callee := v.Call.Value.(type) {
	case *ssa.Builtin:
		name = callee.Name()
	default:
		if v.Call.IsInvoke() {
			name = v.Call.Method.FullName()
			args = append([]ssa.Value{v.Call.Value}, args...)
		} else if fn := v.Call.StaticCallee(); fn != nil && len(fn.FreeVars) == 0 {
			name = fn.String()
		}
	}
	if name == "" {
		return nil
	}
	t := &Term{Loose: !getter(&v.Call)}
	var texts []string
	for _, arg := range args {
		a := p.Term(arg)
		t.Loose = t.Loose || a.Loose
		texts = append(texts, a.Text)
		t.Reads = append(t.Reads, a.Reads...)
		t.Leaves = append(t.Leaves, a.Leaves...)
	}
	t.Text = fmt.Sprintf("%s(%s)", name, strings.Join(texts, ", "))
	return t
}

// getter reports whether a call only reads, by the name of what is called: GetName, as generated
// code has it. It has no arguments.
func getter(call *ssa.CallCommon) bool {
	name, args := "", len(call.Args)
	if call.IsInvoke() {
		name = call.Method.Name()
	} else if fn := call.StaticCallee(); fn != nil && call.Signature().Recv() != nil {
		name = fn.Name()
		args--
	}
	rest, ok := strings.CutPrefix(name, "Get")
	return ok && rest != "" && 'A' <= rest[0] && rest[0] <= 'Z' && args == 0 &&
		call.Signature().Results().Len() == 1
}

// Assigned is the value of a local variable that is assigned once. The variable is given by its
// address. For other variables the result is nil. A captured variable has this value in a literal,
// too.
func (p *Program) Assigned(addr ssa.Value) ssa.Value {
	for {
		free, ok := addr.(*ssa.FreeVar)
		if !ok {
			break
		}
		if addr = p.Binding(free); addr == nil {
			return nil
		}
	}
	if v, ok := addr.(*ssa.Alloc); ok {
		var stored ssa.Value
		if p.stores(v, &stored, 0) {
			if _, parameter := stored.(*ssa.Parameter); parameter || p.Loose {
				return stored // others may be read before they are assigned
			}
		}
	}
	return nil
}

// Binding is what a captured variable stands for in the function around the literal, nil if that
// is not known.
func (p *Program) Binding(v *ssa.FreeVar) ssa.Value {
	if c := p.Closures[v.Parent()]; c != nil {
		for i, free := range v.Parent().FreeVars {
			if free == v {
				return c.Bindings[i]
			}
		}
	}
	return nil
}

// stores sets the value that is stored at an address. It reports whether there is at most one, and
// no other use but loads.
func (p *Program) stores(addr ssa.Value, stored *ssa.Value, depth int) bool {
	if depth > 4 {
		return false
	}
	for _, use := range *addr.Referrers() {
		switch use := use.(type) {
		case *ssa.UnOp, *ssa.DebugRef:
		case *ssa.Store:
			if use.Val == addr || *stored != nil {
				return false
			}
			*stored = use.Val
		case *ssa.MakeClosure:
			for i, bound := range use.Bindings {
				free := use.Fn.(*ssa.Function).FreeVars[i]
				if bound == addr && !p.stores(free, stored, depth+1) {
					return false
				}
			}
		default:
			return false
		}
	}
	return true
}

// Replace replaces each leaf of a term's text for which the function by returns another text.
func (p *Program) Replace(text string, by func(ssa.Value) (string, bool)) string {
	var b strings.Builder
	for {
		i := strings.IndexByte(text, '#')
		if i < 0 {
			break
		}
		end := i + 1
		for end < len(text) && '0' <= text[end] && text[end] <= '9' {
			end++
		}
		b.WriteString(text[:i])
		leaf := text[i:end]
		if n, err := strconv.Atoi(leaf[1:]); err == nil && n < len(p.leaves) {
			if other, ok := by(p.leaves[n]); ok {
				leaf = other
			}
		}
		b.WriteString(leaf)
		text = text[end:]
	}
	b.WriteString(text)
	return b.String()
}
