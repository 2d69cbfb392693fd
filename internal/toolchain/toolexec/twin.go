// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package toolexec

import (
	"go/ast"
	"go/parser"
	"go/token"

	"github.com/commutego/commute/analyzer/annotation"
	"github.com/commutego/commute/analyzer/directive"
	"github.com/commutego/commute/internal/rewrite/instrument"
	"github.com/commutego/commute/internal/toolchain/edit"
	"github.com/commutego/commute/internal/toolchain/patch"
	"github.com/commutego/commute/internal/toolchain/specset"
)

// Methods that everything is made of, those of sync/atomic's types, are watched on request, and only
// where the user's own packages call them: these get twins, and the calls go there.

// atomicChanges makes the changes of package sync/atomic.
func atomicChanges(p *patch.Package, memory bool) error {
	if err := p.Atomic(memory); err != nil {
		return err
	}
	set, err := specset.Of(p.Path, "", true, nil)
	if err != nil || len(set.Given) == 0 {
		return err
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, path := range p.Files {
		file, err := parser.ParseFile(fset, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		files = append(files, file)
	}
	given, errs := annotation.Hold(files, set.Given)
	if len(errs) > 0 {
		return &sourceError{errs.Error()}
	}
	return p.Twins(given)
}

// requested lists the types whose calls the package is to make to twins.
func (u *unit) requested() (list []directive.Type) {
	if u.dependency() {
		return nil
	}
	for _, s := range u.specs.Requested {
		t := directive.TypeOf(s)
		t.Twin = true
		list = append(list, t)
	}
	return list
}

// toTwin makes a call go to the method's twin. Only what follows on its line moves.
func (u *unit) toTwin(fset *token.FileSet, call *ast.CallExpr) {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return
	}
	at := fset.PositionFor(sel.Sel.Pos(), false)
	if u.edits == nil {
		u.edits = make(map[string][]edit.Edit)
	}
	u.edits[at.Filename] = append(u.edits[at.Filename], edit.Edit{Start: at.Offset, End: at.Offset, Text: instrument.TwinPrefix})
}
