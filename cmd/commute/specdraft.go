// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"flag"
	"fmt"
	"go/ast"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/commutego/commute/internal/spectest"
	"github.com/commutego/commute/internal/toolchain/toolexec"
	"golang.org/x/tools/go/packages"
)

// draft prints a specification to begin with, or writes it into the type's doc comment. What a test
// has refuted stands in it.
func draft(args []string) int {
	flags := flag.NewFlagSet("spec draft", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	write, untested := flags.Bool("w", false, ""), flags.Bool("notest", false, "")
	if err := parse(flags, args); err != nil || flags.NArg() != 1 {
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

// A refutation is what spec test says of a pair of methods whose formula is wrong.
type refutation struct{ first, second, says string }

// draftChecks is the number of cases of each pair that a draft is tested with.
const draftChecks = 300

// try tests the draft on the package, and keeps what is refuted. Pairs whose calls have
// commuted in all cases are noted, too, unless a method that could not be called might have made a
// difference.
func (s *skeleton) try(p *packages.Package) {
	note := func(format string, args ...any) {
		fmt.Fprintf(os.Stderr, "commute: "+format+"\n",
			args...)
	}
	dir, err := os.MkdirTemp("", "commute-draft-")
	if err != nil {
		note("the draft was not tested: %v", err)
		return
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "draft.ecl")
	text := "//ecl:type " + s.path + "." + s.name + "\n" + strings.Join(s.directives(), "\n") + "\n"
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		note("the draft was not tested: %v", err)
		return
	}
	report, err := spectest.Run(spectest.Options{Package: p.PkgPath, Type: s.name, SpecFile: file,
		Checks: draftChecks, Seed: 1, Timeout: 5 * time.Second})
	if err != nil {
		note("the draft was not tested: %s", strings.ReplaceAll(err.Error(), file, "draft.ecl"))
		return
	}
	for _, skipped := range report.Skipped {
		note("the draft was not tested: %s", skipped.Why)
	}
	s.always = make(map[[2]string]bool)
	for _, t := range report.Types {
		refuted := 0
		for _, pair := range t.Pairs {
			switch {
			case pair.Refuted != nil:
				refuted++
				s.refuted = append(s.refuted, refutation{pair.First, pair.Second,
					pair.Refuted.Says})
			case len(t.NoReturn) == 0 && pair.Cases >= draftChecks/2 &&
				pair.Held+pair.Missed == pair.Cases:
				s.always[[2]string{pair.First, pair.Second}] = true
			}
		}
		if len(t.NoReturn) > 0 {
			note("%s", t.Untested())
		}
		note("spec test of the draft: %d of %d formulas are refuted (\"commute spec test\" says "+
			"more)", refuted, len(t.Pairs))
	}
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
