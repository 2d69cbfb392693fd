// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package toolexec

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"

	"github.com/commutego/commute/analyzer/checkact"
	"github.com/commutego/commute/ecl"
	"github.com/commutego/commute/internal/rewrite/section"
	"github.com/commutego/commute/internal/toolchain/command"
	"github.com/commutego/commute/internal/toolchain/edit"
	"github.com/commutego/commute/internal/toolchain/exportdata"
	"github.com/commutego/commute/internal/toolchain/load"
)

// A unit is one package in compilation. The functions give what is known of it beside its source.
// Each finds that out when it is first called, so that no pass relies on another one before it.
type unit struct {
	*command.Compile
	driver *Driver
	source *load.Package

	config     func() (*command.ImportCfg, error)
	shadowed   func() []*ast.Ident              // names of Go's that mean something else
	dependency func() bool                      // the package is not the user's to change
	outside    func() (*outside, error)         // specifications that are not in its Go files
	annotated  func() ([]*ecl.Spec, error)      // its own, in Go and .ecl files
	calls      func() (*calls, error)           // of watched types' methods
	pairs      func() (*checkact.Result, error) // of checks and acts
	applied    func() (*specifications, error)  // what its methods are instrumented for

	touches   *section.Output // of the pass for critical sections; its edits depend on the others
	announces bool            // that pass has changed the package
	profile   []byte          // of calls that it would keep from being inlined, see package section
}

// newUnit returns the unit of a compile, of which nothing is known yet.
func (d *Driver) newUnit(c *command.Compile) *unit {
	u := &unit{Compile: c, driver: d}
	u.source = load.New(load.Config{
		Path:     c.Package,
		Names:    c.Files,
		Lang:     c.Lang,
		Importer: u.importer,
	})
	u.config = sync.OnceValues(c.ReadImportCfg)
	u.shadowed = sync.OnceValue(u.findShadowed)
	u.dependency = sync.OnceValue(u.isDependency)
	u.outside = sync.OnceValues(u.readOutside)
	u.annotated = sync.OnceValues(u.findAnnotated)
	u.calls = sync.OnceValues(u.findCalls)
	u.pairs = sync.OnceValues(u.findPairs)
	u.applied = sync.OnceValues(u.applySpecs)
	return u
}

// importer finds the packages that this one imports, by their archives.
func (u *unit) importer(fset *token.FileSet) (types.Importer, error) {
	cfg, err := u.config()
	if err != nil {
		return nil, err
	}
	return exportdata.Importer(fset, cfg.ImportMap, func(path string) (string, bool) {
		file, ok := cfg.PackageFile[path]
		return file, ok
	}), nil
}

// A pass returns the edits that one part of commute makes in a package.
type pass struct {
	name string
	make func(*unit) (edit.Change, error)
}

// methods is the pass that instruments specified methods. It alone depends on the text of
// specifications, and so is left out if these don't compile.
const methods = "methods"

// passes are made in this order, and what they insert at one place stands in it. The first error
// counts: mistakes in comments and specifications are reported before anything is made of them.
var passes = []pass{
	{"comments", (*unit).checkComments},
	{"hooks of tests", (*unit).bindHooks},
	{"specifications", (*unit).checkSpecs},
	{"registration", (*unit).register},
	{criticalSections, (*unit).sections}, // what it wraps may be part of what a transaction moves
	{"transactions", (*unit).transactions},
	{"standard library", (*unit).standard}, // in the transactions of a patched function, if any
	{"atomics", (*unit).redirect},
	{methods, (*unit).annotate},
}

// plan collects the edits of the passes. All of them refer to the source as it is.
func (u *unit) plan(passes []pass) (change edit.Change, err error) {
	if u.Std && below(u.Package) {
		return u.standard()
	}
	if err := u.source.Sources(); err != nil {
		return change, err
	}
	var made []edit.Change
	others, sections := make(map[string][]edit.Edit), -1
	for _, p := range passes {
		next, err := p.make(u)
		if err != nil {
			return change, err
		}
		if u.misread(p.name, next.Added) {
			continue
		}
		if p.name == criticalSections && u.touches != nil {
			sections = len(made)
		}
		made = append(made, next)
		for name, edits := range next.Edits {
			others[name] = append(others[name], edits...)
		}
	}
	for i, next := range made {
		if i == sections {
			next.Edits = u.touches.Edits(others)
		}
		change.Then(next)
	}
	return change, nil
}

// checkSpecs reads the specifications that are not in the package's own Go files.
func (u *unit) checkSpecs() (none edit.Change, err error) {
	_, err = u.outside()
	return none, err
}

// write writes the new files to the object directory, which the go command removes, and returns the
// arguments for the compiler.
func (u *unit) write(change edit.Change) ([]string, error) {
	var files []string
	for i, path := range u.Files {
		edits := change.Edits[path]
		switch {
		case change.Removed[path]:
			continue
		case len(edits) == 0:
			files = append(files, path)
			continue
		}
		src, err := u.source.Source(path)
		if err != nil {
			return nil, err
		}
		data, err := edit.Apply(src, edits)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		abs, err := filepath.Abs(path)
		if err != nil {
			return nil, err
		}
		// The number keeps x.go of the source apart from an x.go that cgo or
		// cover wrote to this directory.
		name := filepath.Join(u.Dir(), fmt.Sprintf("commute_%d_%s", i, filepath.Base(path)))
		if err := writeFile(name, edit.WithLine(abs, data)); err != nil {
			return nil, err
		}
		files = append(files, name)
	}
	for _, a := range change.Added {
		name := filepath.Join(u.Dir(), a.Name)
		if err := writeFile(name, a.Data); err != nil {
			return nil, err
		}
		files = append(files, name)
	}
	if len(u.profile) > 0 {
		name := filepath.Join(u.Dir(), "commute_inline.txt")
		if err := writeFile(name, u.profile); err != nil {
			return nil, err
		}
		u.Profile = []string{"-pgoprofile=" + name, section.ProfileFlags}
	}
	return u.Args(files), nil
}

func writeFile(name string, data []byte) error {
	if err := os.WriteFile(name, data, 0o666); err != nil {
		return fmt.Errorf("cannot write a changed source file to the go command's work directory "+
			"(see GOTMPDIR): %w", err)
	}
	return nil
}

// runTool runs a tool and waits for it. A signal that ends this process is passed on.
func runTool(tool string, args []string, stdout, stderr io.Writer) error {
	cmd := exec.Command(tool, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, stdout, stderr
	if err := cmd.Start(); err != nil {
		return err
	}
	stop := forward(cmd.Process)
	defer stop()
	return cmd.Wait()
}
