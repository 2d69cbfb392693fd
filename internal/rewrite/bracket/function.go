// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package bracket

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// A function is the state of one function, with marked blocks or without, while it is instrumented.
type function struct {
	*generator
	typ    *ast.FuncType
	body   *ast.BlockStmt
	blocks []*ast.BlockStmt // marked, in the order of their beginnings
	exits  []exit
	labels map[string]*ast.LabeledStmt
	names  []string // of the results; nil where a return cannot assign to them
}

// An exit is a statement that leaves marked blocks.
type exit struct {
	stmt   ast.Stmt         // an *ast.ReturnStmt or *ast.BranchStmt
	leaves []*ast.BlockStmt // the innermost first
	// iterator says that the exit also leaves the body of a loop over a function, inside of one of
	// these blocks. The iterator then goes on before the function returns, so a return can't end
	// the block by itself. A branch does: what the iterator does after it is not part of the
	// transaction.
	iterator bool
}

// survey finds the marked blocks, and the exits of each. A first pass finds the labels: a goto may
// come before its label.
func (f *function) survey() {
	f.labels = make(map[string]*ast.LabeledStmt)
	f.each(func(n ast.Node, _ []ast.Node) {
		switch n := n.(type) {
		case *ast.LabeledStmt:
			f.labels[n.Label.Name] = n
		case *ast.BlockStmt:
			if f.marked(n) {
				f.blocks = append(f.blocks, n)
			}
		}
	})
	if len(f.blocks) == 0 {
		return
	}
	f.each(func(n ast.Node, stack []ast.Node) {
		first := 0
		switch n := n.(type) {
		case *ast.ReturnStmt:
		case *ast.BranchStmt:
			if first = f.destination(n, stack); first < 0 {
				return
			}
		default:
			return
		}
		// The exit leaves the marked blocks between it and its destination, the innermost first.
		e := exit{stmt: n.(ast.Stmt)}
		for i := len(stack) - 1; i >= first; i-- {
			if b, ok := stack[i].(*ast.BlockStmt); ok && f.marked(b) && !f.stays(n, b) {
				e.leaves = append(e.leaves, b)
				first = max(first, 0)
				e.iterator = e.iterator || f.iterates(stack[i:])
			}
		}
		if len(e.leaves) > 0 {
			f.exits = append(f.exits, e)
		}
	})
}

// each calls visit for each node of the function, but not of function literals in it, and with the
// nodes that enclose it.
func (f *function) each(visit func(n ast.Node, stack []ast.Node)) {
	ast.PreorderStack(f.body, nil, func(n ast.Node, stack []ast.Node) bool {
		if _, ok := n.(*ast.FuncLit); ok {
			return false
		}
		visit(n, stack)
		return true
	})
}

// destination returns the index in stack of the outermost statement that a branch leaves or
// continues. What is inside of it is left. A goto leaves all that its label is not in, which stays
// decides. It is -1 for a fallthrough, which leaves no block.
func (f *function) destination(n *ast.BranchStmt, stack []ast.Node) int {
	switch {
	case n.Tok == token.FALLTHROUGH:
		return -1
	case n.Tok == token.GOTO:
		return 0
	}
	for i := len(stack) - 1; i >= 0; i-- {
		if n.Label != nil {
			if l, ok := stack[i].(*ast.LabeledStmt); ok && l.Label.Name == n.Label.Name {
				return i
			}
			continue
		}
		switch stack[i].(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			return i
		case *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
			if n.Tok == token.BREAK {
				return i
			}
		}
	}
	return -1 // the compiler says what is wrong
}

// stays reports whether n is a goto to a label inside of b, which doesn't leave b.
func (f *function) stays(n ast.Node, b *ast.BlockStmt) bool {
	br, ok := n.(*ast.BranchStmt)
	if !ok || br.Tok != token.GOTO || br.Label == nil {
		return false
	}
	l := f.labels[br.Label.Name]
	return l != nil && b.Lbrace < l.Pos() && l.Pos() < b.Rbrace
}

// iterates reports whether one of these statements is a loop over a function.
func (f *function) iterates(stack []ast.Node) bool {
	return slices.ContainsFunc(stack, func(n ast.Node) bool {
		r, ok := n.(*ast.RangeStmt)
		return ok && f.pkg.Iterator(r.X)
	})
}

// nameResults gives the results names, if a return has to assign to them. It gives up, and leaves
// names nil, if an inner declaration hides one of the names.
func (f *function) nameResults() {
	needed := false
	for _, e := range f.exits {
		ret, ok := e.stmt.(*ast.ReturnStmt)
		needed = needed || ok && len(ret.Results) > 0 && !e.iterator
	}
	if !needed || f.typ.Results == nil {
		return
	}
	list := f.typ.Results
	var names []string
	for _, field := range list.List {
		if len(field.Names) == 0 {
			names = append(names, fmt.Sprintf("commute_r%d", len(names)))
			continue
		}
		for _, id := range field.Names {
			if id.Name != "_" && f.shadows(id.Name) {
				return // a return in that block could not assign to the result
			}
			names = append(names, id.Name)
		}
	}
	i := 0
	for _, field := range list.List {
		if len(field.Names) == 0 {
			open := ""
			if !list.Opening.IsValid() {
				open = "(" // a single result without a name has no brackets
			}
			f.insert(field.Type.Pos(), open+names[i]+" ")
			i++
		}
		for _, id := range field.Names {
			if id.Name == "_" {
				names[i] = fmt.Sprintf("commute_r%d", i)
				f.replace(id.Pos(), id.End(), names[i])
			}
			i++
		}
	}
	if !list.Opening.IsValid() {
		f.insert(list.End(), ")")
	}
	f.names = names
}

// shadows reports whether a block of the function may declare the name of a result anew. An
// assignment with := among the function's outermost statements does not: it assigns to the result.
func (f *function) shadows(name string) (found bool) {
	is := func(e ast.Expr) bool {
		id, ok := e.(*ast.Ident)
		return ok && id.Name == name
	}
	f.each(func(n ast.Node, stack []ast.Node) {
		var list []ast.Expr
		switch n := n.(type) {
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE && len(stack) > 1 {
				list = n.Lhs
			}
		case *ast.RangeStmt:
			if n.Tok == token.DEFINE {
				list = []ast.Expr{n.Key, n.Value}
			}
		case *ast.ValueSpec:
			for _, id := range n.Names {
				list = append(list, id)
			}
		case *ast.TypeSpec:
			list = []ast.Expr{n.Name}
		}
		for _, e := range list {
			found = found || is(e)
		}
	})
	return found
}

// rewrite inserts the beginnings and ends of the function's blocks. The edits at one place must be
// made inside out: inner blocks end first.
func (f *function) rewrite() {
	exits := make(map[ast.Stmt]exit)
	for _, e := range f.exits {
		exits[e.stmt] = e
	}
	for _, b := range f.blocks {
		f.insert(b.Lbrace+1,
			fmt.Sprintf(" commute_t%d = commute_Transaction{}; "+
				"commute_atomicBegin(&commute_t%[1]d, &commute_a%[1]d);", f.index[b]))
	}
	ast.PreorderStack(f.body, nil, func(n ast.Node, _ []ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			f.walk(n)
			return false
		case *ast.BranchStmt:
			if e, ok := exits[n]; ok {
				f.insert(n.Pos(), "{ "+f.ends("", e.leaves))
				f.insert(n.End(), " }")
			}
		case *ast.ReturnStmt:
			if e, ok := exits[n]; ok {
				f.leave(n, e)
			}
		}
		return true
	})
	for i := len(f.blocks) - 1; i >= 0; i-- { // the inner ones end first
		if b := f.blocks[i]; !f.terminating(b.List) {
			f.insert(b.Rbrace, "; "+f.ends("", []*ast.BlockStmt{b}))
		}
	}
}

// ends is the code that ends the transactions of blocks, with a word such as defer before each.
func (f *function) ends(word string, blocks []*ast.BlockStmt) string {
	var b strings.Builder
	for _, block := range blocks {
		fmt.Fprintf(&b, "%scommute_atomicEnd(&commute_t%d); ", word, f.index[block])
	}
	return b.String()
}

// leave rewrites a return. Its results are computed before the ends, and the ends come before the
// function's deferred calls. The ends are deferred if the results have no names that could be
// assigned to, or if an iterator has yet to go on. What is deferred last is called first.
func (f *function) leave(n *ast.ReturnStmt, e exit) {
	switch {
	case len(n.Results) == 0 && !e.iterator:
		f.insert(n.Pos(), "{ "+f.ends("", e.leaves))
		f.insert(n.End(), " }")
	case f.names == nil || e.iterator:
		outer := make([]*ast.BlockStmt, 0, len(e.leaves))
		for i := len(e.leaves) - 1; i >= 0; i-- {
			outer = append(outer, e.leaves[i])
		}
		f.insert(n.Pos(), "{ "+f.ends("defer ", outer))
		f.insert(n.End(), " }")
	default:
		names := strings.Join(f.names, ", ")
		f.replace(n.Pos(), n.Pos()+token.Pos(len("return")), "{ "+names+" = ")
		ends := f.ends("", e.leaves) + "return " + names + " }"
		if f.pkg.Source.Fset.Position(n.Pos()).Line != f.pkg.Source.Fset.Position(n.End()).Line {
			// the function returns where its return begins
			ends = f.line(n.Pos()) + ends + f.line(n.End())
		}
		f.insert(n.End(), "; "+ends)
	}
}
