// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package checkact

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/commutego/commute/internal/toolchain/load"
	"golang.org/x/tools/go/ssa"
)

// A program is the SSA form of one package.
type program struct {
	fset      *token.FileSet
	functions []*function // those that are declared in the package, and the literals in them
	of        map[*ssa.Function]*function
	ids       map[ssa.Value]int                  // the numbers of leaves
	terms     map[ssa.Value]*term                // those that were asked for
	closures  map[*ssa.Function]*ssa.MakeClosure // where a literal gets its captured variables
	helpers   map[*ssa.Function]*helper
}

// A function is one function or literal.
type function struct {
	*program
	*ssa.Function
	*graph
}

// maxBlocks bounds the functions that are looked at: generated code may be huge, and the sets of
// blocks take quadratic memory.
const maxBlocks = 1000

// build builds the SSA form of a package without errors. It panics where package ssa does.
func build(pkg *load.Package) (*program, error) {
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
	p := &program{
		fset:     pkg.Fset,
		of:       make(map[*ssa.Function]*function),
		ids:      make(map[ssa.Value]int),
		terms:    make(map[ssa.Value]*term),
		closures: make(map[*ssa.Function]*ssa.MakeClosure),
		helpers:  make(map[*ssa.Function]*helper),
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
func (p *program) add(fn *ssa.Function) {
	if fn == nil || p.of[fn] != nil {
		return
	}
	if n := len(fn.Blocks); n > 0 && n <= maxBlocks {
		f := &function{program: p, Function: fn}
		p.of[fn] = f
		p.functions = append(p.functions, f)
		for _, b := range fn.Blocks {
			for _, instr := range b.Instrs {
				if c, ok := instr.(*ssa.MakeClosure); ok {
					p.closures[c.Fn.(*ssa.Function)] = c
				}
			}
		}
	}
	for _, lit := range fn.AnonFuncs {
		p.add(lit)
	}
}

// each calls visit with all instructions of a function.
func (f *function) each(visit func(ssa.Instruction)) {
	for _, b := range f.Blocks {
		for _, instr := range b.Instrs {
			visit(instr)
		}
	}
}
