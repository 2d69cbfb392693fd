// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package edit has the code that the fixes of analyzers share. It finds the statement that a call
// stands in, and the text that a fix may write there.
//
// Input: an analysis pass and a position. Output: a [File], the path from a node to the root of the
// syntax, and texts.
package edit

import (
	"bytes"
	"go/ast"
	"go/format"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/astutil"
)

// A File is a file of a pass that a fix may change.
type File struct {
	*ast.File
	Pass *analysis.Pass
}

// At is the file with a position; nil if there is none, or it was generated.
func At(pass *analysis.Pass, pos token.Pos) *File {
	for _, file := range pass.Files {
		if file.FileStart <= pos && pos < file.FileEnd && !ast.IsGenerated(file) {
			return &File{file, pass}
		}
	}
	return nil
}

// Up lists a node and the nodes around it, up to the file. It is nil if the node is not found.
func (f *File) Up(n ast.Node) []ast.Node {
	path, _ := astutil.PathEnclosingInterval(f.File, n.Pos(), n.End())
	for i, around := range path {
		if around == n {
			return path[i:]
		}
	}
	return nil
}

// Comments reports whether there is a comment in a part of the file. A fix must not remove or move
// such a part.
func (f *File) Comments(from, to token.Pos) bool {
	for _, group := range f.File.Comments {
		if group.Pos() < to && from < group.End() {
			return true
		}
	}
	return false
}

// Text is an expression as source.
func (f *File) Text(n ast.Node) string {
	var b bytes.Buffer
	if format.Node(&b, f.Pass.Fset, n) != nil {
		return ""
	}
	return b.String()
}

// LineEnd is the end of a position's line.
func (f *File) LineEnd(pos token.Pos) token.Pos {
	file := f.Pass.Fset.File(pos)
	if line := file.PositionFor(pos, false).Line; line < file.LineCount() {
		return file.LineStart(line+1) - 1
	}
	return token.Pos(file.Base() + file.Size())
}

// Indent is the white space at the beginning of a position's line.
func (f *File) Indent(pos token.Pos) string {
	file := f.Pass.Fset.File(pos)
	content, err := f.Pass.ReadFile(file.Name())
	if err != nil {
		return ""
	}
	start := file.Offset(file.LineStart(file.PositionFor(pos, false).Line))
	end := start
	for end < len(content) && (content[end] == '\t' || content[end] == ' ') {
		end++
	}
	return string(content[start:end])
}

// Without is the edit that leaves a statement out, with its line if nothing else is on that line.
func (f *File) Without(stmt ast.Stmt) analysis.TextEdit {
	file := f.Pass.Fset.File(stmt.Pos())
	content, err := f.Pass.ReadFile(file.Name())
	from, to := file.Offset(stmt.Pos()), file.Offset(stmt.End())
	if err == nil {
		start, end := from, to
		for start > 0 && (content[start-1] == '\t' || content[start-1] == ' ') {
			start--
		}
		for end < len(content) && (content[end] == '\t' || content[end] == ' ') {
			end++
		}
		if (start == 0 || content[start-1] == '\n') && end < len(content) && content[end] == '\n' {
			from, to = start, end+1
		}
	}
	return analysis.TextEdit{Pos: file.Pos(from), End: file.Pos(to)}
}

// List is the list of statements of a node, nil if it has none.
func List(n ast.Node) []ast.Stmt {
	switch n := n.(type) {
	case *ast.BlockStmt:
		return n.List
	case *ast.CaseClause:
		return n.Body
	case *ast.CommClause:
		return n.Body
	}
	return nil
}

// Function is the innermost function, a declaration or literal, on a path to the root of the
// syntax.
func Function(path []ast.Node) ast.Node {
	for _, n := range path {
		switch n.(type) {
		case *ast.FuncDecl, *ast.FuncLit:
			return n
		}
	}
	return nil
}

// Calls reports whether an expression calls something.
func Calls(e ast.Expr) (found bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		_, ok := n.(*ast.CallExpr)
		found = found || ok
		return true
	})
	return found
}

// Object is what an expression names, nil if it is no name.
func (f *File) Object(e ast.Expr) types.Object {
	if id, ok := ast.Unparen(e).(*ast.Ident); ok {
		return f.Pass.TypesInfo.ObjectOf(id)
	}
	return nil
}

// Means reports whether a name means an object at a position.
func (f *File) Means(name string, obj types.Object, at token.Pos) bool {
	scope := f.Pass.Pkg.Scope().Innermost(at)
	if scope == nil {
		return false
	}
	_, found := scope.LookupParent(name, at)
	return found == obj
}
