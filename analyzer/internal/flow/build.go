// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package flow

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/commutego/commute/internal/toolchain/load"
	"golang.org/x/tools/go/ssa"
)

// A Program is the SSA form of one package.
type Program struct {
	Fset      *token.FileSet
	Functions []*Function // those that are declared in the package, and the literals in them
	Of        map[*ssa.Function]*Function
	ids       map[ssa.Value]int                  // the numbers of leaves
	leaves    []ssa.Value                        // by number
	terms     map[ssa.Value]*Term                // those that were asked for
	Closures  map[*ssa.Function]*ssa.MakeClosure // where a literal gets its captured variables

	// Loose makes two calls of one function with equal arguments equal terms, and two lookups of
	// one key, though what they return may differ. It is set before any term is asked for.
	Loose bool
}

// A Function is one function or literal.
type Function struct {
	*Program
	*ssa.Function
	*graph
}

// maxBlocks bounds the functions that are looked at: generated code may be huge, and the sets of
// blocks take quadratic memory.
const maxBlocks = 1000

// Build builds the SSA form of a package without errors. It panics where package ssa does.
func Build(pkg *load.Package) (*Program, error) {
	checked, err := pkg.Types()
	if err == nil && len(checked.Errs) > 0 {
		err = checked.Errs[0]
	}
	if err != nil {
		return nil, err
	}
	built, err := pkg.SSA()
	if err != nil {
		return nil, err
	}
	files, err := pkg.Syntax()
	if err != nil {
		return nil, err
	}
	p := &Program{
		Fset:     pkg.Fset,
		Of:       make(map[*ssa.Function]*Function),
		ids:      make(map[ssa.Value]int),
		terms:    make(map[ssa.Value]*Term),
		Closures: make(map[*ssa.Function]*ssa.MakeClosure),
	}
	for _, file := range files {
		for _, decl := range file.Decls {
			if decl, ok := decl.(*ast.FuncDecl); ok && decl.Body != nil {
				if fn, ok := checked.Info.Defs[decl.Name].(*types.Func); ok {
					p.add(built.Prog.FuncValue(fn))
				}
			}
		}
	}
	p.add(built.Func("init")) // the literals in the initial values of variables
	return p, nil
}

// add adds a function, and the literals in it.
func (p *Program) add(fn *ssa.Function) {
	if fn == nil || p.Of[fn] != nil {
		return
	}
	if n := len(fn.Blocks); n > 0 && n <= maxBlocks {
		f := &Function{Program: p, Function: fn}
		p.Of[fn] = f
		p.Functions = append(p.Functions, f)
		for _, b := range fn.Blocks {
			for _, instr := range b.Instrs {
				if c, ok := instr.(*ssa.MakeClosure); ok {
					p.Closures[c.Fn.(*ssa.Function)] = c
				}
			}
		}
	}
	for _, lit := range fn.AnonFuncs {
		p.add(lit)
	}
}

// Each calls visit with all instructions of a function.
func (f *Function) Each(visit func(ssa.Instruction)) {
	for _, b := range f.Blocks {
		for _, instr := range b.Instrs {
			visit(instr)
		}
	}
}
