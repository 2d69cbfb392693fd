// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package toolexec

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/commutego/commute/analyzer/annotation"
	"github.com/commutego/commute/analyzer/checkact"
	"github.com/commutego/commute/analyzer/directive"
	"github.com/commutego/commute/analyzer/transaction"
	"github.com/commutego/commute/ecl"
	"github.com/commutego/commute/internal/toolchain/atomics"
	"github.com/commutego/commute/internal/toolchain/command"
	"github.com/commutego/commute/internal/toolchain/comments"
	"github.com/commutego/commute/internal/toolchain/edit"
	"github.com/commutego/commute/internal/toolchain/patch"
	"github.com/commutego/commute/internal/toolchain/target"
)

// A unit is one package in compilation.
type unit struct {
	*command.Compile
	driver *Driver

	source  map[string][]byte // contents of the files, by path as given
	changes map[string][]byte // their new contents
	removed map[string]bool
	added   []patch.Added
	edits   map[string][]edit.Edit // of the files as they were read

	specs        specifications // from outside of the package's Go files
	abstract     []abstract
	known        []*ecl.Spec // of types whose calls may be checks and acts; the first of a type counts
	ill          bool        // the package does not type-check
	beyond       error       // what of the package commute cannot read, being built with an older release
	pairs        []checkact.MemoryPair
	paired       bool     // pairs are known
	named        []string // package-level variables that are objects of functions
	instrumented bool     // it imports packages with instrumented types
	specified    []string // the places of the methods that are specified in this package
	given        []string // those that are by what the user gave with -spec
	unwatched    bool     // its specifications are no good
}

// plan decides what to change.
func (u *unit) plan() error {
	u.changes = make(map[string][]byte)
	u.removed = make(map[string]bool)
	if u.Std {
		done, err := u.planStd()
		if done || err != nil {
			return err
		}
	}
	if err := u.read(); err != nil {
		return err
	}
	if err := u.checkComments(); err != nil {
		return err
	}
	if err := u.bindHooks(); err != nil {
		return err
	}
	if err := errors.Join(u.loadSpecs(), u.loadAbstract()); err != nil {
		return err
	}
	if !u.Std {
		if err := u.register(); err != nil {
			return err
		}
	}
	if err := u.transactions(); err != nil {
		return err
	}
	if err := u.redirect(); err != nil {
		return err
	}
	return u.annotate()
}

// checkComments says all that is wrong with the comments of a package of the user's at once.
func (u *unit) checkComments() error {
	if u.Std || u.dependency() || !u.mentions() {
		return nil
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, path := range u.Files {
		file, err := parser.ParseFile(fset, path, u.source[path],
			parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil // the compiler will say so
		}
		files = append(files, file)
	}
	path, ok := importPath(u.Package)
	dir := u.folder()
	if !ok {
		dir = "" // the package in the folder is another
	}
	if errs := comments.Files(fset, files, path, dir); len(errs) > 0 {
		return &sourceError{errs.Error()}
	}
	return nil
}

// mentions reports whether the package may have comments for commute, or files of specifications.
func (u *unit) mentions() bool {
	if slices.ContainsFunc(u.Files, func(path string) bool {
		text := string(u.source[path])
		return directive.Mentioned(text) || annotation.Mentioned(text) ||
			transaction.Mentioned(text)
	}) {
		return true
	}
	list, _ := filepath.Glob(filepath.Join(annotation.Escape(u.folder()), "*.ecl"))
	return len(list) > 0
}

// read reads the files that no change has read yet.
func (u *unit) read() error {
	u.source = make(map[string][]byte)
	for _, path := range u.Files {
		data, ok := u.changes[path]
		if !ok {
			var err error
			if data, err = os.ReadFile(path); err != nil {
				return err
			}
		}
		u.source[path] = data
	}
	return nil
}

// planStd changes the packages of the standard library that have changes of
// their own, and reports whether nothing else is to be done.
func (u *unit) planStd() (done bool, err error) {
	change := map[string]func(*patch.Package) error{"testing": (*patch.Package).Testing, "reflect": (*patch.Package).Reflect}[u.Package]
	if change != nil && (u.Watch || u.Package != "reflect") {
		p := patch.New(u.Package, u.GoVersion, u.Files)
		err := change(p)
		u.take(p)
		return err != nil, err
	}
	if !below(u.Package) {
		return false, nil
	}
	p := patch.New(u.Package, u.GoVersion, u.Files)
	switch u.Package {
	case "runtime":
		platform := target.Current(u.GoVersion)
		if err := runtimeChanges(p, u.driver.Templates, platform, watchesMemory()); err != nil {
			return true, err
		}
		files, err := u.driver.Engine.Bundle(platform)
		if err != nil {
			return true, err
		}
		for _, f := range files {
			p.Added = append(p.Added, patch.Added{Name: f.Name, Data: f.Data})
		}
	case "internal/race":
		err = p.InternalRace()
	case "sync/atomic":
		err = atomicChanges(p, watchesMemory())
	case "internal/sync":
		err = internalSyncChanges(p, watchesMemory())
	case "sync":
		err = syncChanges(p, u.driver.Specs(u.Package), watchesMemory())
	}
	u.take(p)
	return true, err
}

// runtimeChanges makes the changes of package runtime, but for the engine.
func runtimeChanges(p *patch.Package, templates fs.FS, platform target.Platform,
	memory bool) error {
	return errors.Join(p.Runtime(templates, platform, memory), p.Scheduler(), p.Coroutines(),
		p.Timers(), p.Channels(),
		p.Memory(), p.Crashes(), p.Exits())
}

// internalSyncChanges makes the changes of package internal/sync.
func internalSyncChanges(p *patch.Package, memory bool) error {
	if memory {
		return errors.Join(p.Map(true), p.Mutex())
	}
	return p.Map(false)
}

// syncChanges makes the changes of package sync.
func syncChanges(p *patch.Package, tables []*ecl.Spec, memory bool) error {
	if memory {
		if err := p.RWMutex(); err != nil {
			return err
		}
	}
	return errors.Join(p.Cond(), p.Pool(), p.Specs(tables))
}

// below reports whether a package of the standard library is under the hooks:
// what package runtime imports, and what implements synchronization. Events
// within those are announced by the hooks themselves.
func below(path string) bool {
	switch path {
	case "runtime", "sync", "sync/atomic", "unsafe", "math/bits",
		"internal/abi", "internal/asan", "internal/bytealg", "internal/byteorder",
		"internal/chacha8rand", "internal/coverage/rtcov", "internal/cpu", "internal/goarch",
		"internal/godebugs", "internal/goexperiment", "internal/goos", "internal/msan",
		"internal/profilerecord", "internal/race", "internal/strconv", "internal/stringslite",
		"internal/sync", "internal/trace/tracev2":
		return true
	}
	return strings.HasPrefix(path, "internal/runtime/") || strings.HasPrefix(path, "runtime/")
}

// take adds the changes of p.
func (u *unit) take(p *patch.Package) {
	for path, data := range p.Changed {
		u.changes[path] = data
	}
	for path := range p.Removed {
		u.removed[path] = true
	}
	u.added = append(u.added, p.Added...)
}

// redirect makes the package call the hooked twins of sync/atomic's functions, and
// of methods whose twins are watched. Most packages call none of the former, which is
// found out without parsing.
func (u *unit) redirect() (err error) {
	for _, path := range u.Files {
		data, edits := u.source[path], u.edits[path]
		if atomics.Mentioned(data) {
			fset := token.NewFileSet()
			file, err := parser.ParseFile(fset, path, data, 0)
			if err != nil {
				u.unreadable(err)
				continue // the compiler will say so
			}
			edits = append(edits, atomics.Edits(fset, file)...)
		}
		if len(edits) == 0 {
			continue
		}
		if u.changes[path], err = edit.Apply(data, edits); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return nil
}

func (u *unit) changed() bool {
	return len(u.changes) > 0 || len(u.removed) > 0 || len(u.added) > 0
}

// write writes the new files to the object directory and returns the arguments
// for the compiler.
func (u *unit) write() ([]string, error) {
	var files []string
	for i, path := range u.Files {
		if u.removed[path] {
			continue
		}
		data, ok := u.changes[path]
		if !ok {
			files = append(files, path)
			continue
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
	for _, a := range u.added {
		name := filepath.Join(u.Dir(), a.Name)
		if err := writeFile(name, a.Data); err != nil {
			return nil, err
		}
		files = append(files, name)
	}
	return u.Args(files), nil
}

func writeFile(name string, data []byte) error {
	if err := os.WriteFile(name, data, 0o666); err != nil {
		return fmt.Errorf("cannot write a changed source file to the go command's work directory (see GOTMPDIR): %w", err)
	}
	return nil
}

// runTool runs a tool and waits for it. A signal that ends this process is
// passed on.
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
