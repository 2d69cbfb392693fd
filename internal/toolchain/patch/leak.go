// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package patch

import (
	"go/ast"

	"github.com/commutego/commute/internal/toolchain/edit"
)

// Leaks has the runtime's search for leaked goroutines find more of them, and tell the templates.
// Where schedules are explored, each test asks for itself: see exploreTesting. Where they are
// perturbed nobody asks.
func (p *Package) Leaks() error {
	list := []insertion{
		{"mgc.go", "", "setSyncObjectsUntraceable", first, "commute_hideElements()"},
		{"mgcmark.go", "", "markrootSpans", "scanblock", "commute_keepWeak(s, spw, gcw)"},
	}
	if !p.Explores && !p.Perturbs {
		list = append(list,
			insertion{"mgc.go", "", "gcRestoreSyncObjects", first, "commute_collected()"})
	}
	return p.insertAll(list)
}

// endLeaksFile is added to package testing.
const endLeaksFile = `package testing

import _ "unsafe"

//go:linkname commute_leaked runtime.commute_leaked
func commute_leaked() (fails bool)
`

// testingLeaks asks for leaked goroutines when the tests, fuzz tests and examples are over. It does
// not when they have run out of time: goroutines that never stop would make the search as slow.
func (p *Package) testingLeaks() error {
	p.Added = append(p.Added, edit.Added{Name: "commute_leaks.go",
		Data: edit.WithLine("commute/patch/leaks.go", []byte(endLeaksFile))})
	f, err := p.parse("testing.go")
	if err != nil {
		return err
	}
	run, err := f.method("M", "Run")
	if err != nil {
		return err
	}
	stop := callStmtIn(run.Body, "stopAlarm")
	if stop == nil || !mentions(run.Body, "testOk") {
		return p.unexpected("(*M).Run does not stop the alarm, or has no testOk")
	}
	f.insert(stop.End(), "; if commute_leaked() { testOk = false }")
	return nil
}

// callStmtIn is the first statement in body, also in a function literal, that is a call of the
// function name and nothing else; nil if there is none.
func callStmtIn(body *ast.BlockStmt, name string) (found ast.Stmt) {
	ast.Inspect(body, func(n ast.Node) bool {
		if stmt, ok := n.(*ast.ExprStmt); ok && found == nil {
			if call, ok := stmt.X.(*ast.CallExpr); ok && called(call) == name {
				found = stmt
			}
		}
		return found == nil
	})
	return found
}
