// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package toolexec

// The methods of sync/atomic's types are called everywhere. They are watched on request, and only
// where the user's own packages call them: these calls are redirected to wrappers beside the
// methods.

import (
	"go/ast"
	"path/filepath"

	"github.com/commutego/commute/analyzer/annotation"
	"github.com/commutego/commute/internal/rewrite/instrument"
	"github.com/commutego/commute/internal/toolchain/atomics"
	"github.com/commutego/commute/internal/toolchain/edit"
	"github.com/commutego/commute/internal/toolchain/patch"
	"github.com/commutego/commute/internal/toolchain/specset"
)

// atomicChanges makes the changes of package sync/atomic.
func atomicChanges(p *patch.Package, memory bool) error {
	if err := p.Atomic(memory); err != nil {
		return err
	}
	set, err := specset.Of(p.Path, "", true, nil)
	if err != nil || len(set.Given) == 0 {
		return err
	}
	files, err := p.Source.Syntax()
	if err != nil {
		return err
	}
	given, errs := annotation.Hold(files, set.Given)
	if len(errs) > 0 {
		return &sourceError{errs.Error()}
	}
	return p.SpecWrappers(given)
}

// toTwin makes a call go to the method's wrapper. Only what follows on its line moves.
func (u *unit) toTwin(change *edit.Change, call *ast.CallExpr) {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return
	}
	at := u.source.Fset.PositionFor(sel.Sel.Pos(), false)
	change.Edit(at.Filename,
		edit.Edit{Start: at.Offset, End: at.Offset, Text: instrument.WrapperPrefix})
}

// hidesAtomics reports whether operations of the standard library that order nothing have no hooks.
func hidesAtomics() bool { return !watchesMemory() && !explores() && !perturbs() }

// redirect makes the package call the hooked copies of sync/atomic's functions. Most packages call
// none, which is found out without parsing.
func (u *unit) redirect() (change edit.Change, err error) {
	for _, path := range u.Files {
		src, err := u.source.Source(path)
		if err != nil || !atomics.Mentioned(src) || u.Std && hidesAtomics() &&
			patch.Unhooked(u.Package, filepath.Base(path)) {
			continue
		}
		file, err := u.source.File(path)
		if err != nil {
			continue // the compiler will say so
		}
		for _, e := range atomics.Edits(u.source.Fset, file.AST) {
			change.Edit(path, e)
		}
	}
	return change, nil
}
