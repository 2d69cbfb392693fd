// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package survey

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/commutego/commute/internal/toolchain/exportdata"
	"github.com/commutego/commute/internal/toolchain/patch"
	"github.com/commutego/commute/internal/toolchain/release"
	"github.com/commutego/commute/internal/toolchain/target"
)

// A program is package runtime with commute's code in it.
type program struct {
	*survey
	fset  *token.FileSet
	files []*ast.File
	own   map[*token.File]bool // commute's
	hooks map[string]release.Declaration
	info  *types.Info
}

// runtime notes the declarations of package runtime, and of its imports, that commute's code uses,
// and the functions there that call the hooks. P is the package as it is compiled, but for the
// engine.
func (v *survey) runtime(p *patch.Package, platform target.Platform) error {
	g := &program{survey: v, fset: token.NewFileSet(), own: make(map[*token.File]bool)}
	goFiles, archives, err := list(v.Goroot, platform)
	if err != nil {
		return err
	}
	changed, err := p.Changed()
	if err != nil {
		return err
	}
	for _, name := range goFiles {
		if path := v.path("runtime", name); !p.Removed[path] {
			if err := g.parse(path, changed[path], false); err != nil {
				return err
			}
		}
	}
	for _, a := range p.Added {
		if err := g.parse(a.Name, a.Data, true); err != nil {
			return err
		}
	}
	whole := v.config.Engine
	if v.explores {
		whole = whole.With(whole.Explore)
	}
	engine, _, err := whole.Bundle(platform)
	if err != nil {
		return err
	}
	for _, f := range engine {
		if err := g.parse(f.Name, f.Data, true); err != nil {
			return err
		}
	}
	if err := g.check(platform, archives); err != nil {
		return err
	}
	replaced, err := v.file(v.path("runtime", "race0.go"))
	if err != nil {
		return err
	}
	g.hooks = replaced.declarations
	return errors.Join(g.uses(), g.callers(), g.named())
}

// list asks the go command for the files of package runtime for a platform, and for the archives of
// its imports.
func list(goroot string, platform target.Platform) (files []string, archives map[string]string,
	err error) {
	cmd := exec.Command(filepath.Join(goroot, "bin", "go"), "list", "-export", "-deps",
		"-json=ImportPath,Export,GoFiles", "runtime")
	cmd.Env = append(os.Environ(), "GOROOT="+goroot, "GOTOOLCHAIN=local", "GOFLAGS=", "GOWORK=off",
		"CGO_ENABLED=0",
		"GOOS="+platform.GOOS, "GOARCH="+platform.GOARCH)
	cmd.Dir = filepath.Join(goroot, "src")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", cmd, err)
	}
	archives = make(map[string]string)
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var pkg struct {
			ImportPath, Export string
			GoFiles            []string
		}
		if err := d.Decode(&pkg); err == io.EOF {
			return files, archives, nil
		} else if err != nil {
			return nil, nil, err
		}
		if archives[pkg.ImportPath] = pkg.Export; pkg.ImportPath == "runtime" {
			files = pkg.GoFiles
		}
	}
}

// parse adds a file, which is read if data is nil.
func (g *program) parse(name string, data []byte, own bool) error {
	var src any
	if data != nil {
		src = data
	}
	syntax, err := parser.ParseFile(g.fset, name, src,
		parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	g.files = append(g.files, syntax)
	g.own[g.fset.File(syntax.FileStart)] = own
	return nil
}

// check type-checks the program. Functions in assembly have no bodies, which is no error.
func (g *program) check(platform target.Platform, archives map[string]string) error {
	var errs []error
	conf := types.Config{
		Importer: exportdata.Importer(g.fset, nil, func(path string) (string, bool) {
			file, ok := archives[path]
			return file, ok
		}),
		Sizes: types.SizesFor("gc", platform.GOARCH),
		Error: func(err error) {
			if !strings.Contains(err.Error(), "missing function body") {
				errs = append(errs, err)
			}
		},
	}
	g.info = &types.Info{Uses: make(map[*ast.Ident]types.Object)}
	conf.Check("runtime", g.fset, g.files, g.info)
	return errors.Join(errs...)
}

// isOwn reports whether pos is in a file of commute's.
func (g *program) isOwn(pos token.Pos) bool { return g.own[g.fset.File(pos)] }

// uses notes each object of the standard library to which an identifier in commute's code refers.
func (g *program) uses() error {
	for id, obj := range g.info.Uses {
		if obj.Pkg() == nil || obj.Pkg() == types.Unsafe || !g.isOwn(id.Pos()) ||
			g.isOwn(obj.Pos()) {
			continue
		}
		if err := g.use(obj); err != nil {
			return err
		}
	}
	return nil
}

// use notes an object. A struct doesn't count as a whole: its fields that are used do.
func (g *program) use(obj types.Object) error {
	at := g.fset.PositionFor(obj.Pos(), false)
	path := g.path(obj.Pkg().Path(), filepath.Base(at.Filename))
	name := obj.Name()
	switch o := obj.(type) {
	case *types.PkgName, *types.Label:
		return nil
	case *types.TypeName:
		if _, ok := o.Type().(*types.TypeParam); ok {
			return nil
		}
		if _, ok := types.Unalias(o.Type()).Underlying().(*types.Struct); ok {
			return nil
		}
	case *types.Func:
		if recv := o.Signature().Recv(); recv != nil {
			name = methodName(recv.Type(), name)
		}
	case *types.Var:
		if o.IsField() {
			name = ""
		}
	}
	f, err := g.file(path)
	if err != nil {
		return fmt.Errorf("where %v is declared: %w", obj, err)
	}
	if _, ok := f.declarations[name]; !ok {
		name = f.at(at.Line, obj.Name())
	}
	if name == "" {
		return fmt.Errorf("%s:%d declares no %s", path, at.Line, obj.Name())
	}
	return g.add(obj.Pkg().Path(), path, name, release.Used)
}

// at is the field of that name on a line, or else the declaration that the line is in: the last one
// that begins before its end.
func (f *file) at(line int, name string) string {
	best := ""
	for have, d := range f.declarations {
		switch {
		case have == release.WholeFile || d.Line > line:
		case d.Line == line && strings.HasSuffix(have, "."+name):
			return have
		case !strings.Contains(have, ".") &&
			(best == "" || d.Line > f.declarations[best].Line ||
				d.Line == f.declarations[best].Line && have < best):
			best = have
		}
	}
	return best
}

// methodName is the name of a method as in [release.Declarations]. A method of an interface belongs
// to the declaration of its type.
func methodName(recv types.Type, name string) string {
	if ptr, ok := recv.(*types.Pointer); ok {
		return "(*" + ptr.Elem().(*types.Named).Obj().Name() + ")." + name
	}
	named, ok := recv.(*types.Named)
	switch {
	case !ok:
		return ""
	case types.IsInterface(named):
		return named.Obj().Name()
	}
	return named.Obj().Name() + "." + name
}

// callers notes the functions of package runtime that call hooks, or ask whether there are any.
func (g *program) callers() error {
	for _, file := range g.files {
		if g.isOwn(file.FileStart) {
			continue
		}
		path := g.fset.PositionFor(file.FileStart, false).Filename
		for _, decl := range file.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || !g.calls(fn) {
				continue
			}
			if err := g.add("runtime", path, release.FunctionName(fn),
				release.Announces); err != nil {
				return err
			}
		}
	}
	return nil
}

// calls reports whether a function refers to a hook, or to the constant raceenabled: these are
// declared in race0.go and in the template that replaces it.
func (g *program) calls(fn *ast.FuncDecl) (found bool) {
	ast.Inspect(fn, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if obj := g.info.Uses[id]; obj != nil && g.isOwn(obj.Pos()) {
				_, hook := g.hooks[obj.Name()]
				found = found || hook
			}
		}
		return !found
	})
	return found
}

// named notes the functions of package runtime whose names occur as texts in commute's templates:
// they are compared with frames.
func (g *program) named() error {
	declared := make(map[string]string) // where
	for _, file := range g.files {
		path := g.fset.PositionFor(file.FileStart, false).Filename
		for _, decl := range file.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && !g.isOwn(file.FileStart) {
				declared[release.FunctionName(fn)] = path
			}
		}
	}
	var err error
	for _, file := range g.files {
		if !strings.HasPrefix(g.fset.PositionFor(file.FileStart, false).Filename,
			patch.TemplatePrefix) {
			continue
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				text, _ := strconv.Unquote(lit.Value)
				if name, ok := strings.CutPrefix(text, "runtime."); ok && declared[name] != "" {
					err = errors.Join(err, g.add("runtime", declared[name], name, release.Used))
				}
			}
			return true
		})
	}
	return err
}
