// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commute_test

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/commutego/commute"
	"github.com/commutego/commute/internal/toolchain/edit"
	"github.com/commutego/commute/internal/toolchain/patch"
	"github.com/commutego/commute/internal/toolchain/target"
	"github.com/commutego/commute/internal/toolchain/toolexec"
)

// TestRuntimeTypeChecks type-checks Go's package runtime with the engine and the templates in it,
// for ports that differ in what they have, and with and without the hooks of memory accesses. A
// template that names what the engine doesn't have is found here, and not by a user's build.
func TestRuntimeTypeChecks(t *testing.T) {
	config := toolexec.Config{Engine: commute.Engine(), Templates: patch.Templates(),
		Specs: toolexec.Shipped}
	platforms := []string{"linux/amd64", "linux/386", "linux/arm64", "darwin/arm64",
		"windows/amd64", "js/wasm", "freebsd/riscv64"}
	if testing.Short() {
		platforms = platforms[:2]
	}
	for _, name := range platforms {
		goos, goarch, _ := strings.Cut(name, "/")
		platform := target.Platform{GOOS: goos, GOARCH: goarch, Release: runtime.Version()}
		for _, memory := range []bool{false, true} {
			if memory && !platform.CompilerRace() {
				continue
			}
			t.Run(fmt.Sprintf("%s/memory=%v", name, memory), func(t *testing.T) {
				checkRuntime(t, config, platform, memory)
			})
		}
	}
}

// checkRuntime type-checks package runtime as it is compiled for a platform.
func checkRuntime(t *testing.T, config toolexec.Config, platform target.Platform, memory bool) {
	l := newLoader(platform)
	var change toolexec.Change
	for _, c := range config.Changes(platform, memory) {
		if c.Path == "runtime" {
			change = c
		}
	}
	p := patch.New("runtime", runtime.Version(), l.names(t, "runtime"))
	if err := change.Make(p); err != nil {
		t.Fatal(err)
	}
	bundled, _, err := config.Engine.Bundle(platform)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range bundled {
		p.Added = append(p.Added, edit.Added{Name: f.Name, Data: f.Data})
	}
	changed, err := p.Changed()
	if err != nil {
		t.Fatal(err)
	}
	var files []*ast.File
	parse := func(name string, data []byte) {
		f, err := parser.ParseFile(l.fset, name, data, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	for _, name := range p.Files {
		if p.Removed[name] {
			continue
		}
		data, ok := changed[name]
		if !ok {
			if data, err = os.ReadFile(name); err != nil {
				t.Fatal(err)
			}
		}
		parse(name, data)
	}
	for _, f := range p.Added {
		parse(f.Name, f.Data)
	}
	conf := types.Config{
		Importer: l, Sizes: types.SizesFor("gc", platform.GOARCH), GoVersion: goVersion(),
		Error: func(err error) { t.Error(err) },
	}
	conf.Check("runtime", l.fset, files, nil)
}

// goVersion is the version of the language that the standard library is in.
func goVersion() string {
	v := strings.SplitN(runtime.Version(), ".", 3)
	return strings.Join(v[:min(2, len(v))], ".")
}

// A loader type-checks what package runtime imports, from source and without function bodies.
type loader struct {
	fset    *token.FileSet
	context build.Context
	loaded  map[string]*types.Package
}

func newLoader(p target.Platform) *loader {
	l := &loader{fset: token.NewFileSet(), context: build.Default,
		loaded: make(map[string]*types.Package)}
	l.context.GOOS, l.context.GOARCH, l.context.CgoEnabled = p.GOOS, p.GOARCH, false
	if p.GOARCH == "386" || p.GOARCH == "wasm" {
		l.context.ToolTags = nil // arguments are not in registers there
	}
	return l
}

// names are the files of a package of the standard library.
func (l *loader) names(t *testing.T, path string) []string {
	p, err := l.context.Import(path, "", 0)
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range p.GoFiles {
		p.GoFiles[i] = filepath.Join(p.Dir, name)
	}
	return p.GoFiles
}

// Import implements [types.Importer].
func (l *loader) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if p := l.loaded[path]; p != nil {
		return p, nil
	}
	p, err := l.context.Import(path, "", 0)
	if err != nil {
		return nil, err
	}
	var files []*ast.File
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(l.fset, filepath.Join(p.Dir, name), nil,
			parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	conf := types.Config{
		Importer: l, IgnoreFuncBodies: true, Sizes: types.SizesFor("gc", l.context.GOARCH),
		Error: func(error) {}, // what matters is missed by who needs it
	}
	pkg, _ := conf.Check(path, l.fset, files, nil)
	l.loaded[path] = pkg
	return pkg, nil
}
