// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package toolexec

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/commutego/commute/analyzer/checkact"
	"github.com/commutego/commute/analyzer/directive"
	"github.com/commutego/commute/ecl"
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
