// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// The compiler inlines small functions. A touch makes one larger, though it is cold as a rule. So
// the calls of those that are small without their touches are listed, as the edges of a profile:
// the compiler inlines what a profile says is called often, also if it is larger. Not listed are
// calls of generic functions, of function literals, and those in other packages.

// An edge is a call that the compiler would inline if its function had no touches. The names are
// those of the linker's symbols.
type edge struct {
	caller, callee string
	line           int // of the call, from the line of the caller's declaration on
}

// ProfileFlags are what the compiler needs with such a profile: all of its edges count, and calls
// of interfaces stay as they are.
const ProfileFlags = "-d=pgoinlinecdfthreshold=100,pgodevirtualize=0"

// inlineBudget is what the body of a function that the compiler inlines may cost, in nodes of its
// syntax tree, and callCost what a call in it costs beside these: see cmd/compile/internal/inline.
const (
	inlineBudget = 80
	callCost     = 57
)

// profile is Output.Profile. All its edges have the same weight.
func (g *generator) profile() []byte {
	var b bytes.Buffer
	for i, e := range g.enlarged() {
		if i == 0 {
			b.WriteString("GO PREPROFILE V1\n")
		}
		fmt.Fprintf(&b, "%s\n%s\n%d 1\n", e.caller, e.callee, e.line)
	}
	return b.Bytes()
}

// enlarged lists the calls of functions of the package that are small but for their touches, in the
// order of callers and lines.
func (g *generator) enlarged() []edge {
	s := &sizes{g: g, of: make(map[*types.Func]*size)}
	for _, f := range g.files {
		for _, d := range f.AST.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok {
				s.declare(fn)
			}
		}
	}
	if len(s.of) == 0 {
		return nil
	}
	var list []edge
	for _, f := range g.files {
		for _, d := range f.AST.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			if obj, ok := g.info.Defs[fn.Name].(*types.Func); ok {
				c := caller{sizes: s, name: g.symbol(obj), line: g.lineOf(fn.Name.Pos()),
					inlined: make(map[*types.Func]bool)}
				c.list(fn.Body)
				list = append(list, c.edges...)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b edge) int {
		return cmp.Or(cmp.Compare(a.caller, b.caller), cmp.Compare(a.line, b.line),
			cmp.Compare(a.callee, b.callee))
	})
	return slices.Compact(list)
}

// lineOf is the line of a position as the compiler counts it.
func (g *generator) lineOf(pos token.Pos) int { return g.pkg.Source.Fset.Position(pos).Line }

// symbol is the name of a function or method in the linker's symbols.
func (g *generator) symbol(fn *types.Func) string {
	pkg := escaped(g.pkg.Source.Path)
	recv := fn.Signature().Recv()
	if recv == nil {
		return pkg + "." + fn.Name()
	}
	t, pointer := recv.Type(), false
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t, pointer = p.Elem(), true
	}
	n, ok := types.Unalias(t).(*types.Named)
	switch {
	case !ok:
		return ""
	case pointer:
		return fmt.Sprintf("%s.(*%s).%s", pkg, n.Obj().Name(), fn.Name())
	default:
		return fmt.Sprintf("%s.%s.%s", pkg, n.Obj().Name(), fn.Name())
	}
}

// sizes says which functions of a package are small.
type sizes struct {
	g  *generator
	of map[*types.Func]*size
}

// A size is what is known of a function.
type size struct {
	decl    *ast.FuncDecl
	touched bool // it has touches
	cost    int  // of its body without them; 0 before it is known
	larger  bool // for its touches, or those of what is inlined in it, it costs more than that
	asked   bool // its cost is being found: it is recursive
}

// declare notes a function that may be inlined. One with type parameters has other names.
func (s *sizes) declare(fn *ast.FuncDecl) {
	obj, ok := s.g.info.Defs[fn.Name].(*types.Func)
	if !ok || fn.Body == nil {
		return
	}
	sig := obj.Signature()
	if sig.TypeParams().Len() > 0 || sig.RecvTypeParams().Len() > 0 || s.g.symbol(obj) == "" {
		return
	}
	touched := slices.ContainsFunc(s.g.inserts, func(in insert) bool {
		return fn.Body.Lbrace < in.pos && in.pos <= fn.Body.Rbrace
	})
	s.of[obj] = &size{decl: fn, touched: touched}
}

// small returns the size of a function that is inlined without touches, nil if it is not small.
func (s *sizes) small(fn *types.Func) *size {
	z := s.of[fn]
	if z == nil || z.asked {
		return nil
	}
	if z.cost == 0 {
		z.asked = true
		z.larger = z.touched
		z.cost = s.cost(z.decl.Body, z)
		z.asked = false
	}
	if z.cost > inlineBudget {
		return nil
	}
	return z
}

// cost is about what the compiler reckons for the body of a function.
func (s *sizes) cost(body *ast.BlockStmt, of *size) int {
	cost := 1
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case nil, *ast.BlockStmt, *ast.ParenExpr, *ast.ExprStmt, *ast.DeclStmt, *ast.FieldList,
			*ast.Field, *ast.GenDecl, *ast.EmptyStmt, *ast.KeyValueExpr:
			return cost <= inlineBudget
		case *ast.GoStmt, *ast.DeferStmt, *ast.SelectStmt, *ast.LabeledStmt:
			cost += inlineBudget
		case *ast.SelectorExpr:
			cost-- // what is selected is an identifier, which costs nothing
		case *ast.CallExpr:
			cost += s.call(n, of)
		}
		cost++
		return cost <= inlineBudget
	})
	return cost
}

// call is what a call costs beside its operands.
func (s *sizes) call(call *ast.CallExpr, of *size) int {
	if tv := s.g.info.Types[call.Fun]; tv.IsType() || tv.IsBuiltin() {
		return 0
	}
	fn := callee(s.g.info, call)
	if fn == nil {
		return callCost
	}
	if z := s.small(fn); z != nil {
		of.larger = of.larger || z.larger
		return z.cost
	}
	if fn.Pkg() != nil && fn.Pkg().Path() == "sync/atomic" {
		of.larger = true // each operation is announced, and was an instruction
		return 0
	}
	return callCost
}

// callee is the function or method that a call calls, nil if that is decided at run time.
func callee(info *types.Info, call *ast.CallExpr) *types.Func {
	var id *ast.Ident
	switch fun := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		id = fun
	case *ast.SelectorExpr:
		id = fun.Sel
	default:
		return nil
	}
	fn, _ := info.Uses[id].(*types.Func)
	return fn
}

// A caller lists the calls in a function, and in its function literals, each of which is a function
// of its own for the compiler.
type caller struct {
	sizes     *sizes
	name      string
	line      int
	isLiteral bool
	literals  int // those in it
	inlined   map[*types.Func]bool
	edges     []edge
}

// list lists the calls in a body. A literal may be inlined, so its calls are the outer function's
// as well.
func (c *caller) list(body *ast.BlockStmt) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			c.literal(n)
			c.calls(n.Body)
			return false
		case *ast.CallExpr:
			c.call(n)
		}
		return true
	})
}

// literal lists the calls in a function literal as its own.
func (c *caller) literal(lit *ast.FuncLit) {
	c.literals++
	name := ".func"
	if c.isLiteral {
		name = "."
	}
	inner := caller{sizes: c.sizes, name: fmt.Sprint(c.name, name, c.literals), isLiteral: true,
		line: c.sizes.g.lineOf(lit.Pos()), inlined: make(map[*types.Func]bool)}
	inner.list(lit.Body)
	c.edges = append(c.edges, inner.edges...)
}

// calls lists the calls in a body, and no literals.
func (c *caller) calls(body *ast.BlockStmt) {
	ast.Inspect(body, func(n ast.Node) bool {
		if n, ok := n.(*ast.CallExpr); ok {
			c.call(n)
		}
		return true
	})
}

// call lists a call of a function that touches make larger, and those in that one. Once it is
// inlined, these are calls in the caller, of the lines that they have in their own file. The
// compiler counts a call as of a line from its beginning to its parenthesis.
func (c *caller) call(n *ast.CallExpr) {
	g := c.sizes.g
	fn := callee(g.info, n)
	if fn == nil {
		return
	}
	z := c.sizes.small(fn)
	if z == nil || !z.larger {
		return
	}
	for line := g.lineOf(n.Pos()); line <= g.lineOf(n.Lparen); line++ {
		c.edges = append(c.edges, edge{c.name, g.symbol(fn), line - c.line})
	}
	if !c.inlined[fn] {
		c.inlined[fn] = true
		c.calls(z.decl.Body)
	}
}
