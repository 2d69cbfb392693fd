// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package release

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"slices"
	"strings"
)

// WholeFile is the name of all that a file declares, imports apart from comments.
const WholeFile = "(file)"

// A Declaration is what a name stands for in one file.
type Declaration struct {
	Line int
	Hash string // of its tokens; see hash
}

// Declarations finds the declarations of a Go file by name. There are functions "f", methods
// "(*T).m" and "T.m", fields "T.f" of structs, types, constants, variables, and [WholeFile]. Of
// several that are called alike (init, _) none is found. Without names, all are found.
func Declarations(src []byte, names ...string) (map[string]Declaration, error) {
	fset := token.NewFileSet()
	syntax, err := parser.ParseFile(fset, "", src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	d := &declarations{fset: fset, src: src, names: names, found: make(map[string]Declaration)}
	d.add(WholeFile, syntax.Package, syntax.FileEnd, "")
	for _, decl := range syntax.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			d.add(FunctionName(decl), decl.Pos(), decl.End(), directives(decl.Doc))
		case *ast.GenDecl:
			d.general(decl)
		}
	}
	return d.found, nil
}

type declarations struct {
	fset  *token.FileSet
	src   []byte
	names []string // if there are any, those of interest
	found map[string]Declaration
	twice map[string]bool
}

func (d *declarations) offset(pos token.Pos) int { return d.fset.PositionFor(pos, false).Offset }

func (d *declarations) add(name string, from, to token.Pos, more string) {
	d.put(name, from, from, to, more)
}

// put adds a declaration on the line of at, whose text is between from and to.
func (d *declarations) put(name string, at, from, to token.Pos, more string) {
	if name == "_" || strings.HasSuffix(name, "._") ||
		len(d.names) > 0 && !slices.Contains(d.names, name) {
		return
	}
	if _, ok := d.found[name]; ok || d.twice[name] {
		delete(d.found, name)
		if d.twice == nil {
			d.twice = make(map[string]bool)
		}
		d.twice[name] = true
		return
	}
	d.found[name] = Declaration{d.fset.PositionFor(at, false).Line,
		hash(d.src[d.offset(from):d.offset(to)], more)}
}

// general adds what a declaration of constants, variables or types declares.
func (d *declarations) general(decl *ast.GenDecl) {
	var implied *ast.ValueSpec // whose values the next constants have
	for i, spec := range decl.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			d.add(spec.Name.Name, spec.Pos(), spec.End(), directives(decl.Doc)+directives(spec.Doc))
			if s, ok := spec.Type.(*ast.StructType); ok {
				d.fields(spec.Name.Name, s)
			}
		case *ast.ValueSpec:
			from := spec
			if decl.Tok == token.CONST {
				if len(spec.Values) > 0 || spec.Type != nil {
					implied = spec
				}
				from = implied
			}
			if from == nil {
				continue // it's not Go
			}
			for n, name := range spec.Names {
				d.add(name.Name, from.Pos(), from.End(),
					fmt.Sprint(decl.Tok, i, n, directives(decl.Doc)))
			}
		}
	}
}

// fields adds those of a struct type. What one is depends on its type, not on its neighbours.
func (d *declarations) fields(name string, s *ast.StructType) {
	for _, f := range s.Fields.List {
		names := f.Names
		if len(names) == 0 {
			names = []*ast.Ident{embedded(f.Type)}
		}
		for _, id := range names {
			d.put(name+"."+id.Name, id.Pos(), f.Type.Pos(), f.Type.End(), "")
		}
	}
}

// embedded is the name of an embedded field of a type.
func embedded(e ast.Expr) *ast.Ident {
	switch e := e.(type) {
	case *ast.Ident:
		return e
	case *ast.StarExpr:
		return embedded(e.X)
	case *ast.SelectorExpr:
		return e.Sel
	case *ast.IndexExpr:
		return embedded(e.X)
	case *ast.IndexListExpr:
		return embedded(e.X)
	}
	return ast.NewIdent("_")
}

// FunctionName is the name under which a function or method is found.
func FunctionName(fn *ast.FuncDecl) string {
	if fn.Recv == nil || len(fn.Recv.List) != 1 {
		return fn.Name.Name
	}
	typ := fn.Recv.List[0].Type
	if star, ok := typ.(*ast.StarExpr); ok {
		return "(*" + embedded(star.X).Name + ")." + fn.Name.Name
	}
	return embedded(typ).Name + "." + fn.Name.Name
}

// directives are the lines of a comment that tell the compiler something.
func directives(doc *ast.CommentGroup) string {
	var b strings.Builder
	if doc != nil {
		for _, c := range doc.List {
			if strings.HasPrefix(c.Text, "//go:") {
				fmt.Fprintln(&b, strings.Join(strings.Fields(c.Text), " "))
			}
		}
	}
	return b.String()
}

// hash is that of the tokens of src, and of more. Comments don't count, and neither do what gofmt
// may change: white space, the semicolons at the ends of lines, and commas before a closing
// bracket.
func hash(src []byte, more string) string {
	var h bytes.Buffer
	var s scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(src))
	s.Init(file, src, func(token.Position, string) {}, 0)
	pending := ""
	for {
		_, tok, lit := s.Scan()
		if tok == token.EOF {
			break
		}
		switch {
		case tok == token.SEMICOLON || tok == token.COMMA:
			if pending != "" {
				h.WriteString(pending)
			}
			pending = tok.String() + "\n"
			continue
		case tok == token.RBRACE || tok == token.RPAREN || tok == token.RBRACK:
			pending = ""
		}
		if pending != "" {
			h.WriteString(pending)
			pending = ""
		}
		if lit == "" || tok.IsOperator() {
			lit = tok.String()
		}
		h.WriteString(lit)
		h.WriteByte('\n')
	}
	h.WriteString(more)
	sum := sha256.Sum256(h.Bytes())
	return hex.EncodeToString(sum[:8])
}
