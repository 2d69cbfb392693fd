// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package directive

import (
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/commutego/commute/internal/rewrite/instrument"
)

// A GlobalVar is a package-level variable that is or contains an object of a watched type.
type GlobalVar struct {
	Name string
	Pos  token.Pos
}

// Globals returns the variables of files whose memory is or contains an object of a watched type,
// so that the object's address identifies the variable. It leaves out variables with a compiler
// directive, whose meaning is not known here, and variables that cgo generates.
func (f *Finder) Globals(fset *token.FileSet, files []*ast.File) []GlobalVar {
	linked := linknames(files)
	var globals []GlobalVar
	for _, file := range files {
		if strings.HasPrefix(filepath.Base(fset.File(file.FileStart).Name()), "_cgo_") {
			continue
		}
		eachGlobal(file, func(id *ast.Ident, _ *ast.ValueSpec) {
			v, ok := f.Pkg.Scope().Lookup(id.Name).(*types.Var)
			if ok && v.Pos() == id.Pos() && !linked[id.Name] &&
				f.contains(v.Type(), make(map[types.Type]bool)) {
				globals = append(globals, GlobalVar{Name: id.Name, Pos: id.Pos()})
			}
		})
	}
	return globals
}

// contains reports whether a value of type t has one of a watched type in its own memory.
func (f *Finder) contains(t types.Type, seen map[types.Type]bool) bool {
	t = types.Unalias(t)
	if seen[t] {
		return false // the type was looked at, or is in error
	}
	seen[t] = true
	if named, ok := t.(*types.Named); ok && named.Obj().Pkg() != nil {
		for _, w := range f.Types {
			if w.Name == named.Obj().Name() && w.Package == named.Obj().Pkg().Path() {
				return true
			}
		}
		if instrumented(named, instrument.Prefix, "") {
			return true
		}
	}
	switch t := t.Underlying().(type) {
	case *types.Struct:
		for field := range t.Fields() {
			if f.contains(field.Type(), seen) {
				return true
			}
		}
	case *types.Array:
		return t.Len() > 0 && f.contains(t.Elem(), seen)
	}
	return false
}

// eachGlobal calls f for the package-level variables of file that have a name
// and no compiler directive.
func eachGlobal(file *ast.File, f func(*ast.Ident, *ast.ValueSpec)) {
	for _, decl := range file.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok || gen.Tok != token.VAR || directed(gen.Doc) {
			continue
		}
		for _, spec := range gen.Specs {
			spec := spec.(*ast.ValueSpec)
			if directed(spec.Doc) || directed(spec.Comment) {
				continue
			}
			for _, id := range spec.Names {
				if id.Name != "_" {
					f(id, spec)
				}
			}
		}
	}
}

// directed reports whether a comment has a directive to the compiler.
func directed(group *ast.CommentGroup) bool {
	if group == nil {
		return false
	}
	for _, c := range group.List {
		if strings.HasPrefix(c.Text, "//go:") {
			return true
		}
	}
	return false
}

// linknames returns the local names of go:linkname directives, wherever they stand.
func linknames(files []*ast.File) map[string]bool {
	names := make(map[string]bool)
	for _, file := range files {
		for _, group := range file.Comments {
			for _, c := range group.List {
				if rest, ok := strings.CutPrefix(c.Text, "//go:linkname "); ok {
					if f := strings.Fields(rest); len(f) > 0 {
						names[f[0]] = true
					}
				}
			}
		}
	}
	return names
}

// A syntaxScope says, without types, which types may contain a watched one.
type syntaxScope struct {
	watched []Type
	imports map[*ast.File]map[string]string // import paths by local name
	types   map[string]localType
	funcs   map[string]localType // their first results
}

// A localType is an expression and the file that it is in.
type localType struct {
	expr ast.Expr
	file *ast.File
}

// GlobalsNeeded reports whether files have to be type-checked for Globals. It decides by syntax. It
// ignores a variable without a type that is set to the result of a function of another package:
// such a value would be a copy, which go vet forbids for objects that contain locks.
func GlobalsNeeded(watched []Type, files []*ast.File) bool {
	s := newSyntaxScope(watched, files)
	needed := false
	for _, file := range files {
		eachGlobal(file, func(id *ast.Ident, spec *ast.ValueSpec) {
			if spec.Type != nil {
				needed = needed || s.may(spec.Type, file, 0)
				return
			}
			for _, value := range spec.Values {
				needed = needed || s.value(value, file)
			}
		})
	}
	return needed
}

func newSyntaxScope(watched []Type, files []*ast.File) *syntaxScope {
	s := &syntaxScope{
		watched: watched,
		imports: make(map[*ast.File]map[string]string),
		types:   make(map[string]localType),
		funcs:   make(map[string]localType),
	}
	for _, file := range files {
		s.imports[file] = make(map[string]string)
		for _, spec := range file.Imports {
			if path, err := strconv.Unquote(spec.Path.Value); err == nil && spec.Name != nil {
				s.imports[file][spec.Name.Name] = path
			} else if err == nil {
				s.imports[file][path[strings.LastIndexByte(path, '/')+1:]] = path
			}
		}
		for _, decl := range file.Decls {
			switch decl := decl.(type) {
			case *ast.GenDecl:
				for _, spec := range decl.Specs {
					if spec, ok := spec.(*ast.TypeSpec); ok {
						s.types[spec.Name.Name] = localType{spec.Type, file}
					}
				}
			case *ast.FuncDecl:
				if res := decl.Type.Results; decl.Recv == nil && res != nil && len(res.List) > 0 {
					s.funcs[decl.Name.Name] = localType{res.List[0].Type, file}
				}
			}
		}
	}
	return s
}

// value reports whether the type of a value may contain a watched type.
func (s *syntaxScope) value(e ast.Expr, file *ast.File) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.CompositeLit:
		return s.may(e.Type, file, 0)
	case *ast.CallExpr:
		fun := ast.Unparen(e.Fun)
		if inst, ok := fun.(*ast.IndexExpr); ok {
			fun = inst.X
		}
		if id, ok := fun.(*ast.Ident); ok {
			fn, ok := s.funcs[id.Name]
			return ok && s.may(fn.expr, fn.file, 0)
		}
	case *ast.Ident, *ast.SelectorExpr, *ast.StarExpr, *ast.IndexExpr:
		return !constant(e) // a copy of another variable
	}
	return false
}

func constant(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && (id.Name == "true" || id.Name == "false" || id.Name == "nil")
}

// may reports whether a type may contain a watched type.
func (s *syntaxScope) may(t ast.Expr, file *ast.File, depth int) bool {
	if depth > 50 {
		return false // no type of a program that compiles
	}
	switch t := ast.Unparen(t).(type) {
	case *ast.Ident:
		if local, ok := s.types[t.Name]; ok {
			return s.may(local.expr, local.file, depth+1)
		}
		return types.Universe.Lookup(t.Name) == nil // of a dot import
	case *ast.SelectorExpr:
		pkg, _ := t.X.(*ast.Ident)
		if pkg == nil {
			return false
		}
		path, known := s.imports[file][pkg.Name]
		return !known || s.imported(path, t.Sel.Name)
	case *ast.IndexExpr:
		return s.may(t.X, file, depth+1) || s.may(t.Index, file, depth+1)
	case *ast.IndexListExpr:
		for _, arg := range t.Indices {
			if s.may(arg, file, depth+1) {
				return true
			}
		}
		return s.may(t.X, file, depth+1)
	case *ast.ArrayType:
		return t.Len != nil && s.may(t.Elt, file, depth+1)
	case *ast.StructType:
		for _, field := range t.Fields.List {
			if s.may(field.Type, file, depth+1) {
				return true
			}
		}
	}
	return false
}

// imported reports whether a type of another package may contain a watched
// type. Of the packages that watched types are in, nothing but those types does.
func (s *syntaxScope) imported(path, name string) bool {
	home := false
	for _, w := range s.watched {
		if w.Package == path {
			home = true
			if w.Name == name {
				return true
			}
		}
	}
	return !home
}
