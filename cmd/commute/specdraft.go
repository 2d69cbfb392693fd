// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/commutego/commute/internal/toolchain/toolexec"
	"golang.org/x/tools/go/packages"
)

// draft prints a specification to begin with, or writes it into the type's doc comment. What a test
// has refuted stands in it.
func draft(args []string) int {
	flags := flag.NewFlagSet("spec draft", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	write, untested := flags.Bool("w", false, ""), flags.Bool("notest", false, "")
	err := parse(flags, args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Print(specHelp)
		return 0
	case err != nil:
		return misused("spec draft: %v", flagError(flags, err))
	case flags.NArg() != 1:
		fmt.Fprint(os.Stderr, specHelp)
		return toolexec.ExitUsage
	}
	p, s, err := skeletonOf(flags.Arg(0))
	if err != nil {
		return fail(err)
	}
	var at token.Position
	if *write {
		if at, err = s.declaration(p); err != nil {
			return fail(err)
		}
	}
	s.derive(p)
	s.object(p)
	if !*untested {
		s.try(p)
	}
	if !*write {
		fmt.Print(s)
		return 0
	}
	if err := insert(s.String(), at); err != nil {
		return fail(err)
	}
	fmt.Printf("%s:%d: the draft stands above type %s\n", relative(at.Filename), at.Line, s.name)
	return 0
}

// skeletonOf loads the package of a type that the command line names, and finds its methods.
func skeletonOf(arg string) (*packages.Package, *skeleton, error) {
	pkg, name, ok := typeName(arg)
	if !ok {
		return nil, nil, fmt.Errorf("%s is not a type (write the package's import path or folder, "+
			"a dot and the type's name)", arg)
	}
	p, err := load(pkg)
	if err != nil {
		return nil, nil, err
	}
	s, err := newSkeleton(p, name)
	return p, s, err
}

// declaration is the position of the type's declaration. It must be in the main module and have no
// specification yet.
func (s *skeleton) declaration(p *packages.Package) (at token.Position, err error) {
	if s.header != "" {
		return at, fmt.Errorf("%s.%s is not of this module, so nothing is written there: without "+
			"-w, the draft is a .ecl file for -spec", s.path, s.name)
	}
	for _, file := range p.Syntax {
		for _, decl := range file.Decls {
			gen, ok := decl.(*ast.GenDecl)
			if !ok || gen.Tok != token.TYPE {
				continue
			}
			for _, spec := range gen.Specs {
				t := spec.(*ast.TypeSpec)
				if t.Name.Name != s.name {
					continue
				}
				doc, start := t.Doc, t.Pos()
				if !gen.Lparen.IsValid() {
					doc, start = gen.Doc, gen.Pos()
				}
				at = p.Fset.PositionFor(start, false)
				if doc != nil &&
					slices.ContainsFunc(doc.List,
						func(c *ast.Comment) bool { return strings.HasPrefix(c.Text, "//ecl:") }) {
					return at, fmt.Errorf("%s:%d: type %s has a specification: take it out first",
						relative(at.Filename), at.Line, s.name)
				}
				return at, nil
			}
		}
	}
	return at, fmt.Errorf("no file of %s declares type %s", s.path, s.name)
}

// insert writes directives into a file, above the line of a declaration.
func insert(directives string, at token.Position) error {
	text, err := os.ReadFile(at.Filename)
	if err != nil {
		return err
	}
	info, err := os.Stat(at.Filename)
	if err != nil {
		return err
	}
	lines := strings.SplitAfter(string(text), "\n")
	above := lines[:at.Line-1]
	indent := strings.Repeat("\t", at.Column-1) // as gofmt has it
	var b strings.Builder
	b.WriteString(strings.Join(above, ""))
	if n := len(above); n > 0 && strings.HasPrefix(strings.TrimSpace(above[n-1]), "//") {
		b.WriteString(indent + "//\n") // a paragraph of its own in the doc comment
	}
	for line := range strings.Lines(directives) {
		b.WriteString(indent + line)
	}
	b.WriteString(strings.Join(lines[at.Line-1:], ""))
	return os.WriteFile(at.Filename, []byte(b.String()), info.Mode().Perm())
}

// relative is a file's name as seen from the current folder, if it is below that.
func relative(name string) string {
	if dir, err := os.Getwd(); err == nil {
		if rel, err := filepath.Rel(dir, name); err == nil && filepath.IsLocal(rel) {
			return rel
		}
	}
	return name
}
