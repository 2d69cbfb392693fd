// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package checkact

import (
	"go/ast"
	"go/token"

	"github.com/commutego/commute/analyzer/internal/flow"
	"github.com/commutego/commute/internal/toolchain/load"
	"golang.org/x/tools/go/ssa"
)

// A program is the SSA form of one package.
type program struct {
	*flow.Program
	functions []*function
	of        map[*ssa.Function]*function
	calls     syntaxCalls
}

// syntaxCalls are calls by the positions of their opening parentheses.
type syntaxCalls map[token.Pos]*ast.CallExpr

// A function is one function or literal.
type function struct {
	*flow.Function
	in     *program
	summed *summary // see summary
}

// build builds the SSA form of a package without errors. It panics where package ssa does.
func build(pkg *load.Package) (*program, error) {
	built, err := flow.Build(pkg)
	if err != nil {
		return nil, err
	}
	built.Loose = true // whether two keys are equal is seen when the program runs
	files, err := pkg.Syntax()
	if err != nil {
		return nil, err
	}
	p := &program{
		Program: built, of: make(map[*ssa.Function]*function), calls: callsOf(files),
	}
	for _, fn := range built.Functions {
		f := &function{Function: fn, in: p}
		p.functions = append(p.functions, f)
		p.of[fn.Function] = f
	}
	return p, nil
}
