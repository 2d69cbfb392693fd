// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package annotation

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"github.com/commutego/commute/ecl"
)

// Mentioned reports, without parsing, whether a source text may have a specification.
func Mentioned(text string) bool { return strings.Contains(text, "ecl:") }

// Find returns the specifications in the doc comments of the files' types and variables, and those
// in others, which are from the package's .ecl files. It leaves out specifications with errors. The
// function position gives the positions of errors.
func Find(files []*ast.File, position func(token.Pos) token.Position,
	others ...*ecl.Spec) ([]*ecl.Spec, ecl.Errors) {
	f := &finder{position: position, declarations: declarationsOf(files)}
	for _, file := range files {
		docs := make(map[*ast.CommentGroup]bool)
		for _, decl := range file.Decls {
			if gen, ok := decl.(*ast.GenDecl); ok {
				f.decl(gen, docs)
			}
		}
		for _, group := range file.Comments {
			if !docs[group] {
				f.misplaced(group)
			}
		}
	}
	f.add(others)
	slices.SortStableFunc(f.errs, func(a, b *ecl.Error) int {
		if c := strings.Compare(a.Pos.Filename, b.Pos.Filename); c != 0 {
			return c
		}
		return a.Pos.Line - b.Pos.Line
	})
	return f.specs, f.errs
}

// Hold checks specifications from elsewhere against the package whose files are given. Those
// without errors are returned.
func Hold(files []*ast.File, specs []*ecl.Spec) ([]*ecl.Spec, ecl.Errors) {
	f := &finder{declarations: declarationsOf(files)}
	f.add(specs)
	return f.specs, f.errs
}

// A finder collects the specifications of a package, and their errors.
type finder struct {
	declarations
	position func(token.Pos) token.Position
	specs    []*ecl.Spec
	errs     ecl.Errors
}

// fail adds an error.
func (f *finder) fail(pos token.Position, hint, text string) {
	f.errs = append(f.errs, &ecl.Error{Pos: pos, Text: text, Hint: hint})
}

// add adds specifications that name their types.
func (f *finder) add(specs []*ecl.Spec) {
	for _, s := range specs {
		twice := slices.IndexFunc(f.specs, func(have *ecl.Spec) bool { return have.Name == s.Name })
		switch {
		case s.Name == "":
			f.fail(s.Pos, "begin with //ecl:type Name",
				"it is not said whose methods these are")
		case twice >= 0:
			f.fail(s.Pos, "", s.Name+" is specified twice, first at "+f.specs[twice].Pos.String())
		default:
			f.checkAndAdd(s)
		}
	}
}

// decl reads the doc comments of a declaration of types or variables.
func (f *finder) decl(gen *ast.GenDecl, docs map[*ast.CommentGroup]bool) {
	for _, spec := range gen.Specs {
		var doc *ast.CommentGroup
		name, object := "", false
		switch s := spec.(type) {
		case *ast.TypeSpec:
			doc, name = s.Doc, s.Name.Name
		case *ast.ValueSpec:
			if gen.Tok != token.VAR || len(s.Names) != 1 {
				continue
			}
			doc, name, object = s.Doc, s.Names[0].Name, true
		default:
			continue
		}
		if doc == nil && !gen.Lparen.IsValid() {
			doc = gen.Doc
		}
		docs[doc] = true
		if text, at := f.directives(doc); text != "" {
			f.read(name, object, text, at)
		}
	}
}

// directives is a doc comment as package ecl reads it, and the position at which it begins; text is
// "" if it has no directives. Each line keeps its place, so that the errors' lines and columns are
// those of the file.
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
			f.fail(f.position(c.Pos()), "move it to the doc comment of the type that has the "+
				"methods, with no blank line between", "this directive belongs to no type")
			return
		}
	}
}

// read reads the directives of a type, or of a package-level variable.
func (f *finder) read(name string, object bool, text string, at token.Position) {
	specs, err := ecl.Parse(at.Filename, at.Line, at.Column, text)
	if list, ok := err.(ecl.Errors); ok {
		if len(specs) == 1 && specs[0].Name == "" {
			specs[0].Name, specs[0].Object = name, object
			list = f.rootCauses(specs[0], list)
		}
		f.errs = append(f.errs, list...)
		return
	}
	for _, s := range specs {
		switch {
		case s.Name != "":
			f.fail(s.Pos, "leave it out: the directives are those of "+name,
				"//ecl:type and //ecl:object are for .ecl files")
			return
		case s.Module != nil:
			f.fail(s.Module.Pos, "leave it out: the directives are for the version that "+
				"they stand in", "//ecl:module is for .ecl files")
			return
		}
		s.Name, s.Object = name, object
		f.checkAndAdd(s)
	}
}

// rootCauses adds the methods and constants that aren't declared to the errors of a specification.
// It takes away the errors that follow from those. A method that isn't declared leaves pairs
// without a formula, and a name that isn't makes a formula asymmetric.
func (f *finder) rootCauses(s *ecl.Spec, errs ecl.Errors) ecl.Errors {
	unknown, constants := f.unknown(s), f.constants(s)
	var names []string // of the methods that aren't declared, and of those that may be meant
	for _, e := range unknown {
		for _, m := range s.Methods {
			if m.Pos == e.Pos {
				names = append(names, m.Name)
			}
		}
		names = append(names, strings.TrimSuffix(strings.TrimPrefix(e.Hint, "did you mean "), "?"))
	}
	errs = slices.DeleteFunc(errs, func(e *ecl.Error) bool {
		pair := e.Add != "" &&
			slices.ContainsFunc(names,
				func(n string) bool { return strings.Contains(e.Add, " "+n+"(") })
		return pair || slices.ContainsFunc(constants, func(c *ecl.Error) bool {
			return c.Pos.Filename == e.Pos.Filename && c.Pos.Line == e.Pos.Line
		})
	})
	return slices.Concat(unknown, constants, errs)
}

// checkAndAdd adds a specification to the result, if it has no errors.
func (f *finder) checkAndAdd(s *ecl.Spec) {
	if len(s.Methods) == 0 {
		f.fail(s.Pos, "name those to watch, as in //ecl:mutator Push(x)",
			"the specification of "+s.Name+" names no method")
		return
	}
	if errs := f.check(s); len(errs) > 0 {
		f.errs = append(f.errs, errs...)
		return
	}
	if _, err := ecl.Compile(s); err != nil {
		if e, ok := err.(*ecl.Error); ok {
			f.errs = append(f.errs, e)
		} else {
			f.fail(s.Pos, "", err.Error())
		}
		return
	}
	f.specs = append(f.specs, s)
}
