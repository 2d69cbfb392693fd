// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package toolexec

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/commutego/commute/analyzer/transaction"
	"github.com/commutego/commute/internal/rewrite/bracket"
	"github.com/commutego/commute/internal/rewrite/instrument"
	"github.com/commutego/commute/internal/rewrite/straight"
	"github.com/commutego/commute/internal/toolchain/edit"
	"github.com/commutego/commute/internal/toolchain/patch"
)

// transactions brackets the code of the package that is marked as atomic, by the user's own comments
// or by -atomic, and, where memory is watched, what is inferred to be meant so. Where nothing that is tested is marked, comments are
// checked, and no more.
func (u *unit) transactions() error {
	mentioned := !u.Std && slices.ContainsFunc(u.Files, func(path string) bool {
		return transaction.Mentioned(string(u.source[path]))
	})
	infers := u.infers() && slices.ContainsFunc(u.Files, func(path string) bool {
		return bytes.Contains(u.source[path], []byte("Lock()"))
	})
	if !mentioned && len(u.Atomic) == 0 && !infers {
		return nil
	}
	p := &bracket.Package{Fset: token.NewFileSet()}
	var files []*ast.File
	for _, path := range u.Files {
		file, err := parser.ParseFile(p.Fset, path, u.source[path], parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			u.unreadable(err)
			return nil // the compiler will say so
		}
		files = append(files, file)
		p.Files = append(p.Files, instrument.File{Name: path, Src: u.source[path], AST: file})
	}
	marked, err := u.marks(p.Fset, files)
	if err == nil && len(marked.Marks) > 0 && !watchesMemory() && !u.driver.flags.Driven &&
		!u.forTest() {
		at := p.Fset.Position(marked.Marks[0].Node.Pos())
		fmt.Fprintf(u.driver.Stderr,
			"%s:%d: commute: what is marked as atomic in package %s is not checked (give "+
				"-toolexec=\"commute toolexec -datarace\", or run commute test)\n",
			at.Filename, at.Line, u.Package)
	}
	if err != nil || !u.Watch || !watchesMemory() {
		return err
	}
	marks := marked.Marks
	if infers {
		inferred, err := u.inferred(p, files, marked)
		if err != nil {
			return err
		}
		marks = append(marks, inferred...)
	}
	if len(marks) == 0 {
		return nil
	}
	p.Place = func(pos token.Pos) string {
		at := p.Fset.Position(pos)
		return fmt.Sprintf("%s:%d", u.Trim(at.Filename), at.Line)
	}
	checked := sync.OnceValue(func() *types.Info { return u.checked(p.Fset, files) })
	p.Iterator = func(e ast.Expr) bool {
		t := checked().TypeOf(e)
		return t == nil || isFunction(t) // a return is good for both
	}
	p.Straight = func(n ast.Node) bool { return straight.New(files, checked()).Is(n) }
	out := bracket.Generate(p, marks)
	if u.edits == nil {
		u.edits = make(map[string][]edit.Edit)
	}
	for _, e := range out.Edits {
		path := u.Files[e.Index]
		u.edits[path] = append(u.edits[path], edit.Edit{Start: e.Offset, End: e.End, Text: e.New})
	}
	u.added = append(u.added, patch.Added{
		Name: "commute_atomic.go",
		Data: edit.WithLine("commute/atomic.go", out.Added),
	})
	return nil
}

// forTest reports whether the package is made once more, for a test.
func (u *unit) forTest() bool {
	path, test, inTest := strings.Cut(os.Getenv("TOOLEXEC_IMPORTPATH"), " [")
	return inTest && path+".test]" != test && !strings.HasSuffix(path, "_test")
}

// marks lists the marked code of the package. What is wrong with a dependency's comments is not the user's
// to mend, and what they mark is not the user's claim.
func (u *unit) marks(fset *token.FileSet, files []*ast.File) (transaction.Marked, error) {
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
		if !found.Not[m.Node.(*ast.FuncDecl)] && !slices.ContainsFunc(found.Marks, func(have transaction.Mark) bool { return have.Node == m.Node }) {
			found.Marks = append(found.Marks, m)
		}
	}
	return found, nil
}

// checked is what is known of the types of the package, as far as it can be checked.
func (u *unit) checked(fset *token.FileSet, files []*ast.File) *types.Info {
	info := &types.Info{
		Types: make(map[ast.Expr]types.TypeAndValue), Defs: make(map[*ast.Ident]types.Object),
		Uses: make(map[*ast.Ident]types.Object), Selections: make(map[*ast.SelectorExpr]*types.Selection),
	}
	if _, err := u.typeCheck(fset, files, info); err != nil {
		return &types.Info{}
	}
	return info
}

// isFunction reports whether values of a type are functions, or may be.
func isFunction(t types.Type) bool {
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		return true
	}
	_, ok := t.Underlying().(*types.Signature)
	return ok
}
