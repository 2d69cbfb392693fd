// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package directive

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
)

// lines says what is on the lines of a file. Lines here are those of the file,
// not of its line directives.
type lines struct {
	fset  *token.FileSet
	code  map[int]bool // has a token
	calls map[int]bool // has the name of what is called
	decls map[int][]declaration
}

// readLines reads the lines of file.
func readLines(fset *token.FileSet, file *ast.File) *lines {
	l := &lines{
		fset:  fset,
		code:  make(map[int]bool),
		calls: make(map[int]bool),
		decls: make(map[int][]declaration),
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case nil:
			return false
		case *ast.Comment, *ast.CommentGroup:
			return false
		case *ast.CallExpr:
			l.calls[l.line(CallPos(n))] = true
		}
		l.code[l.line(n.Pos())] = true
		l.code[l.line(n.End()-1)] = true
		return true
	})
	for _, d := range declarations(file) {
		// Not up to the end: the initial value may be a function with declarations
		// of its own.
		for _, line := range slices.Compact([]int{l.line(d.Start), l.line(d.Ident.Pos())}) {
			l.decls[line] = append(l.decls[line], d)
		}
		if d.Group.IsValid() && l.line(d.Group) != l.line(d.Start) {
			line := l.line(d.Group)
			l.decls[line] = append(l.decls[line], d)
		}
	}
	return l
}

// CallPos returns the position whose line a stack trace gives for call: that of
// the name of what is called.
func CallPos(call *ast.CallExpr) token.Pos {
	fun := ast.Unparen(call.Fun)
	for {
		switch f := fun.(type) {
		case *ast.IndexExpr:
			fun = ast.Unparen(f.X)
			continue
		case *ast.IndexListExpr:
			fun = ast.Unparen(f.X)
			continue
		case *ast.SelectorExpr:
			return f.Sel.Pos()
		}
		return fun.Pos()
	}
}

func (l *lines) line(pos token.Pos) int { return l.fset.PositionFor(pos, false).Line }

// place finds what d speaks of: what is on its line or, if it stands alone, on
// the line below its comment.
func (l *lines) place(d *Directive, group *ast.CommentGroup) *Problem {
	line := l.line(d.Pos)
	shift := 0
	if !l.code[line] {
		shift = l.line(group.End()) + 1 - line
	}
	d.Line = l.fset.Position(d.Pos).Line + shift
	line += shift
	problem := func(format string, args ...any) *Problem {
		end := d.Pos + token.Pos(len(prefix)+len(d.Verb))
		return &Problem{Pos: d.Pos, End: end, Message: fmt.Sprintf(format, args...)}
	}
	switch d.Verb {
	case Ignore:
		if !l.calls[line] {
			return problem("%s%s belongs to no call: put it on the line of one, "+
				"or on the line above", prefix, Ignore)
		}
	case concurrent:
		for _, decl := range l.decls[line] {
			d.Decls = append(d.Decls, decl.Name)
		}
		if len(d.Decls) == 0 {
			return problem("%s%s belongs to no declaration of a variable or a field: "+
				"put it on the line of one, or on the line above", prefix, concurrent)
		}
	}
	return nil
}
