// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/commutego/commute/analyzer/annotation"
	"github.com/commutego/commute/ecl"
	"github.com/commutego/commute/internal/toolchain/toolexec"
	"github.com/commutego/commute/specs"
)

const specHelp = `usage: commute spec list
       commute spec show [-json | -dot] TYPE
       commute spec draft [-notest] [-w] TYPE
       commute spec infer [flags] TYPE
       commute spec check FILE...
       commute spec test [flags] PACKAGE

List prints the types whose specification comes with commute. Show prints a
specification: its directives, the access points that a call of each method touches and
under which condition, and which points conflict (= for equal keys, x always); or all that as
JSON, or as a graph for Graphviz. Draft prints directives to begin with, for every exported
method of a type that has none yet, derived from their code if the type has a lock, else guessed
from names and types. It tests them, unless -notest says not to, and makes weaker what that
refutes. With -w it writes them into the type's
doc comment. Infer searches the weakest formulas that tests don't refute ("commute spec infer -h"
says more). TYPE is sync.Map, or a type of yours: example.com/store.Cache, ./store.Cache, or Cache
in its folder. Check
reads .ecl files, in which //ecl:type names the type, holds them against the types, as far as
the packages can be found from here, and exits with code 1 if there is anything wrong. Test tries
to refute the specifications of a package's types on the package's code ("commute spec test -h" says
more).
`

// spec is commute spec: its second word is the command.
func spec(args []string, _ toolexec.Config) int {
	switch {
	case len(args) == 1 && args[0] == "list":
		return list()
	case len(args) >= 1 && args[0] == "show":
		return show(args[1:])
	case len(args) >= 1 && args[0] == "draft":
		return draft(args[1:])
	case len(args) >= 1 && args[0] == "infer":
		return specInfer(args[1:])
	case len(args) >= 1 && args[0] == "test":
		return specTest(args[1:])
	case len(args) >= 2 && args[0] == "check":
		return checkSpecs(args[1:])
	}
	if len(args) > 0 && !slices.Contains([]string{"list", "show", "draft", "infer", "check",
		"test", "-h",
		"-help", "--help"}, args[0]) {
		fmt.Fprintf(os.Stderr, "commute: unknown command %q\n\n", "spec "+args[0])
	}
	fmt.Fprint(os.Stderr, specHelp)
	return toolexec.ExitUsage
}

// list prints the types whose specification comes with commute, and for which versions of their
// modules.
func list() int {
	w := tabwriter.NewWriter(os.Stdout, 0, 8, 2, ' ', 0)
	for _, s := range specs.All() {
		if s.Module == nil {
			fmt.Fprintf(w, "%s\n", s.TypeName())
		} else {
			fmt.Fprintf(w, "%s\t%s\n", s.TypeName(), s.Module)
		}
	}
	w.Flush()
	return 0
}

// specOf returns the specification of a type: one that comes with commute, or that of its package.
func specOf(name string) (*ecl.Spec, error) {
	for _, s := range specs.All() {
		if s.TypeName() == name {
			return s, nil
		}
	}
	pkg, typ, ok := typeName(name)
	if !ok {
		return nil, fmt.Errorf("%s is not a type (write the package's import path or folder, a "+
			"dot and the type's name; commute spec list has those that come with commute)", name)
	}
	return annotated(pkg, typ)
}

// annotated returns the specification that a package gives a type of its own: in its doc comment,
// or in a file in its folder.
func annotated(pkg, name string) (*ecl.Spec, error) {
	files, path, err := syntax(pkg)
	if err != nil {
		return nil, err
	}
	own, err := annotation.Folder(files.dir, path)
	if err != nil {
		return nil, err
	}
	list, errs := annotation.Find(files.syntax,
		func(pos token.Pos) token.Position { return files.fset.PositionFor(pos, false) }, own...)
	for _, s := range list {
		if s.Name == name {
			s.Path = path
			return s, nil
		}
	}
	if len(errs) > 0 {
		return nil, errs
	}
	return nil, fmt.Errorf("type %s of package %s has no specification: none in its doc comment, "+
		"nor in a .ecl file in its folder, and none comes with commute", name, path)
}

type packageFiles struct {
	dir    string
	fset   *token.FileSet
	syntax []*ast.File
}

// syntax parses a package, with its test files.
func syntax(pkg string) (files packageFiles, path string, err error) {
	cmd := exec.Command("go", "list",
		"-json=Dir,ImportPath,GoFiles,CgoFiles,TestGoFiles", "--", pkg)
	out, err := cmd.Output()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		return files, "", errors.New(strings.TrimSpace(string(exit.Stderr)))
	case err != nil:
		return files, "", err
	}
	var p struct {
		Dir, ImportPath                string
		GoFiles, CgoFiles, TestGoFiles []string
	}
	if err := json.Unmarshal(out, &p); err != nil {
		return files, "", fmt.Errorf("go list %s: %w (name one package)", pkg, err)
	}
	files.dir, files.fset = p.Dir, token.NewFileSet()
	for _, name := range slices.Concat(p.GoFiles, p.CgoFiles, p.TestGoFiles) {
		file, err := parser.ParseFile(files.fset, filepath.Join(p.Dir, name), nil,
			parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return files, "", err
		}
		files.syntax = append(files.syntax, file)
	}
	return files, p.ImportPath, nil
}
