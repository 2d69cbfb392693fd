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
	// *ast.BlockStmt. It is nil if there is no target. Any other node is a statement with blocks
	// that is not a block itself.
	node      ast.Node
	doc       bool // the annotation is in a doc comment, which gofmt rewrites
	trailing  bool // the annotation is at the end of the line that it is about
	several   bool // there is more than one possible target
	variables bool // the annotation is beside a variable, a constant or a field
	place
}

// A place is the function or variable in which a literal or a block stands.
type place struct {
	owner    *ast.FuncDecl // nil in the initial value of a variable
	variable string
	function ast.Node // the innermost *ast.FuncDecl or *ast.FuncLit
}

// A candidate is what an annotation can be about without being its doc comment.
type candidate struct {
	node  ast.Node
	body  *ast.BlockStmt // nil if the node is no more than a statement
	above int            // the line below an annotation of the candidate, 0 for none
	brace int            // the line of the opening brace, at whose end an annotation may stand
	place
}

// The places of a file are the possible targets and the lines that have code. Lines are those of
// the file, not of its line directives.
type places struct {
	fset       *token.FileSet
	code       map[int]bool // lines with a token
	variables  map[int]bool // lines with the declaration of a variable, a constant or a field
	docs       map[*ast.CommentGroup]ast.Node
	candidates []candidate
}

// readPlaces walks the syntax of a file once.
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

// candidate adds n if an annotation can be about it. Of an else-if the statement is no target of
// its own: an annotation above it would be inside the if statement.
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
			return // the body of another statement, which is the candidate
		}
	default:
		return
	}
	p.add(c, stack)
}

// add adds a candidate; the stack has the nodes around it.
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

// target finds the target of an annotation. A doc comment is about its declaration. An annotation
// behind code is about the block that this line opens, any other about what begins on the line
// below its comment.
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
// block counts only if there is nothing else: in "if err := do(func() error {", the literal is
// meant.
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
