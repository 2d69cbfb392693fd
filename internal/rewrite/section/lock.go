// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"fmt"
	"go/ast"
	"go/types"

	"github.com/commutego/commute/analyzer/section"
	"github.com/commutego/commute/internal/engine/compiled"
)

// lock has the receiver of a call that takes a lock go through a wrapper. If some touch was left
// out, no section is whole. A lock that no wrapper announces has no complete sections.
func (g *generator) lock(i int, l *section.LockSite, whole bool) {
	site := compiled.LockSite{Lock: l.Name, Read: l.Read, Complete: l.Complete && whole,
		At: g.line(l.Call.Pos())}
	var why string
	if site.Size, why = g.announce(i, l); why != "" {
		g.omit(l.Call.Pos(), why)
	}
	g.locks = append(g.locks, site)
}

// announce writes the wrapper, and returns the size of the lock. The lock may be in an embedded
// field, which the call doesn't name: the wrapper does.
func (g *generator) announce(i int, l *section.LockSite) (size uint32, why string) {
	if why := g.unfit(l.Call); why != "" {
		return 0, why
	}
	sel, ok := ast.Unparen(l.Call.Fun).(*ast.SelectorExpr)
	if !ok {
		return 0, "it is not a call of a method"
	}
	if _, ok := g.again(sel.X); !ok {
		return 0, "what has the lock is found by a call"
	}
	fields, t, ok := g.promoted(sel)
	if !ok {
		return 0, "the lock's field can't be named here"
	}
	address := "&"
	if p, ok := t.Underlying().(*types.Pointer); ok {
		address, t = "", p.Elem()
	}
	if size, ok = g.sizeOf(t); !ok {
		return 0, "the size of the lock is not known"
	}
	g.wrap(sel.X, fmt.Sprintf("commute_touchLock(&commute_locks[%d], %s", i, address), fields+")")
	return size, ""
}

// promoted returns the embedded fields that a call of a method goes through, as text behind its
// operand, and the type of what has the method.
func (g *generator) promoted(sel *ast.SelectorExpr) (fields string, t types.Type, ok bool) {
	s := g.info.Selections[sel]
	if s == nil || s.Kind() != types.MethodVal {
		return "", nil, false
	}
	t = s.Recv()
	if len(s.Index()) > 1 {
		fields = ""
	}
	for _, i := range s.Index()[:len(s.Index())-1] {
		under := t.Underlying()
		if p, ok := under.(*types.Pointer); ok {
			under = p.Elem().Underlying()
		}
		st, ok := under.(*types.Struct)
		if !ok {
			return "", nil, false
		}
		f := st.Field(i)
		if !f.Exported() && f.Pkg().Path() != g.pkg.Source.Path {
			return "", nil, false
		}
		fields += "." + f.Name()
		t = f.Type()
	}
	return fields, t, true
}

// sizeOf is the size of a type, if it is known at compile time, and not that of an interface.
func (g *generator) sizeOf(t types.Type) (size uint32, ok bool) {
	if types.IsInterface(t) || generic(t, 0) {
		return 0, false
	}
	n := g.pkg.Sizes.Sizeof(t)
	return uint32(n), 0 < n && n < 1<<16
}

// generic reports whether the size of a type depends on a type parameter.
func generic(t types.Type, depth int) bool {
	if _, ok := types.Unalias(t).(*types.TypeParam); ok || depth > 10 {
		return true
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for f := range u.Fields() {
			if generic(f.Type(), depth+1) {
				return true
			}
		}
	case *types.Array:
		return generic(u.Elem(), depth+1)
	}
	return false
}
