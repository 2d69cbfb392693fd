// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package patch

import (
	"go/ast"
	"strings"
)

// A place says where in a function text is inserted: at its beginning, before its last statement,
// or before the first statement that calls a function of a name.
type place string

const (
	first place = "\x00first"
	last  place = "\x00last"
)

// An insertion is text for a function of a file.
type insertion struct {
	file, recv, name string
	at               place
	text             string
}

// insertAll makes insertions.
func (p *Package) insertAll(list []insertion) error {
	for _, i := range list {
		f, err := p.parse(i.file)
		if err != nil {
			return err
		}
		fn, err := f.method(i.recv, i.name)
		if err != nil {
			return err
		}
		text := withParams(i.text, fn) + "; "
		switch i.at {
		case first:
			f.insert(fn.Body.Lbrace+1, " "+text)
		case last:
			f.insert(fn.Body.List[len(fn.Body.List)-1].Pos(), text)
		default:
			stmt := calling(fn.Body, string(i.at))
			if stmt == nil {
				return p.unexpected(i.name + " does not call " + string(i.at))
			}
			f.insert(stmt.Pos(), text)
		}
	}
	return nil
}

// withParams replaces $0, $1 and so on in text by the names of a function's parameters, and $r by
// that of its receiver.
func withParams(text string, fn *ast.FuncDecl) string {
	var pairs []string
	n := 0
	for _, field := range fn.Type.Params.List {
		for _, id := range field.Names {
			pairs = append(pairs, "$"+string(rune('0'+n)), id.Name)
			n++
		}
	}
	if fn.Recv != nil {
		pairs = append(pairs, "$r", fn.Recv.List[0].Names[0].Name)
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// called is the last part of the name of the function that is called.
func called(call *ast.CallExpr) string {
	switch fun := call.Fun.(type) {
	case *ast.Ident:
		return fun.Name
	case *ast.SelectorExpr:
		return fun.Sel.Name
	}
	return ""
}

// firstCall returns the first call of the function name in a node, nil if there is none.
func firstCall(n ast.Node, name string) (found *ast.CallExpr) {
	ast.Inspect(n, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && found == nil && called(call) == name {
			found = call
		}
		return found == nil
	})
	return found
}

// calling returns the innermost statement in a block of body, or in a case of a switch, that calls
// the function name first, nil if none does.
func calling(body *ast.BlockStmt, name string) (found ast.Stmt) {
	ast.Inspect(body, func(n ast.Node) bool {
		var list []ast.Stmt
		switch n := n.(type) {
		case *ast.BlockStmt:
			list = n.List
		case *ast.CaseClause:
			list = n.Body
		}
		for _, stmt := range list {
			switch stmt.(type) {
			case *ast.ExprStmt, *ast.AssignStmt, *ast.ReturnStmt:
				if found == nil && firstCall(stmt, name) != nil {
					found = stmt
				}
			}
		}
		return true
	})
	return found
}
