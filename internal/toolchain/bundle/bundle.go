// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package bundle turns the packages of commute's engine into files of Go's own package runtime.
// Compiled there, the engine works from the first instruction of a program on, and its hooks are
// direct calls. No package of the program has to import it.
//
// Input: the sources of the engine's packages, in dependency order, and a platform. Output: one
// file of package runtime for each file. Every package-level name X of package P becomes
// commute_P_X, on the same line as before.
//
// # Terms
//
//	host      the package whose functions the templates implement; it is not bundled
//	prefix    commute_P_, which takes the place of package P in names
//	stub      declarations of the part of sync/atomic that the engine may use, to check against
//	shim      the implementation of that part over internal/runtime/atomic
//
// # What an engine package must not have
//
// It imports only engine packages before it, unsafe and sync/atomic. It has no init function, and
// no variable that is initialized by a call: hooks run before any initialization of package
// runtime.
//
// The packages are checked with go/types, but never with an importer. So bundling works on a
// machine that has a Go distribution and nothing else.
package bundle

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/commutego/commute/internal/toolchain/edit"
	"github.com/commutego/commute/internal/toolchain/target"
)

// Tag is the build tag that is set while engine files are chosen.
const Tag = "commute_bundle"

// enginePrefix makes the prefix of the engine's top package, which is called runtime like the
// package that it is bundled into.
const enginePrefix = "engine"

// Engine says what to bundle.
type Engine struct {
	FS     fs.FS  // the root of the module
	Module string // its path
	// Host is the directory of the package that the templates implement. The package is
	// type-checked, for its declarations, but not bundled.
	Host string
	// Dirs are the directories of the bundled packages, in dependency order.
	Dirs []string
	// Explore is the directory of a further package, after the others, for builds that explore
	// schedules.
	Explore string
}

// With returns the engine with one more package, after the others.
func (e *Engine) With(dir string) Engine {
	more := *e
	more.Dirs = append(slices.Clip(more.Dirs), dir)
	return more
}

// A File is a generated file of package runtime.
type File struct {
	Name string
	Data []byte
}

// Bundle returns the engine as files of package runtime for a platform, and a profile of the calls
// that are to be inlined there.
func (e *Engine) Bundle(platform target.Platform) (files []File, profile []byte, err error) {
	b := &bundler{
		engine: e,
		fset:   token.NewFileSet(),
		target: platform,
		sizes:  types.SizesFor("gc", platform.GOARCH),
		pkgs:   make(map[string]*types.Package),
		prefix: make(map[*types.Package]string),

		inlined: make(map[*types.Func]inlined),
	}
	if err := b.loadAtomic(); err != nil {
		return nil, nil, err
	}
	if e.Host != "" {
		if err := b.loadHost(); err != nil {
			return nil, nil, err
		}
	}
	files = []File{{Name: "commute_atomic.go", Data: edit.WithLine("commute/atomic/atomic.go",
		[]byte(atomicShim))}}
	for _, dir := range e.Dirs {
		out, err := b.bundle(dir)
		if err != nil {
			return nil, nil, err
		}
		files = append(files, out...)
	}
	profile, err = b.profile()
	return files, profile, err
}

// A bundler is the state of one call of Bundle.
type bundler struct {
	engine *Engine
	fset   *token.FileSet
	target target.Platform
	sizes  types.Sizes
	pkgs   map[string]*types.Package // by import path
	prefix map[*types.Package]string // "commute_vclock_"
	atomic *types.Package

	inlined map[*types.Func]inlined // the functions that are marked with inlineMark
	edges   []string                // the lines of the profile of each of their calls
}

// source is one file of an engine package.
type source struct {
	name   string
	data   []byte
	syntax *ast.File
}

// parse reads the files of dir that belong to the target.
func (b *bundler) parse(dir string) ([]source, error) {
	entries, err := fs.ReadDir(b.engine.FS, dir)
	if err != nil {
		return nil, fmt.Errorf("engine package %s: %w", dir, err)
	}
	var files []source
	for _, entry := range entries {
		name := entry.Name()
		if entry.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		data, err := fs.ReadFile(b.engine.FS, path.Join(dir, name))
		if err != nil {
			return nil, err
		}
		ok, err := b.target.Match(name, data, Tag)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path.Join(dir, name), err)
		}
		if !ok {
			continue
		}
		syntax, err := parser.ParseFile(b.fset, path.Join(dir, name), data,
			parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, source{name, data, syntax})
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("engine package %s has no files for %s/%s",
			dir, b.target.GOOS, b.target.GOARCH)
	}
	return files, nil
}

// check type-checks the package in dir, and gives it its prefix.
func (b *bundler) check(dir string, files []source, conf types.Config,
	info *types.Info) (*types.Package, error) {
	conf.Sizes = b.sizes
	conf.Importer = b
	syntax := make([]*ast.File, len(files))
	for i, f := range files {
		syntax[i] = f.syntax
	}
	importPath := path.Join(b.engine.Module, dir)
	pkg, err := conf.Check(importPath, b.fset, syntax, info)
	if err != nil && conf.Error == nil {
		return nil, err
	}
	name := pkg.Name()
	if name == "runtime" {
		name = enginePrefix
	}
	for _, other := range b.prefix {
		if other == "commute_"+name+"_" {
			return nil, fmt.Errorf("two engine packages are called %s", name)
		}
	}
	b.prefix[pkg] = "commute_" + name + "_"
	b.pkgs[importPath] = pkg
	return pkg, nil
}

// Import implements types.Importer.
func (b *bundler) Import(importPath string) (*types.Package, error) {
	switch importPath {
	case "unsafe":
		return types.Unsafe, nil
	case "sync/atomic":
		return b.atomic, nil
	}
	if pkg := b.pkgs[importPath]; pkg != nil {
		return pkg, nil
	}
	return nil, fmt.Errorf("an engine package may import unsafe, sync/atomic and the engine "+
		"packages before it, not %s", importPath)
}

// loadHost checks the declarations of the host package. The templates replace the function bodies,
// so these and the packages that they import are left out. Errors don't count here: a wrong
// declaration fails where it is used.
func (b *bundler) loadHost() error {
	files, err := b.parse(b.engine.Host)
	if err != nil {
		return err
	}
	conf := types.Config{IgnoreFuncBodies: true, Error: func(error) {}}
	_, err = b.check(b.engine.Host, files, conf, nil)
	return err
}

// bundle checks and rewrites one package.
func (b *bundler) bundle(dir string) ([]File, error) {
	files, err := b.parse(dir)
	if err != nil {
		return nil, err
	}
	info := &types.Info{
		Defs:  make(map[*ast.Ident]types.Object),
		Uses:  make(map[*ast.Ident]types.Object),
		Types: make(map[ast.Expr]types.TypeAndValue),
		// Fields are renamed with the types that they embed.
		Selections: make(map[*ast.SelectorExpr]*types.Selection),
	}
	pkg, err := b.check(dir, files, types.Config{}, info)
	if err != nil {
		return nil, err
	}
	if err := b.checkInit(files, info); err != nil {
		return nil, err
	}
	if err := b.findMarked(files, info); err != nil {
		return nil, err
	}
	b.listCalls(files, info)
	short := strings.TrimSuffix(strings.TrimPrefix(b.prefix[pkg], "commute_"), "_")
	var out []File
	for _, f := range files {
		r := &rewriter{bundler: b, file: f, info: info, pkg: pkg,
			edits: make(map[token.Pos]edit.Edit)}
		data, err := r.rewrite()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path.Join(dir, f.name), err)
		}
		out = append(out, File{
			// The suffix keeps names like x_linux.go or x_test.go from meaning anything.
			Name: "commute_" + short + "_" + strings.TrimSuffix(f.name, ".go") + "_.go",
			Data: edit.WithLine("commute/"+short+"/"+f.name, data),
		})
	}
	return out, nil
}

// checkInit refuses declarations that would have to run before the program.
func (b *bundler) checkInit(files []source, info *types.Info) error {
	for _, f := range files {
		for _, decl := range f.syntax.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				if decl.Recv == nil && decl.Name.Name == "init" {
					return fmt.Errorf("%s: an engine package cannot have an init function",
						b.fset.Position(decl.Pos()))
				}
			case *ast.GenDecl:
				if decl.Tok != token.VAR {
					continue
				}
				for _, spec := range decl.Specs {
					for _, value := range spec.(*ast.ValueSpec).Values {
						if call := dynamicCall(value, info); call != nil {
							return fmt.Errorf("%s: an engine variable cannot be initialized by a "+
								"call: hooks run before it",
								b.fset.Position(call.Pos()))
						}
					}
				}
			}
		}
	}
	return nil
}

// dynamicCall returns a call in a variable's initial value that has to be made at run time, or nil.
// Conversions and constant calls are none.
func dynamicCall(value ast.Expr, info *types.Info) (found *ast.CallExpr) {
	ast.Inspect(value, func(n ast.Node) bool {
		if _, ok := n.(*ast.FuncLit); ok || found != nil {
			return false
		}
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		if tv := info.Types[call.Fun]; !tv.IsType() && info.Types[call].Value == nil {
			found = call
		}
		return found == nil
	})
	return found
}
