// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package annotation

import (
	_ "embed"
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/commutego/commute/analyzer/internal/docs"
	"github.com/commutego/commute/ecl"
	"golang.org/x/tools/go/analysis"
)

//go:embed doc.go
var doc string

// Analyzer reports errors in specifications.
var Analyzer = &analysis.Analyzer{
	Name: "ecl",
	Doc:  docs.Section(doc, "ecl"),
	URL:  "https://pkg.go.dev/github.com/commutego/commute/analyzer/annotation",
	Run:  run,
}

// run reports the errors of the package's specifications, and suggests a fix where directives are
// missing.
func run(pass *analysis.Pass) (any, error) {
	at := func(pos token.Pos) token.Position { return pass.Fset.PositionFor(pos, false) }
	others, errs, err := folders(pass)
	if err != nil {
		return nil, err
	}
	specs, wrong := Find(pass.Files, at, others...)
	errs = append(errs, wrong...)
	for _, s := range specs {
		errs = append(errs, Typed(pass.Pkg, s)...)
	}
	fixed := make(map[token.Position]bool)
	for _, e := range errs {
		d := analysis.Diagnostic{Pos: place(pass, e.Pos), Message: message(e)}
		if e.Add != "" && !fixed[e.Pos] { // one fix for all pairs of a type
			fixed[e.Pos] = true
			d.SuggestedFixes = fix(pass, d.Pos, e.Pos, errs)
		}
		pass.Report(d)
	}
	return nil, nil
}

// folders reads the .ecl files of the package. An external test has none of its own.
func folders(pass *analysis.Pass) (list []*ecl.Spec, errs ecl.Errors, err error) {
	if strings.HasSuffix(pass.Pkg.Name(), "_test") {
		return nil, nil, nil
	}
	var dirs []string
	for _, file := range pass.Files {
		dir := filepath.Dir(pass.Fset.PositionFor(file.Package, true).Filename)
		if slices.Contains(dirs, dir) {
			continue
		}
		dirs = append(dirs, dir)
		specs, err := Folder(dir, pass.Pkg.Path())
		if wrong, ok := err.(ecl.Errors); ok {
			errs = append(errs, Blame(pass.Files, specs, wrong)...)
			continue
		} else if err != nil {
			return nil, nil, err
		}
		list = append(list, specs...)
	}
	return list, errs, nil
}

// fix adds the directives that are missing in the doc comment at pos, after its last directive.
func fix(pass *analysis.Pass, pos token.Pos, at token.Position,
	errs ecl.Errors) []analysis.SuggestedFix {
	var last *ast.Comment
	for _, file := range pass.Files {
		for _, group := range file.Comments {
			if pos < group.Pos() || group.End() <= pos {
				continue
			}
			for _, c := range group.List {
				if isDirective(c.Text) {
					last = c
				}
			}
		}
	}
	if last == nil {
		return nil
	}
	indent := strings.Repeat("\t", pass.Fset.PositionFor(last.Pos(), false).Column-1)
	text := ""
	for _, e := range errs {
		if e.Pos == at && e.Add != "" {
			text += "\n" + indent + e.Add
		}
	}
	return []analysis.SuggestedFix{{
		Message:   "Add the pairs, as not commuting",
		TextEdits: []analysis.TextEdit{{Pos: last.End(), End: last.End(), NewText: []byte(text)}},
	}}
}

// message is the text of a diagnostic.
func message(e *ecl.Error) string {
	if e.Hint == "" {
		return e.Text
	}
	return e.Text + " (" + e.Hint + ")"
}

// place is a position as the pass has it. Diagnostics need a token.Pos, so an .ecl file is added to
// the pass's file set when it is first named.
func place(pass *analysis.Pass, at token.Position) token.Pos {
	var f *token.File
	pass.Fset.Iterate(func(file *token.File) bool {
		if file.Name() == at.Filename {
			f = file
		}
		return f == nil
	})
	if f == nil {
		text, err := os.ReadFile(at.Filename)
		if err != nil {
			return token.NoPos
		}
		f = pass.Fset.AddFile(at.Filename, -1, len(text))
		f.SetLinesForContent(text)
	}
	if at.Line > f.LineCount() {
		return token.NoPos
	}
	return f.LineStart(at.Line) + token.Pos(at.Column-1)
}
