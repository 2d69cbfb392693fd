// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package transaction

import (
	"go/ast"
	"go/token"
)

// A target is what an annotation is about.
type target struct {
	// node is a *ast.FuncDecl, *ast.GenDecl (of types), *ast.TypeSpec, *ast.FuncLit or
	// *ast.BlockStmt; nil if there is nothing; or else a statement that has blocks and is none.
	node      ast.Node
	doc       bool // the annotation is in a doc comment, which gofmt rewrites
	trailing  bool // it is on the line that it is about
	several   bool // there is more than one thing that it could be about
	variables bool // it is beside a variable, a constant or a field
	place
}

// A place is what a literal or a block stands in.
type place struct {
	owner    *ast.FuncDecl // nil in the initial value of a variable
	variable string
	function ast.Node // the innermost *ast.FuncDecl or *ast.FuncLit
}

// A candidate is what an annotation can be about without being its doc comment.
type candidate struct {
	node  ast.Node
	body  *ast.BlockStmt // nil if the node is no more than a statement
	above int            // the line that an annotation stands over, 0 for none
	brace int            // the line that one may stand on, at its end
	place
}

// places knows what is where in a file. Lines are those of the file, not of its line directives.
type places struct {
	fset       *token.FileSet
	code       map[int]bool // has a token
	variables  map[int]bool // has the declaration of a variable, a constant or a field
	docs       map[*ast.CommentGroup]ast.Node
	candidates []candidate
}

func readPlaces(fset *token.FileSet, file *ast.File) *places {
	p := &places{fset: fset, code: make(map[int]bool), variables: make(map[int]bool),
		docs: make(map[*ast.CommentGroup]ast.Node)}
	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			p.docs[decl.Doc] = decl
		case *ast.GenDecl:
			p.types(decl)
		}
	}
	delete(p.docs, nil)
	ast.PreorderStack(file, nil, func(n ast.Node, stack []ast.Node) bool {
		switch n := n.(type) {
		case *ast.File:
			return true
		case *ast.Comment, *ast.CommentGroup:
			return false
		case *ast.GenDecl:
			if n.Tok == token.VAR || n.Tok == token.CONST {
				p.variable(n.Doc, n.Pos(), n.Pos()+1)
			}
		case *ast.ValueSpec:
			p.variable(n.Doc, n.Pos(), n.End())
		case *ast.Field:
			if len(stack) > 1 {
				if _, ok := stack[len(stack)-2].(*ast.StructType); ok {
					p.variable(nil, n.Pos(), n.End())
				}
			}
		}
		if n.Pos() < n.End() {
			p.code[p.line(n.Pos())] = true
			p.code[p.line(n.End()-1)] = true
		}
		p.candidate(n, stack)
		return true
	})
	return p
}

func (p *places) line(pos token.Pos) int { return p.fset.PositionFor(pos, false).Line }

// types notes the doc comments of types: that of a group is about all of them.
func (p *places) types(decl *ast.GenDecl) {
	if decl.Tok != token.TYPE {
		return
	}
	p.docs[decl.Doc] = decl
	for _, spec := range decl.Specs {
		p.docs[spec.(*ast.TypeSpec).Doc] = spec
	}
}

// variable notes a declaration that is no function and no type. A doc comment of it may be about a
// function literal all the same.
func (p *places) variable(doc *ast.CommentGroup, pos, end token.Pos) {
	if doc != nil {
		p.docs[doc] = nil
	}
	p.variables[p.line(pos)] = true
	p.variables[p.line(end-1)] = true
}

// candidate notes n if an annotation can be about it.
func (p *places) candidate(n ast.Node, stack []ast.Node) {
	c := candidate{node: n}
	switch n := n.(type) {
	case *ast.FuncDecl:
		c.body = n.Body
	case *ast.FuncLit:
		c.body, c.above = n.Body, p.line(n.Type.Func)
	case *ast.ForStmt:
		c.node, c.body, c.above = n.Body, n.Body, p.line(n.Pos())
	case *ast.RangeStmt:
		c.node, c.body, c.above = n.Body, n.Body, p.line(n.Pos())
	case *ast.IfStmt:
		if other, ok := n.Else.(*ast.BlockStmt); ok {
			p.add(candidate{node: other, body: other}, stack)
		}
		p.add(candidate{node: n.Body, body: n.Body}, stack)
		if parent, ok := stack[len(stack)-1].(*ast.IfStmt); !ok || parent.Else != n {
			c.above = p.line(n.Pos())
		}
	case *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt, *ast.CaseClause, *ast.CommClause:
		c.above = p.line(n.Pos())
		c.brace = c.above
	case *ast.BlockStmt:
		switch stack[len(stack)-1].(type) {
		case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause, *ast.LabeledStmt:
			c.body, c.above = n, p.line(n.Pos())
		default:
			return // its parent is noted
		}
	default:
		return
	}
	p.add(c, stack)
}

func (p *places) add(c candidate, stack []ast.Node) {
	if c.body != nil {
		c.brace = p.line(c.body.Lbrace)
	}
	for _, n := range stack {
		switch n := n.(type) {
		case *ast.FuncDecl:
			c.owner, c.function = n, n
		case *ast.FuncLit:
			c.function = n
		case *ast.ValueSpec:
			if c.owner == nil && c.variable == "" {
				c.variable = n.Names[0].Name
			}
		}
	}
	p.candidates = append(p.candidates, c)
}

// target finds what an annotation is about: what it is the doc comment of, or else what begins on
// the line below its comment or, if there is code before it, what opens a block on its own line.
func (p *places) target(a *annotation) (t target) {
	line := p.line(a.Pos())
	node, doc := p.docs[a.group]
	if node != nil {
		return target{node: node, doc: true}
	}
	t.doc, t.trailing = doc, p.code[line] && !doc
	if !t.trailing {
		line = p.line(a.group.End()) + 1
	}
	t.variables = doc || p.variables[line]
	var found []candidate
	for _, c := range p.candidates {
		if t.trailing && c.brace == line && (c.body == nil || c.body.Lbrace < a.Pos()) ||
			!t.trailing && c.above == line {
			found = append(found, c)
		}
	}
	if best := outermost(found); best >= 0 {
		t.node, t.place = found[best].node, found[best].place
	}
	t.several = len(found) > 0 && t.node == nil
	return t
}

// outermost chooses the candidate whose body has all others in it, or -1. A statement that is no
// block gives way: in "if err := do(func() error {", the literal is meant.
func outermost(list []candidate) int {
	for i, c := range list {
		inside := true
		for j, other := range list {
			if j == i || other.body == nil && c.body != nil {
				continue
			}
			inside = inside && c.body != nil && c.body.Pos() <= other.node.Pos() &&
				other.node.End() <= c.body.End()
		}
		if inside {
			return i
		}
	}
	return -1
}
