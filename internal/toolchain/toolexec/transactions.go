// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package toolexec

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/commutego/commute/analyzer/transaction"
	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/rewrite/bracket"
	"github.com/commutego/commute/internal/rewrite/discount"
	"github.com/commutego/commute/internal/rewrite/independent"
	"github.com/commutego/commute/internal/toolchain/edit"
)

// transactions brackets the code of the package that is marked as atomic, by the user's comments or
// by -atomic. In a package that isn't tested, comments are checked, and no more.
func (u *unit) transactions() (change edit.Change, err error) {
	mentioned := !u.Std && u.source.Any(transaction.Mentioned)
	if !mentioned && len(u.Atomic) == 0 {
		return change, nil
	}
	files, err := u.source.Syntax()
	if err != nil {
		return change, nil // the compiler will say so
	}
	marked, err := u.marks(files)
	if err == nil && len(marked.Marks) > 0 &&
		!watchesMemory() && !u.driver.flags.Driven && !u.forTest() {
		at := u.source.Fset.Position(marked.Marks[0].Node.Pos())
		fmt.Fprintf(u.driver.Stderr,
			"%s:%d: commute: what is marked as atomic in package %s is not checked (give "+
				"-toolexec=\"commute toolexec -datarace\", or run commute test)\n",
			at.Filename, at.Line, u.Package)
	}
	if err != nil || !u.Watch || !watchesMemory() {
		return change, err
	}
	if len(marked.Marks) > 0 {
		out, err := bracket.Generate(u.bracketed(files), marked.Marks)
		if err != nil {
			return change, err
		}
		change = edit.Change{Edits: out.Edits, Added: []edit.Added{{
			Name: "commute_atomic.go",
			Data: edit.WithLine("commute/atomic.go", out.Added),
		}}}
	}
	discounted, err := u.discounted()
	change.Then(discounted)
	return change, err
}

// discounted leaves out what decides nothing in a transaction. A package with a type error is left
// as it is: the compiler will say so.
func (u *unit) discounted() (edit.Change, error) {
	t, err := u.source.Types()
	if err != nil || len(t.Errs) > 0 {
		return edit.Change{}, nil
	}
	return discount.Generate(u.source, t.Info)
}

// bracketed is the package as package bracket takes it. Types and value-independence are found out
// when they are asked for.
func (u *unit) bracketed(files []*ast.File) *bracket.Package {
	info := sync.OnceValue(func() *types.Info {
		t, err := u.source.Types()
		if err != nil {
			return new(types.Info)
		}
		return t.Info
	})
	independence := sync.OnceValue(func() *independent.Package {
		return independent.New(files, info())
	})
	return &bracket.Package{
		Source: u.source,
		Place:  u.place,
		Iterator: func(e ast.Expr) bool {
			t := info().TypeOf(e)
			return t == nil || isFunction(t) // a return is good for both
		},
		ValueIndependent: func(n ast.Node) bool { return independence().ValueIndependent(n) },
	}
}

// forTest reports whether the package is compiled once more, for another package's test: comments
// are reported once.
func (u *unit) forTest() bool {
	path, test, inTest := strings.Cut(os.Getenv("TOOLEXEC_IMPORTPATH"), " [")
	return inTest && path+".test]" != test && !strings.HasSuffix(path, "_test")
}

// marks lists the marked code of the package. Mistakes in a dependency's comments are not reported,
// and what these mark is not the user's claim.
func (u *unit) marks(files []*ast.File) (transaction.Marked, error) {
	fset := u.source.Fset
	found, problems := transaction.Find(u.Package, fset, files)
	if u.Std || u.dependency() {
		found.Marks = nil
	} else if len(problems) > 0 {
		var lines []string
		for _, p := range problems {
			lines = append(lines, fmt.Sprintf("%s: %s", fset.Position(p.Pos), p.Message))
		}
		return found, &sourceError{strings.Join(lines, "\n")}
	}
	for _, m := range transaction.Matched(u.Atomic, u.Package, fset, files).Marks {
		if !found.Not[m.Node.(*ast.FuncDecl)] && !isMarked(found, m.Node) {
			found.Marks = append(found.Marks, m)
		}
	}
	return found, nil
}

func isMarked(marked transaction.Marked, n ast.Node) bool {
	return slices.ContainsFunc(marked.Marks,
		func(m transaction.Mark) bool { return m.Node == n })
}

// place is a position as reports show it.
func (u *unit) place(pos token.Pos) string {
	at := u.source.Fset.Position(pos)
	return fmt.Sprintf("%s:%d", u.Trim(at.Filename), at.Line)
}

// lineAt is a position as the compiler records it.
func (u *unit) lineAt(pos token.Pos) compiled.Line { return u.line(u.source.Fset.Position(pos)) }

// line is lineAt for a position of go/token's.
func (u *unit) line(at token.Position) (l compiled.Line) {
	if at.IsValid() {
		l = compiled.Line{File: u.Trim(at.Filename), Number: at.Line}
	}
	return l
}

// isFunction reports whether values of a type are functions, or may be.
func isFunction(t types.Type) bool {
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		return true
	}
	_, ok := t.Underlying().(*types.Signature)
	return ok
}
