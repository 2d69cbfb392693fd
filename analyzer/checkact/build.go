// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package checkact

import (
	"github.com/commutego/commute/analyzer/internal/flow"
	"github.com/commutego/commute/internal/toolchain/load"
	"golang.org/x/tools/go/ssa"
)

// A program is the SSA form of one package.
type program struct {
	*flow.Program
	functions []*function
	of        map[*ssa.Function]*function
}

// A function is one function or literal.
type function struct {
	*flow.Function
	in *program
}

// build builds the SSA form of a package without errors. It panics where package ssa does.
func build(pkg *load.Package) (*program, error) {
	built, err := flow.Build(pkg)
	if err != nil {
		return nil, err
	}
	p := &program{Program: built, of: make(map[*ssa.Function]*function)}
	for _, fn := range built.Functions {
		f := &function{fn, p}
		p.functions = append(p.functions, f)
		p.of[fn.Function] = f
	}
	return p, nil
}
