// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package toolexec

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/commutego/commute/analyzer/checkact"
	"github.com/commutego/commute/analyzer/directive"
	"github.com/commutego/commute/analyzer/transaction"
	"github.com/commutego/commute/ecl"
	"github.com/commutego/commute/internal/rewrite/bracket"
)

// checkAct finds what the package, one of the user's own, checks and acts upon: calls, which it returns, and if memory is watched
// accesses, which it keeps. What does not type-check has none.
func (u *unit) checkAct(fset *token.FileSet, files []*ast.File, pkg *types.Package, info *types.Info, sites []directive.Site) []checkact.Pair {
	u.paired = true
	if u.ill {
		return nil
	}
	found := checkact.Find(fset, files, pkg, info, checkact.CallsOf(fset, sites, u.specOf), u.infers())
	u.pairs = found.Memory
	return found.Calls
}

// infers reports whether accesses to memory by the package may be inferred to be transactions.
func (u *unit) infers() bool { return u.Watch && watchesMemory() && !u.Std && !u.dependency() }

// inferred lists the functions of p that read and write a variable in two critical sections, and tells p of them. What is marked is no
// matter of inference, nor what is said not to be atomic.
func (u *unit) inferred(p *bracket.Package, files []*ast.File, marked transaction.Marked) ([]transaction.Mark, error) {
	if !u.paired {
		info := checkact.NewInfo()
		pkg, err := u.typeCheck(p.Fset, files, info)
		if pkg == nil || err != nil {
			return nil, err
		}
		u.checkAct(p.Fset, files, pkg, info, nil)
	}
	var nodes []ast.Node
	p.Inferred = make(map[ast.Node]string)
	for _, pair := range u.pairs {
		n := u.function(p.Fset, files, pair.FuncPos)
		if n == nil || slices.ContainsFunc(marked.Marks, func(m transaction.Mark) bool { return m.Node == n }) {
			continue
		}
		if fn, ok := n.(*ast.FuncDecl); ok && marked.Not[fn] {
			continue
		}
		if p.Inferred[n] == "" {
			nodes = append(nodes, n)
		}
		p.Inferred[n] += fmt.Sprintf("%s\t%s\t%s\t%s\n", u.place(pair.Check.Position), u.place(pair.CheckBy), u.place(pair.Act.Position), u.place(pair.ActBy))
	}
	return transaction.Named(u.Package, files, nodes), nil
}

// place is a position as the compiler records it, "" if there is none.
func (u *unit) place(at token.Position) string {
	if !at.IsValid() {
		return ""
	}
	return fmt.Sprintf("%s:%d", u.Trim(at.Filename), at.Line)
}

// function finds the function or literal that begins at a place in the files.
func (u *unit) function(fset *token.FileSet, files []*ast.File, at token.Position) (found ast.Node) {
	for _, file := range files {
		if fset.File(file.FileStart).Name() != at.Filename {
			continue
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n.(type) {
			case *ast.FuncDecl, *ast.FuncLit:
				if fset.PositionFor(n.Pos(), false).Offset == at.Offset {
					found = n
				}
			}
			return found == nil
		})
	}
	return found
}

// specOf finds the specification of a type.
func (u *unit) specOf(path, name string) *ecl.Spec {
	for _, list := range [][]*ecl.Spec{u.known, u.driver.Specs("")} {
		for _, s := range list {
			if s.Path == path && s.Name == name {
				return s
			}
		}
	}
	return nil
}
