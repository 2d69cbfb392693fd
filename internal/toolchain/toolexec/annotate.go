// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package toolexec

import (
	"fmt"
	"go/ast"
	"slices"
	"strings"

	"github.com/commutego/commute/analyzer/annotation"
	"github.com/commutego/commute/ecl"
	"github.com/commutego/commute/internal/rewrite/instrument"
	"github.com/commutego/commute/internal/toolchain/edit"
)

// annotate instruments the types of the package that have a specification.
func (u *unit) annotate() (change edit.Change, err error) {
	applied, err := u.applied()
	if err != nil || len(applied.specs) == 0 {
		return change, err
	}
	outside, err := u.outside()
	if err != nil {
		return change, err
	}
	target := &instrument.Package{Source: u.source, Shipped: outside.Shipped}
	out, err := instrument.Generate(target, applied.tables)
	if err != nil {
		return change, &sourceError{err.Error()}
	}
	return edit.Change{Edits: out.Edits, Added: []edit.Added{{
		Name: "commute_specs.go",
		Data: edit.WithLine("commute/specs/"+u.Package+".go",
			append(out.Added, handOn(applied.specs)...)),
	}}}, nil
}

// specifications are those for which the methods of a package are instrumented.
type specifications struct {
	specs  []*ecl.Spec
	tables []*ecl.Table // of those that are not of interfaces

	// The beginnings of what the compiler says of methods that are specified, and of those that
	// the user has specified with -spec.
	places, given []string
}

// applySpecs collects the specifications that fit the package. Mistakes in a dependency's own are
// not the user's: those types are not watched.
func (u *unit) applySpecs() (*specifications, error) {
	all := new(specifications)
	out, err := u.outside()
	if err != nil {
		return nil, err
	}
	if !out.any() && len(out.abstract) == 0 && !u.source.Any(annotation.Mentioned) {
		return all, nil
	}
	files, err := u.source.Syntax()
	if err != nil {
		return all, nil // the compiler will say so
	}
	if all.specs, err = u.fitting(files, out); err != nil {
		return nil, err
	}
	for _, s := range all.specs {
		if slices.Contains(out.Given, s) {
			all.given = append(all.given, places(s)...)
		}
	}
	if all.specs, err = u.safe(all.specs, out); err != nil {
		return nil, err
	}
	implementing, err := u.implementing(files, all.specs)
	if err != nil {
		return nil, err
	}
	all.specs = append(all.specs, implementing...)
	return all, all.compile()
}

// fitting lists the specifications that fit the package's types, one for each type. What the user
// gives comes before the package's own, and what comes with commute is last.
func (u *unit) fitting(files []*ast.File, out *outside) (specs []*ecl.Spec, err error) {
	annotated, err := u.annotated()
	if err != nil {
		return nil, err
	}
	given, errs := annotation.Hold(files, out.Given)
	if len(errs) > 0 {
		return nil, &sourceError{errs.Error()}
	}
	shipped, errs := annotation.Hold(files, out.Shipped)
	if len(errs) > 0 {
		fmt.Fprintf(u.driver.Stderr, "commute: what comes with commute does not fit this version "+
			"of the package, and is left out:\n%s\n", errs)
	}
	for _, s := range slices.Concat(given, annotated, shipped) {
		if !named(specs, s.Name) {
			s.Path = strings.TrimSuffix(u.Package, ".test")
			specs = append(specs, s)
		}
	}
	return specs, nil
}

// safe leaves out specifications whose conditions select a field behind a pointer: the field may
// change under the call. That needs types. It is an error in the user's own specifications.
func (u *unit) safe(specs []*ecl.Spec, out *outside) (good []*ecl.Spec, err error) {
	if !slices.ContainsFunc(specs, annotation.Selects) {
		return specs, nil
	}
	types, err := u.source.Types()
	if err != nil {
		return nil, err
	}
	for _, s := range specs {
		if annotation.Selects(s) {
			errs := annotation.Typed(types.Pkg, s)
			if len(errs) > 0 && (!u.dependency() || slices.Contains(out.Given, s)) {
				return nil, &sourceError{errs.Error()}
			}
			if len(errs) > 0 {
				continue
			}
		}
		good = append(good, s)
	}
	return good, nil
}

// compile translates the specifications to tables, but for those of interfaces, which have no
// methods of their own to instrument.
func (all *specifications) compile() error {
	for _, s := range all.specs {
		if s.Abstract {
			continue
		}
		t, err := ecl.Compile(s)
		if err != nil {
			return err
		}
		all.tables = append(all.tables, t)
		all.places = append(all.places, places(s)...)
	}
	return nil
}

// places are the beginnings of the compiler's errors in the expressions of a specification.
func places(s *ecl.Spec) (list []string) {
	for _, m := range s.Methods {
		list = append(list, fmt.Sprintf("%s:%d:", m.Pos.Filename, m.Pos.Line))
	}
	return list
}

// blames reports whether all errors of the compiler are at specifications: their expressions are
// not Go, or not of the right types. Lines that begin with a tab continue an error.
func blames(output string, specified []string) bool {
	if len(specified) == 0 {
		return false
	}
	for line := range strings.Lines(output) {
		about := func(at string) bool { return strings.HasPrefix(line, at) }
		if !slices.ContainsFunc(specified, about) && line[0] != '\t' {
			return false
		}
	}
	return true
}

// called returns a function that tells a pass by its name.
func called(name string) func(pass) bool { return func(p pass) bool { return p.name == name } }

// compileWithoutSpecs compiles a dependency without its specifications, which don't compile.
func (d *Driver) compileWithoutSpecs(tool string, u *unit) (int, error) {
	change, err := u.plan(slices.DeleteFunc(slices.Clone(passes), called(methods)))
	if err != nil {
		return 0, err
	}
	args, err := u.write(change)
	if err != nil {
		return 0, err
	}
	return d.last(tool, args, u)
}
