// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package accessed

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/commutego/commute/internal/engine/compiled"
)

const both = compiled.Reads | compiled.Writes

func (f *finder) block(list []ast.Stmt) {
	for _, s := range list {
		f.stmt(s)
	}
}

// stmt looks at a statement, and at those in it.
func (f *finder) stmt(s ast.Stmt) {
	switch s := s.(type) {
	case nil:
	case *ast.BlockStmt:
		f.block(s.List)
	case *ast.LabeledStmt:
		f.stmt(s.Stmt)
	case *ast.IfStmt:
		f.unit(s.Pos(), s.Body.Lbrace, func(u *unit) {
			u.simple(s.Init)
			u.expr(s.Cond, compiled.Reads)
		})
		f.block(s.Body.List)
		f.stmt(s.Else)
	case *ast.ForStmt:
		f.unit(s.Pos(), s.Body.Lbrace, func(u *unit) {
			u.simple(s.Init)
			u.simple(s.Post)
			u.expr(s.Cond, compiled.Reads)
			u.copied(s.Init)
		})
		f.block(s.Body.List)
	case *ast.RangeStmt:
		f.unit(s.Pos(), s.Body.Lbrace, func(u *unit) {
			u.expr(s.X, compiled.Reads)
			u.unknown(both)
			u.inMap(s.X)
			u.expr(s.Key, both)
			u.expr(s.Value, both)
		})
		f.block(s.Body.List)
	case *ast.SwitchStmt:
		f.unit(s.Pos(), s.Body.Lbrace, func(u *unit) {
			u.simple(s.Init)
			u.expr(s.Tag, compiled.Reads)
		})
		f.block(s.Body.List)
	case *ast.TypeSwitchStmt:
		f.unit(s.Pos(), s.Body.Lbrace, func(u *unit) {
			u.simple(s.Init)
			u.simple(s.Assign)
			u.unknown(both)
		})
		f.block(s.Body.List)
	case *ast.SelectStmt:
		f.block(s.Body.List)
	case *ast.CaseClause:
		f.unit(s.Pos(), s.Colon, func(u *unit) {
			for _, e := range s.List {
				u.expr(e, compiled.Reads)
			}
			if v, ok := f.Info.Implicits[s].(*types.Var); ok {
				u.variable(v, compiled.Writes)
				u.unknown(both)
			}
		})
		f.block(s.Body)
	case *ast.CommClause:
		f.unit(s.Pos(), s.Colon, func(u *unit) { u.simple(s.Comm) })
		f.block(s.Body)
	default:
		f.unit(s.Pos(), s.End(), func(u *unit) { u.simple(s) })
	}
}

// copied adds the variables of a loop, of which each round has its own copy.
func (u *unit) copied(init ast.Stmt) {
	if a, ok := init.(*ast.AssignStmt); ok && a.Tok == token.DEFINE {
		for _, e := range a.Lhs {
			u.expr(e, both)
		}
	}
}

// simple adds what a statement without a block accesses.
func (u *unit) simple(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.AssignStmt:
		k := compiled.Writes
		if s.Tok != token.ASSIGN && s.Tok != token.DEFINE {
			k = both
		}
		for _, e := range s.Lhs {
			u.expr(e, k)
		}
		u.reads(s.Rhs)
	case *ast.IncDecStmt:
		u.expr(s.X, both)
	case *ast.ExprStmt:
		u.expr(s.X, compiled.Reads)
	case *ast.SendStmt:
		u.expr(s.Chan, compiled.Reads)
		u.expr(s.Value, compiled.Reads)
	case *ast.GoStmt:
		if lit, ok := s.Call.Fun.(*ast.FuncLit); ok && len(s.Call.Args) == 0 {
			u.started[lit] = true // what it captures is its goroutine's alone
			u.inside = append(u.inside, lit)
			return
		}
		u.expr(s.Call, compiled.Reads)
		u.unknown(both)
	case *ast.DeferStmt:
		u.expr(s.Call, compiled.Reads)
		u.unknown(both)
	case *ast.ReturnStmt:
		u.reads(s.Results)
		u.returned()
	case *ast.DeclStmt:
		if d, ok := s.Decl.(*ast.GenDecl); ok {
			u.variables(d)
		}
	}
}

func (u *unit) reads(list []ast.Expr) {
	for _, e := range list {
		u.expr(e, compiled.Reads)
	}
}

// variables adds a declaration of variables.
func (u *unit) variables(d *ast.GenDecl) {
	if d.Tok != token.VAR {
		return
	}
	for _, s := range d.Specs {
		if s, ok := s.(*ast.ValueSpec); ok {
			for _, id := range s.Names {
				u.expr(id, compiled.Writes)
			}
			u.reads(s.Values)
		}
	}
}
