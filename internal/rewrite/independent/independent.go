// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package independent finds value-independent code. Such code makes the same accesses to the same
// variables, and the same operations of locks, in the same order, whatever values it reads. It
// would have done the same if other goroutines had written other values before. So a prediction may
// let it run at another point of the schedule.
//
// Input: the syntax and the types of a package. Output: whether a function or block is
// value-independent.
//
// # Terms
//
//	value-independent  of code: as above; of an expression: its evaluation makes the same accesses
//	shared             of a local variable: a closure or a pointer lets other code write it
//	fixed              of a variable: the same one each time, whatever has been written before
//	plain              of a value: there is no address in it
//
// # Rule
//
// Code is value-independent if all of this holds; of other code nothing is said:
//
//   - It has no branches and no loops.
//   - No operation of it may panic depending on a value, such as a division.
//   - It takes no address from a variable that other code may write, but only from parameters.
//   - It calls only functions of the package that are value-independent, and methods of locks.
package independent

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
)

// A Package is the code that is examined.
type Package struct {
	Info *types.Info // Types, Defs, Uses and Selections

	bodies map[*types.Func]*ast.FuncDecl
	// variables of functions that closures use, or whose addresses are taken
	shared map[types.Object]bool
	// results; false while a function is being examined, so that recursion doesn't count
	known map[*ast.FuncDecl]bool
}

// New returns a package of these files.
func New(files []*ast.File, info *types.Info) *Package {
	p := &Package{Info: info, bodies: make(map[*types.Func]*ast.FuncDecl),
		shared: make(map[types.Object]bool), known: make(map[*ast.FuncDecl]bool)}
	for _, file := range files {
		p.share(file)
		for _, decl := range file.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && fn.Body != nil {
				if f, ok := info.Defs[fn.Name].(*types.Func); ok {
					p.bodies[f] = fn
				}
			}
		}
	}
	return p
}

// share notes which variables of functions in n are shared.
func (p *Package) share(n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			ast.Inspect(n, func(inner ast.Node) bool {
				if id, ok := inner.(*ast.Ident); ok {
					if v := p.Info.Uses[id]; v != nil && (v.Pos() < n.Pos() || v.Pos() > n.End()) {
						p.shared[v] = true
					}
				}
				return true
			})
		case *ast.UnaryExpr:
			if id, ok := ast.Unparen(n.X).(*ast.Ident); ok && n.Op == token.AND {
				p.shared[p.Info.ObjectOf(id)] = true
			}
		}
		return true
	})
}

// ValueIndependent reports whether a function or a block is value-independent.
func (p *Package) ValueIndependent(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.FuncDecl:
		return p.function(n)
	case *ast.FuncLit:
		return p.block(n.Body)
	case *ast.BlockStmt:
		return p.block(n)
	}
	return false
}

// function examines a declared function once. Type parameters could have methods of any kind.
func (p *Package) function(fn *ast.FuncDecl) bool {
	is, ok := p.known[fn]
	if !ok {
		p.known[fn] = false // for recursive calls
		is = fn.Body != nil && fn.Type.TypeParams == nil && p.block(fn.Body)
		p.known[fn] = is
	}
	return is
}

func (p *Package) block(b *ast.BlockStmt) bool {
	for _, stmt := range b.List {
		if !p.stmt(stmt) {
			return false
		}
	}
	return true
}

// stmt lists the statements that may be value-independent: others branch, loop, communicate or
// start goroutines.
func (p *Package) stmt(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.EmptyStmt:
		return true
	case *ast.BlockStmt:
		return p.block(s)
	case *ast.ExprStmt:
		return p.expr(s.X)
	case *ast.DeferStmt:
		return p.expr(s.Call)
	case *ast.ReturnStmt:
		return p.all(s.Results)
	case *ast.IncDecStmt:
		return p.target(s.X)
	case *ast.AssignStmt:
		return p.assignment(s)
	case *ast.DeclStmt:
		return p.declaration(s.Decl)
	}
	return false
}

// assignment also has operators that may panic, such as x /= y.
func (p *Package) assignment(s *ast.AssignStmt) bool {
	for _, left := range s.Lhs {
		if !p.target(left) {
			return false
		}
	}
	switch s.Tok { // operators that may panic
	case token.QUO_ASSIGN, token.REM_ASSIGN, token.SHL_ASSIGN, token.SHR_ASSIGN:
		return p.expr(s.Lhs[0]) && p.nonzero(s.Rhs[0])
	}
	return p.all(s.Rhs)
}

func (p *Package) declaration(d ast.Decl) bool {
	gen, ok := d.(*ast.GenDecl)
	if !ok {
		return false
	}
	for _, spec := range gen.Specs {
		if v, ok := spec.(*ast.ValueSpec); ok && !p.all(v.Values) {
			return false
		}
	}
	return true
}

func (p *Package) all(list []ast.Expr) bool {
	for _, e := range list {
		if !p.expr(e) {
			return false
		}
	}
	return true
}

// target reports whether e, which is assigned to, is a fixed variable.
func (p *Package) target(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return true
	case *ast.StarExpr:
		return p.address(e.X)
	case *ast.SelectorExpr:
		return p.field(e)
	}
	return false
}

// expr reports whether e can be evaluated by the same accesses each time, and its value has no
// address that other code may have written.
func (p *Package) expr(e ast.Expr) bool {
	if tv, ok := p.Info.Types[e]; ok && (tv.Value != nil || tv.IsNil()) {
		return true // a constant
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		return p.expr(e.X)
	case *ast.Ident:
		// Other code may write a variable of the package: its value must be no address.
		return p.local(e) || p.plain(e)
	case *ast.StarExpr:
		return p.address(e.X) && p.plain(e)
	case *ast.SelectorExpr:
		return p.field(e) && p.plain(e)
	case *ast.UnaryExpr:
		return (e.Op == token.ADD || e.Op == token.SUB || e.Op == token.XOR || e.Op == token.NOT) &&
			p.expr(e.X)
	case *ast.BinaryExpr:
		return p.binary(e)
	case *ast.CallExpr:
		return p.call(e)
	}
	return false
}

// binary leaves out && and ||, which branch. Two interfaces may panic when they are compared, and
// so the operands have to be plain.
func (p *Package) binary(e *ast.BinaryExpr) bool {
	switch e.Op {
	case token.LAND, token.LOR:
		return false
	case token.QUO, token.REM, token.SHL, token.SHR:
		return p.expr(e.X) && p.nonzero(e.Y)
	}
	return p.expr(e.X) && p.expr(e.Y) && p.plain(e.X) && p.plain(e.Y)
}

// nonzero reports whether e is a positive constant, so that dividing by it or shifting by it can't
// panic.
func (p *Package) nonzero(e ast.Expr) bool {
	v := p.Info.Types[e].Value
	return v != nil && (v.Kind() == constant.Int || v.Kind() == constant.Float) &&
		constant.Sign(v) > 0
}

// local reports whether e is a parameter or variable of a function that isn't shared.
func (p *Package) local(e *ast.Ident) bool {
	v, ok := p.Info.ObjectOf(e).(*types.Var)
	return ok && !p.shared[v] && !v.IsField() && v.Pkg() != nil && v.Parent() != v.Pkg().Scope()
}

// plain reports whether the value of e has no address in it.
func (p *Package) plain(e ast.Expr) bool {
	t := p.Info.TypeOf(e)
	return t != nil && isPlain(t)
}

// isPlain reports whether values of a type hold no address: strings do, but what they point to is
// never written.
func isPlain(t types.Type) bool {
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		return false
	}
	switch t := t.Underlying().(type) {
	case *types.Basic:
		return t.Info()&types.IsConstType != 0
	case *types.Struct:
		for f := range t.Fields() {
			if !isPlain(f.Type()) {
				return false
			}
		}
		return true
	case *types.Array:
		return isPlain(t.Elem())
	}
	return false
}

// address reports whether e is a fixed pointer: a function's own variable, whose value comes from
// its parameters alone.
func (p *Package) address(e ast.Expr) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	return ok && p.local(id)
}

// field reports whether e is a fixed variable: a field, or another package's variable.
func (p *Package) field(e *ast.SelectorExpr) bool {
	sel := p.Info.Selections[e]
	if sel == nil {
		_, ok := p.Info.Uses[e.Sel].(*types.Var)
		return ok
	}
	if sel.Kind() != types.FieldVal {
		return false
	}
	return p.holder(e.X) && direct(sel)
}

// holder reports whether what e is, or points to, is a fixed variable.
func (p *Package) holder(e ast.Expr) bool {
	e = ast.Unparen(e)
	if t := p.Info.TypeOf(e); t == nil {
		return false
	} else if _, ok := t.Underlying().(*types.Pointer); ok {
		return p.address(e)
	}
	switch e := e.(type) {
	case *ast.Ident:
		return true
	case *ast.SelectorExpr:
		return p.field(e)
	case *ast.StarExpr:
		return p.address(e.X)
	}
	return false
}

// direct reports whether a selection goes through no pointer but that to the outermost struct: an
// embedded pointer may have been written.
func direct(sel *types.Selection) bool {
	t := sel.Recv()
	for i, index := range sel.Index()[:len(sel.Index())-1] {
		if ptr, ok := t.Underlying().(*types.Pointer); ok {
			if i > 0 {
				return false
			}
			t = ptr.Elem()
		}
		s, ok := t.Underlying().(*types.Struct)
		if !ok {
			return false
		}
		t = s.Field(index).Type()
	}
	// The last step reaches the field or method itself: through a pointer only if it is the first.
	_, ok := t.Underlying().(*types.Pointer)
	return !ok || len(sel.Index()) == 1
}

// call reports whether a call makes the same accesses whatever its arguments are.
func (p *Package) call(e *ast.CallExpr) bool {
	if !p.all(e.Args) || e.Ellipsis.IsValid() {
		return false
	}
	if tv := p.Info.Types[e.Fun]; tv.IsType() { // a conversion
		return len(e.Args) == 1 && isPlain(tv.Type) && p.plain(e.Args[0])
	} else if tv.IsBuiltin() {
		id, ok := ast.Unparen(e.Fun).(*ast.Ident)
		return ok && (id.Name == "min" || id.Name == "max" || id.Name == "len" &&
			p.plain(e.Args[0]))
	}
	fn := p.callee(e)
	if fn == nil {
		return false
	}
	if body := p.bodies[fn]; body != nil {
		return p.function(body)
	}
	switch fn.FullName() {
	case "(*sync.Mutex).Lock", "(*sync.Mutex).Unlock", "(*sync.RWMutex).Lock",
		"(*sync.RWMutex).Unlock",
		"(*sync.RWMutex).RLock", "(*sync.RWMutex).RUnlock", "runtime.Gosched", "time.Sleep":
		return true
	}
	return false
}

// callee is the function that is called, if that is known and its receiver is fixed; otherwise it's
// nil.
func (p *Package) callee(e *ast.CallExpr) *types.Func {
	switch f := ast.Unparen(e.Fun).(type) {
	case *ast.Ident:
		fn, _ := p.Info.Uses[f].(*types.Func)
		return fn
	case *ast.SelectorExpr:
		fn, _ := p.Info.Uses[f.Sel].(*types.Func)
		sel := p.Info.Selections[f]
		if sel == nil {
			return fn
		}
		if sel.Kind() != types.MethodVal ||
			types.IsInterface(sel.Recv()) || !p.holder(f.X) || !direct(sel) {
			return nil
		}
		return fn
	}
	return nil
}
