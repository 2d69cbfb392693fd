// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package transaction

import (
	"fmt"
	"go/ast"
	"strings"

	"github.com/commutego/commute/internal/rewrite/instrument"
)

// names gives the functions of a package the names that they have in stack traces:
// "example.com/bank.(*Account).Deposit", "example.com/bank.Map[...]", "example.com/bank.init.0".
func names(path string, files []*ast.File) map[*ast.FuncDecl]string {
	list := make(map[*ast.FuncDecl]string)
	pkg := escape(path)
	inits := 0
	for _, file := range files {
		for _, decl := range file.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			name := fn.Name.Name
			switch {
			case fn.Recv != nil:
				name = receiver(fn) + "." + name
			case name == "init":
				name = fmt.Sprint("init.", inits)
				inits++
			case fn.Type.TypeParams != nil:
				name += "[...]"
			}
			list[fn] = pkg + "." + name
		}
	}
	return list
}

// Named names functions and literals of the package at path, as the marks of Find do. It leaves out
// functions to which no code can be added.
func Named(path string, files []*ast.File, nodes []ast.Node) (marks []Mark) {
	list := names(path, files)
	for _, n := range nodes {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if unmarkable(n) == "" {
				marks = append(marks, Mark{n, list[n]})
			}
		case *ast.FuncLit:
			marks = append(marks, Mark{n, enclosing(path, files, n, list) + " function literal"})
		}
	}
	return marks
}

// enclosing names the function or variable in which a literal stands.
func enclosing(path string, files []*ast.File, lit *ast.FuncLit,
	list map[*ast.FuncDecl]string) (name string) {
	for _, file := range files {
		ast.PreorderStack(file, nil, func(n ast.Node, stack []ast.Node) bool {
			if n == lit {
				for i := len(stack) - 1; i >= 0; i-- {
					switch outer := stack[i].(type) {
					case *ast.FuncDecl:
						name = list[outer]
					case *ast.ValueSpec:
						name = escape(path) + "." + outer.Names[0].Name
					}
				}
			}
			return name == "" && n.Pos() <= lit.Pos() && lit.End() <= n.End()
		})
	}
	return name
}

// receiver is how a stack trace writes the type of a method's receiver.
func receiver(fn *ast.FuncDecl) string {
	name, pointer := instrument.Receiver(fn)
	if len(fn.Recv.List) == 1 {
		t := ast.Unparen(fn.Recv.List[0].Type)
		if star, ok := t.(*ast.StarExpr); ok {
			t = ast.Unparen(star.X)
		}
		switch t.(type) {
		case *ast.IndexExpr, *ast.IndexListExpr:
			name += "[...]"
		}
	}
	if pointer {
		return "(*" + name + ")"
	}
	return name
}

// escape writes an import path as the linker's symbols have it. Characters that would make the name
// ambiguous, such as a dot in the last element, are written as %xx.
func escape(path string) string {
	var b strings.Builder
	last := strings.LastIndexByte(path, '/')
	for i := range len(path) {
		if c := path[i]; c <= ' ' || c == '.' && i > last || c == '%' || c == '"' || c >= 0x7F {
			fmt.Fprintf(&b, "%%%02x", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}
