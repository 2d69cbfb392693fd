// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package discount

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// A finder looks at one package.
type finder struct {
	info  *types.Info
	decls map[*types.Func]*ast.FuncDecl
}

// An environment has the keys of a helper's parameters: those of the arguments.
type environment map[types.Object]string

// looks are the keys of what an expression reads.
type looks map[string]bool

// maxDepth bounds how many calls of the package's own functions are followed, one in another.
const maxDepth = 3

func newFinder(files []*ast.File, info *types.Info) *finder {
	f := &finder{info: info, decls: make(map[*types.Func]*ast.FuncDecl)}
	for _, file := range files {
		for _, decl := range file.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && fn.Body != nil {
				if obj, ok := info.Defs[fn.Name].(*types.Func); ok {
					f.decls[obj] = fn
				}
			}
		}
	}
	return f
}

// key returns the key of an expression. If no key can be given, it is one that no other expression
// has.
func (f *finder) key(e ast.Expr, env environment) string {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		obj := f.info.ObjectOf(e)
		if k, ok := env[obj]; ok {
			return k
		}
		if v, ok := obj.(*types.Var); ok {
			return fmt.Sprintf("%s@%d", v.Name(), v.Pos())
		}
		return e.Name
	case *ast.BasicLit:
		return e.Value
	case *ast.SelectorExpr:
		if id, ok := e.X.(*ast.Ident); ok {
			if _, ok := f.info.Uses[id].(*types.PkgName); ok {
				return id.Name + "." + e.Sel.Name
			}
		}
		return f.key(e.X, env) + "." + e.Sel.Name
	case *ast.StarExpr:
		return "*" + f.key(e.X, env)
	case *ast.IndexExpr:
		return f.key(e.X, env) + "[" + f.key(e.Index, env) + "]"
	case *ast.UnaryExpr:
		return e.Op.String() + f.key(e.X, env)
	case *ast.BinaryExpr:
		return "(" + f.key(e.X, env) + e.Op.String() + f.key(e.Y, env) + ")"
	case *ast.CallExpr:
		args := make([]string, len(e.Args))
		for i, arg := range e.Args {
			args[i] = f.key(arg, env)
		}
		return f.key(e.Fun, env) + "(" + strings.Join(args, ",") + ")"
	}
	return fmt.Sprintf("?%d", e.Pos())
}

// look adds to the set what an expression reads of what others may write. It reports false if the
// expression may have an effect, or may wait.
func (f *finder) look(e ast.Expr, env environment, into looks, depth int) bool {
	each := func(list ...ast.Expr) bool {
		for _, x := range list {
			if x != nil && !f.look(x, env, into, depth) {
				return false
			}
		}
		return true
	}
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		if v, ok := f.info.Uses[e].(*types.Var); ok && v.Pkg() != nil &&
			v.Parent() == v.Pkg().Scope() {
			into[f.key(e, env)] = true
		}
		return true
	case *ast.BasicLit:
		return true
	case *ast.SelectorExpr:
		if sel := f.info.Selections[e]; sel != nil {
			if sel.Kind() != types.FieldVal || !each(e.X) {
				return false
			}
			if sel.Indirect() || f.shared(e.X) {
				into[f.key(e, env)] = true
			}
			return true
		}
		return each(e.Sel) // of another package
	case *ast.StarExpr:
		into[f.key(e, env)] = true
		return each(e.X)
	case *ast.IndexExpr:
		if tv, ok := f.info.Types[e.X]; ok && tv.IsValue() {
			if _, array := tv.Type.Underlying().(*types.Array); !array || f.shared(e.X) {
				into[f.key(e, env)] = true
			}
			return each(e.X, e.Index)
		}
		return false // an instantiation
	case *ast.SliceExpr:
		return each(e.X, e.Low, e.High, e.Max)
	case *ast.TypeAssertExpr:
		return each(e.X)
	case *ast.BinaryExpr:
		return each(e.X, e.Y)
	case *ast.UnaryExpr:
		if e.Op == token.AND {
			_, lit := ast.Unparen(e.X).(*ast.CompositeLit)
			return lit && each(e.X)
		}
		return e.Op != token.ARROW && each(e.X)
	case *ast.CompositeLit:
		return each(e.Elts...)
	case *ast.KeyValueExpr:
		return each(e.Value)
	case *ast.CallExpr:
		return f.call(e, env, into, depth)
	case *ast.ArrayType, *ast.MapType, *ast.StructType, *ast.FuncType, *ast.InterfaceType,
		*ast.ChanType:
		return true
	}
	return false
}

// shared reports whether others may write what an expression stands for.
func (f *finder) shared(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		v, ok := f.info.Uses[e].(*types.Var)
		return ok && v.Pkg() != nil && v.Parent() == v.Pkg().Scope()
	case *ast.SelectorExpr:
		sel := f.info.Selections[e]
		return sel == nil || sel.Indirect() || f.shared(e.X)
	}
	return true
}

// call is look for a call.
func (f *finder) call(e *ast.CallExpr, env environment, into looks, depth int) bool {
	args := func() bool {
		for _, arg := range e.Args {
			if !f.look(arg, env, into, depth) {
				return false
			}
		}
		return true
	}
	tv := f.info.Types[e.Fun]
	if tv.IsType() {
		return args()
	}
	if tv.IsBuiltin() {
		switch id, _ := ast.Unparen(e.Fun).(*ast.Ident); {
		case id == nil:
			return false
		case id.Name == "len" || id.Name == "cap":
			into[f.key(e, env)] = true
			return args()
		case id.Name == "min" || id.Name == "max" || id.Name == "new" || id.Name == "make":
			return args()
		}
		return false
	}
	fn, recv := f.callee(e)
	switch {
	case fn == nil:
		return false
	case f.decls[fn] != nil:
		return depth < maxDepth && args() &&
			f.helper(f.decls[fn], f.bind(f.decls[fn], e, recv, env), into, depth+1)
	case recv == nil:
		return args() // of another package, whose variables are not watched
	case !observes(fn.Name()):
		return false
	}
	into[f.key(e, env)] = true
	return args() && f.place(recv, env, into, depth)
}

// place is look for a variable whose address is taken: it isn't read itself.
func (f *finder) place(e ast.Expr, env environment, into looks, depth int) bool {
	if s, ok := ast.Unparen(e).(*ast.SelectorExpr); ok && f.info.Selections[s] != nil {
		if _, pointer := f.info.TypeOf(e).Underlying().(*types.Pointer); !pointer {
			return f.place(s.X, env, into, depth)
		}
	}
	return f.look(e, env, into, depth)
}

// callee returns the function or method that is called, and the receiver; nil if it isn't known.
func (f *finder) callee(e *ast.CallExpr) (fn *types.Func, recv ast.Expr) {
	fun := ast.Unparen(e.Fun)
	switch x := fun.(type) {
	case *ast.IndexExpr:
		fun = x.X
	case *ast.IndexListExpr:
		fun = x.X
	}
	switch x := fun.(type) {
	case *ast.Ident:
		fn, _ = f.info.Uses[x].(*types.Func)
	case *ast.SelectorExpr:
		fn, _ = f.info.Uses[x.Sel].(*types.Func)
		if sel := f.info.Selections[x]; sel != nil && sel.Kind() == types.MethodVal {
			recv = x.X
		}
	}
	if fn != nil {
		fn = fn.Origin()
	}
	return fn, recv
}

// bind returns the environment of a function that is called.
func (f *finder) bind(
	fn *ast.FuncDecl, e *ast.CallExpr, recv ast.Expr, env environment,
) environment {
	inner := make(environment)
	if fn.Recv != nil && recv != nil && len(fn.Recv.List) == 1 &&
		len(fn.Recv.List[0].Names) == 1 {
		inner[f.info.Defs[fn.Recv.List[0].Names[0]]] = f.key(recv, env)
	}
	i := 0
	for _, field := range fn.Type.Params.List {
		for _, name := range field.Names {
			if i < len(e.Args) {
				inner[f.info.Defs[name]] = f.key(e.Args[i], env)
			}
			i++
		}
	}
	return inner
}

// helper is look for a function that only looks and returns.
func (f *finder) helper(fn *ast.FuncDecl, env environment, into looks, depth int) bool {
	return f.onlyLooks(fn.Body.List, env, into, depth)
}

// onlyLooks reports whether statements only look, lock and return, and adds what they look at.
func (f *finder) onlyLooks(list []ast.Stmt, env environment, into looks, depth int) bool {
	for _, stmt := range list {
		ok := false
		switch s := stmt.(type) {
		case *ast.ExprStmt:
			ok = f.locks(s.X) != 0
		case *ast.DeferStmt:
			ok = f.locks(s.Call) != 0
		case *ast.AssignStmt, *ast.DeclStmt:
			ok = f.assigns(stmt, env, into, depth)
		case *ast.ReturnStmt:
			ok = true
			for _, x := range s.Results {
				ok = ok && f.look(x, env, into, depth)
			}
		case *ast.IfStmt:
			ok = (s.Init == nil || f.assigns(s.Init, env, into, depth)) &&
				f.look(s.Cond, env, into, depth) && f.onlyLooks(s.Body.List, env, into, depth)
			switch other := s.Else.(type) {
			case *ast.BlockStmt:
				ok = ok && f.onlyLooks(other.List, env, into, depth)
			case *ast.IfStmt:
				ok = ok && f.onlyLooks([]ast.Stmt{other}, env, into, depth)
			}
		}
		if !ok {
			return false
		}
	}
	return true
}

// assigns reports whether a statement assigns looks to local variables, and adds what it looks at.
func (f *finder) assigns(stmt ast.Stmt, env environment, into looks, depth int) bool {
	from, ok := f.assignment(stmt)
	for _, x := range from {
		ok = ok && f.look(x, env, into, depth)
	}
	return ok
}

// assignment returns what a statement assigns to local variables; false if it is none, or assigns
// to others as well.
func (f *finder) assignment(stmt ast.Stmt) (from []ast.Expr, ok bool) {
	switch s := stmt.(type) {
	case *ast.AssignStmt:
		for _, x := range s.Lhs {
			id, isIdent := x.(*ast.Ident)
			if !isIdent || id.Name != "_" && f.shared(id) {
				return nil, false
			}
		}
		return s.Rhs, s.Tok == token.ASSIGN || s.Tok == token.DEFINE
	case *ast.DeclStmt:
		gen := s.Decl.(*ast.GenDecl)
		for _, spec := range gen.Specs {
			if v, isVar := spec.(*ast.ValueSpec); isVar {
				from = append(from, v.Values...)
			}
		}
		return from, true
	}
	return nil, false
}

// locks is 1 for a call that takes a lock, -1 for one that releases it, and 0 for others.
func (f *finder) locks(e ast.Expr) int {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok || len(call.Args) != 0 {
		return 0
	}
	fn, recv := f.callee(call)
	if fn == nil || recv == nil || fn.Signature().Results().Len() != 0 {
		return 0
	}
	switch fn.Name() {
	case "Lock", "RLock":
		return 1
	case "Unlock", "RUnlock":
		return -1
	}
	return 0
}

// observes reports whether a method of another package only looks, by its name.
func observes(name string) bool {
	if strings.HasPrefix(name, "LoadOr") || strings.HasPrefix(name, "LoadAnd") ||
		strings.HasPrefix(name, "GetOr") || strings.HasPrefix(name, "GetAnd") {
		return false
	}
	for _, prefix := range [...]string{"Load", "Get", "Peek", "Has", "Contain", "Len", "Size",
		"Count", "Exist", "Look", "Find", "Is", "Err", "Value", "String"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}
