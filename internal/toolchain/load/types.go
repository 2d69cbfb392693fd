// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package load

import (
	"errors"
	"go/ast"
	"go/types"

	"github.com/commutego/commute/internal/toolchain/exportdata"
	"golang.org/x/tools/go/ssa"
)

// Types are the types of a package, as far as it can be checked.
type Types struct {
	Pkg  *types.Package
	Info *types.Info
	Errs []error // of the type checker
}

// Types type-checks the package. It returns an error if there are no files or imports to check.
// Errors in the package itself are in the result.
func (p *Package) Types() (*Types, error) { return p.types() }

// check type-checks all files together. The type checker goes on after an error, so that passes get
// as much as there is.
func (p *Package) check() (*Types, error) {
	files, err := p.Syntax()
	if err != nil {
		return nil, err
	}
	if p.Importer == nil {
		return nil, errors.New("it is not known where the package's imports are")
	}
	importer, err := p.Importer(p.Fset)
	if err != nil {
		return nil, err
	}
	t := &Types{Info: NewInfo()}
	conf := types.Config{
		Importer:  importer,
		GoVersion: exportdata.Language(p.Lang),
		Error: func(err error) {
			if !isBodyless(err) {
				t.Errs = append(t.Errs, err)
			}
		},
	}
	p.Work.Checked++
	t.Pkg, _ = conf.Check(p.Path, p.Fset, files, t.Info)
	p.errs = append(p.errs, t.Errs...)
	return t, nil
}

// NewInfo returns an Info with the maps that all passes and package ssa need.
func NewInfo() *types.Info {
	return &types.Info{
		Types:        make(map[ast.Expr]types.TypeAndValue),
		Instances:    make(map[*ast.Ident]types.Instance),
		Defs:         make(map[*ast.Ident]types.Object),
		Uses:         make(map[*ast.Ident]types.Object),
		Implicits:    make(map[ast.Node]types.Object),
		Selections:   make(map[*ast.SelectorExpr]*types.Selection),
		Scopes:       make(map[ast.Node]*types.Scope),
		FileVersions: make(map[*ast.File]string),
	}
}

// SSA builds the SSA form of the package, which must have been type-checked without an error. It
// panics where package ssa does.
func (p *Package) SSA() (*ssa.Package, error) { return p.built() }

// build makes the SSA form of this package alone: imported packages have their declarations only.
func (p *Package) build() (*ssa.Package, error) {
	files, err := p.Syntax()
	if err != nil {
		return nil, err
	}
	t, err := p.Types()
	if err != nil {
		return nil, err
	}
	p.Work.Built++
	prog := ssa.NewProgram(p.Fset, ssa.GlobalDebug) // for the positions of reads
	for _, imported := range t.Pkg.Imports() {
		prog.CreatePackage(imported, nil, nil, true)
	}
	built := prog.CreatePackage(t.Pkg, files, t.Info, false)
	built.Build()
	return built, nil
}
