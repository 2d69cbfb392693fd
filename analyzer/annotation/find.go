// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package annotation

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"github.com/commutego/commute/analyzer/instrument"
	"github.com/commutego/commute/ecl"
)

// Mentioned reports, without parsing, whether a source text may have a specification.
func Mentioned(text string) bool { return strings.Contains(text, "ecl:") }

// Find returns the specifications in the doc comments of files' types. Those that have errors are
// left out. Position says what position in the source is told of a place.
func Find(files []*ast.File, position func(token.Pos) token.Position) ([]*ecl.Spec, ecl.Errors) {
	f := &finder{position: position, methods: methods(files)}
	for _, file := range files {
		docs := make(map[*ast.CommentGroup]bool)
		for _, decl := range file.Decls {
			gen, ok := decl.(*ast.GenDecl)
			if !ok || gen.Tok != token.TYPE {
				continue
			}
			for _, spec := range gen.Specs {
				docs[f.typ(gen, spec.(*ast.TypeSpec))] = true
			}
		}
		for _, group := range file.Comments {
			if !docs[group] {
				f.misplaced(group)
			}
		}
	}
	slices.SortStableFunc(f.errs, func(a, b *ecl.Error) int {
		if c := strings.Compare(a.Pos.Filename, b.Pos.Filename); c != 0 {
			return c
		}
		return a.Pos.Line - b.Pos.Line
	})
	return f.specs, f.errs
}

type finder struct {
	position func(token.Pos) token.Position
	methods  map[string]map[string]*ast.FuncDecl
	specs    []*ecl.Spec
	errs     ecl.Errors
}

// directives is a doc comment as package ecl reads it, and the place where it begins; text is "" if
// there are none in it.
func (f *finder) directives(doc *ast.CommentGroup) (text string, at token.Position) {
	if doc == nil {
		return "", at
	}
	var lines []string
	any := false
	for i, c := range doc.List {
		any = any || isDirective(c.Text)
		if strings.HasPrefix(c.Text, "/*") {
			for range strings.Count(c.Text, "\n") + 1 {
				lines = append(lines, "//")
			}
			continue
		}
		line := c.Text
		if i > 0 { // columns count from the beginning of the line
			line = strings.Repeat(" ", f.position(c.Pos()).Column-1) + line
		}
		lines = append(lines, line)
	}
	if !any {
		return "", at
	}
	return strings.Join(lines, "\n"), f.position(doc.Pos())
}

// isDirective reports whether a comment is a directive, or is meant as one and has a space.
func isDirective(comment string) bool {
	text, ok := strings.CutPrefix(comment, "//")
	return ok && strings.HasPrefix(strings.TrimLeft(text, " \t"), "ecl:")
}

// misplaced reports directives that belong to no type.
func (f *finder) misplaced(group *ast.CommentGroup) {
	for _, c := range group.List {
		if strings.HasPrefix(c.Text, "//ecl:") {
			f.errs = append(f.errs, &ecl.Error{Pos: f.position(c.Pos()),
				Text: "this directive belongs to no type", Hint: "move it to the doc comment of the type that has the methods, with no blank line between"})
			return
		}
	}
}

// typ reads the doc comment of a type, and returns it.
func (f *finder) typ(gen *ast.GenDecl, t *ast.TypeSpec) *ast.CommentGroup {
	doc := t.Doc
	if doc == nil && !gen.Lparen.IsValid() {
		doc = gen.Doc
	}
	if text, at := f.directives(doc); text != "" {
		f.read(t, text, at)
	}
	return doc
}

// read reads the directives of a type.
func (f *finder) read(t *ast.TypeSpec, text string, at token.Position) {
	specs, err := ecl.Parse(at.Filename, at.Line, at.Column, text)
	if list, ok := err.(ecl.Errors); ok {
		// A method that isn't there leaves pairs without a formula, of which there is no need to speak.
		if len(specs) == 1 && specs[0].Name == "" {
			specs[0].Name = t.Name.Name
			if errs := f.unknown(specs[0]); len(errs) > 0 {
				list = errs
			}
		}
		f.errs = append(f.errs, list...)
		return
	}
	for _, s := range specs {
		if s.Name != "" {
			f.errs = append(f.errs, &ecl.Error{Pos: s.Pos, Text: "//ecl:type is for .ecl files", Hint: "leave it out: the directives are those of " + t.Name.Name})
			return
		}
		s.Name = t.Name.Name
		if len(s.Methods) == 0 {
			f.errs = append(f.errs, &ecl.Error{Pos: s.Pos, Text: "the specification of " + s.Name + " names no method", Hint: "name those to watch, as in //ecl:mutator Push(x)"})
			return
		}
		if errs := f.check(s, t); len(errs) > 0 {
			f.errs = append(f.errs, errs...)
			return
		}
		if _, err := ecl.Compile(s); err != nil {
			if e, ok := err.(*ecl.Error); ok {
				f.errs = append(f.errs, e)
			} else {
				f.errs = append(f.errs, &ecl.Error{Pos: s.Pos, Text: err.Error()})
			}
			return
		}
		f.specs = append(f.specs, s)
	}
}

// methods lists the methods that files declare, by the names of their types.
func methods(files []*ast.File) map[string]map[string]*ast.FuncDecl {
	all := make(map[string]map[string]*ast.FuncDecl)
	for _, file := range files {
		for _, decl := range file.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || fn.Recv == nil {
				continue
			}
			name, _ := instrument.Receiver(fn)
			if all[name] == nil {
				all[name] = make(map[string]*ast.FuncDecl)
			}
			all[name][fn.Name.Name] = fn
		}
	}
	return all
}
