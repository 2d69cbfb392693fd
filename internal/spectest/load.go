// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package spectest

import (
	"errors"
	"fmt"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/commutego/commute/analyzer/annotation"
	"github.com/commutego/commute/ecl"
	"github.com/commutego/commute/specs"
	"golang.org/x/tools/go/packages"
)

// A target is a package whose specifications are tested.
type target struct {
	pkg      *packages.Package
	extra    map[string]*packages.Package // others that expressions of the specifications name
	dir      string
	from     string // the folder in which the command is run
	root     string // of the main module; empty for a package of the standard library
	external bool   // tested from another package
	specs    []*ecl.Spec
	skipped  []Skipped
}

const loadMode = packages.NeedName | packages.NeedFiles | packages.NeedImports |
	packages.NeedTypes | packages.NeedTypesSizes | packages.NeedSyntax | packages.NeedTypesInfo |
	packages.NeedModule | packages.NeedForTest | packages.NeedDeps | packages.NeedExportFile

// load finds a package and its specifications.
func load(o Options) (*target, error) {
	pkg, err := loadPackage(o, false)
	if err != nil {
		return nil, err
	}
	t := &target{pkg: pkg}
	if t.from, err = filepath.Abs(o.Dir); err != nil {
		return nil, err
	}
	if m := pkg.Module; m != nil && m.Main {
		// The types may be declared in its tests.
		if t.pkg, err = loadPackage(o, true); err != nil {
			return nil, err
		}
		t.root = m.Dir
	} else {
		t.external = true
		if m != nil {
			if t.root, err = mainModule(o.Dir); err != nil {
				return nil, err
			}
		}
	}
	t.dir = filepath.Dir(t.pkg.GoFiles[0])
	if err := t.findSpecs(o); err != nil {
		return nil, err
	}
	return t, t.loadExtra(o)
}

// loadPackage loads one package, with the files of its tests if there are any and tests is true.
func loadPackage(o Options, tests bool) (*packages.Package, error) {
	config := &packages.Config{Mode: loadMode &^ packages.NeedDeps, Dir: o.Dir, Tests: tests}
	list, err := packages.Load(config, o.Package)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.Package, err)
	}
	var pkg *packages.Package
	for _, p := range list {
		switch {
		case strings.HasSuffix(p.PkgPath, ".test") || strings.HasSuffix(p.PkgPath, "_test") &&
			p.ForTest != "":
		case pkg != nil && pkg.PkgPath != p.PkgPath:
			return nil, fmt.Errorf("%s is more than one package (name one)", o.Package)
		case pkg == nil || p.ForTest != "":
			pkg = p
		}
	}
	if pkg == nil {
		return nil, fmt.Errorf("%s is no package (name its folder, as in ./store, or its import "+
			"path)", o.Package)
	}
	if err := broken(pkg); err != nil {
		return nil, err
	}
	if len(pkg.GoFiles) == 0 {
		return nil, fmt.Errorf("package %s has no Go files", pkg.PkgPath)
	}
	return pkg, nil
}

// broken is the first error of a package, one with a place if there is one.
func broken(pkg *packages.Package) error {
	for _, placed := range []bool{true, false} {
		for _, e := range pkg.Errors {
			switch {
			case e.Kind == packages.ParseError || e.Kind == packages.TypeError:
				return fmt.Errorf("%w (the package has to compile)", e)
			case !placed:
				return errors.New(e.Msg)
			}
		}
	}
	return nil
}

// mainModule is the folder of the module that imports a dependency.
func mainModule(dir string) (string, error) {
	from, err := filepath.Abs(dir)
	for err == nil {
		if _, err := os.Stat(filepath.Join(from, "go.mod")); err == nil {
			return from, nil
		}
		up := filepath.Dir(from)
		if up == from {
			break
		}
		from = up
	}
	return "", errors.New("no go.mod in this folder or above it (run the command in a module " +
		"that requires the package)")
}

// short is a position whose file is named as seen from the current folder, if it is below that.
func (t *target) short(pos token.Position) token.Position {
	if rel, err := filepath.Rel(t.from, pos.Filename); err == nil && filepath.IsAbs(pos.Filename) &&
		filepath.IsLocal(rel) {
		pos.Filename = rel
	}
	return pos
}

func (t *target) position(pos token.Pos) token.Position {
	return t.pkg.Fset.PositionFor(pos, false)
}

// findSpecs collects the specifications of the package's types.
func (t *target) findSpecs(o Options) error {
	path := t.pkg.PkgPath
	var found []*ecl.Spec
	switch {
	case o.Given != nil:
		found = o.Given
	case o.SpecFile != "":
		list, err := annotation.Read(o.SpecFile)
		if err != nil {
			return err
		}
		found = list
	default:
		list, errs := annotation.Find(t.pkg.Syntax, t.position)
		if len(errs) > 0 {
			return errs
		}
		own, err := annotation.Folder(t.dir, path)
		if err != nil {
			return err
		}
		found = slices.Concat(list, own, specs.For(path))
	}
	for _, s := range found {
		if (s.Path == "" || s.Path == path) && (o.Type == "" || o.Type == s.Name) {
			t.add(s)
		}
	}
	if len(t.specs) == 0 && len(t.skipped) == 0 {
		if o.Type != "" {
			return fmt.Errorf("type %s of package %s has no specification", o.Type, path)
		}
		return fmt.Errorf("no type of package %s has a specification (see commute help spec)", path)
	}
	return nil
}

// add adds a specification, or the reason why it can't be tested.
func (t *target) add(s *ecl.Spec) {
	skip := func(why string) { t.skipped = append(t.skipped, Skipped{s.Name, t.short(s.Pos), why}) }
	m := t.pkg.Module
	obj := t.pkg.Types.Scope().Lookup(s.Name)
	switch {
	case s.Object:
		skip("its methods are functions of the package, and there is only one object: spec test " +
			"needs a second one to compare it with")
	case s.Module != nil && m != nil && m.Path == s.Module.Path && m.Version != "" &&
		!s.Module.Allows(m.Version):
		skip(fmt.Sprintf("the specification is for %s, and the module is at %s",
			s.Module, m.Version))
	case s.New == "" && obj != nil && types.IsInterface(obj.Type()):
		skip("it is an interface (say what implements it: //ecl:new and an expression)")
	default:
		t.specs = append(t.specs, s)
	}
}

// loadExtra loads the packages that expressions of the specifications name and the package does not
// import. It loads the package again with them, so that they have the same types.
func (t *target) loadExtra(o Options) error {
	t.extra = make(map[string]*packages.Package)
	var paths []string
	for _, s := range t.specs {
		texts := []string{s.New}
		for _, v := range s.Samples {
			texts = append(texts, v.Exprs...)
		}
		for _, text := range texts {
			for _, name := range qualifiers(text) {
				if p := wellKnown[name]; p != "" && t.imported(name) == "" &&
					!slices.Contains(paths, p) {
					paths = append(paths, p)
				}
			}
		}
	}
	if len(paths) == 0 {
		return nil
	}
	config := &packages.Config{Mode: loadMode &^ packages.NeedDeps, Dir: o.Dir,
		Tests: t.pkg.ForTest != ""}
	list, err := packages.Load(config, append(paths, t.pkg.PkgPath)...)
	if err != nil {
		return err
	}
	for _, p := range list {
		switch {
		case p.PkgPath == t.pkg.PkgPath && p.ForTest == t.pkg.ForTest:
			t.pkg = p
		case p.ForTest == "":
			t.extra[p.PkgPath] = p
		}
	}
	return nil
}
