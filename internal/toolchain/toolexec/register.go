// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package toolexec

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/commutego/commute/analyzer/directive"
	"github.com/commutego/commute/internal/toolchain/command"
	"github.com/commutego/commute/internal/toolchain/edit"
	"github.com/commutego/commute/internal/toolchain/patch"
)

// register adds a file that tells the engine of the package's directives and
// of the calls of watched types, if there are any.
func (u *unit) register() error {
	var texts []string
	directives := false
	for _, path := range u.Files {
		text := string(u.source[path])
		texts = append(texts, text)
		directives = directives || directive.Mentioned(text)
	}
	watched := u.driver.watched()
	sites := directive.Needed(watched, texts)
	if !directives && !sites {
		return nil
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for i, path := range u.Files {
		file, err := parser.ParseFile(fset, path, texts[i], parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil // the compiler will say so
		}
		files = append(files, file)
	}
	r := &directive.Registration{Package: u.Package, Fset: fset, Trim: u.Trim}
	for _, file := range files {
		found, problems := directive.Scan(fset, file)
		if len(problems) > 0 && !dependency(u.Files[0]) {
			return problemError(fset, problems)
		}
		for _, d := range found {
			r.Directive(d)
		}
	}
	if sites {
		if err := u.sites(fset, files, watched, r); err != nil {
			return err
		}
	}
	if r.Text() == "" {
		return nil
	}
	u.added = append(u.added, patch.Added{
		Name: "commute_register.go",
		Data: edit.WithLine("commute/register.go", registerFile(files[0].Name.Name, r.Text())),
	})
	return nil
}

// watched lists the types with a specification, whose calls are looked up.
func (c *Config) watched() []directive.Type {
	var list []directive.Type
	for _, spec := range c.Specs("") {
		t := directive.Type{Package: spec.Path, Name: spec.Name}
		for _, m := range spec.Methods {
			t.Methods = append(t.Methods, m.Name)
		}
		list = append(list, t)
	}
	return list
}

// registerFile is a file of package name that hands text to the engine.
func registerFile(name, text string) []byte {
	return fmt.Appendf(nil, `package %s

import _ "unsafe"

//go:linkname commute_register runtime.commute_register
func commute_register(data string)

func init() { commute_register(%s) }
`, name, strconv.Quote(text))
}

// A sourceError is an error in the user's source, which has its own position.
type sourceError struct{ text string }

func (e *sourceError) Error() string { return e.text }

// problemError words problems as the compiler words errors.
func problemError(fset *token.FileSet, problems []directive.Problem) error {
	var lines []string
	for _, p := range problems {
		lines = append(lines, fmt.Sprintf("%s: %s", fset.Position(p.Pos), p.Message))
	}
	return &sourceError{strings.Join(lines, "\n")}
}

// dependency reports whether file belongs to a module that the user cannot
// change: one in the module cache or vendored. Its comments are read as well as
// they can be.
func dependency(file string) bool {
	for elem := range strings.FieldsFuncSeq(file, func(r rune) bool { return r == '/' || r == '\\' }) {
		if elem == "vendor" || strings.Contains(elem, "@v") {
			return true
		}
	}
	return false
}

// sites adds the calls of watched types' methods. What does not type-check
// is left to the compiler to complain about.
func (u *unit) sites(fset *token.FileSet, files []*ast.File, watched []directive.Type, r *directive.Registration) error {
	cfg, err := u.ReadImportCfg()
	if err != nil {
		return err
	}
	info := &types.Info{
		Uses:       make(map[*ast.Ident]types.Object),
		Selections: make(map[*ast.SelectorExpr]*types.Selection),
	}
	conf := types.Config{
		Importer:  archives(fset, cfg),
		GoVersion: u.Lang,
		Error:     func(error) {},
	}
	pkg, _ := conf.Check(u.Package, fset, files, info)
	if pkg == nil {
		return nil
	}
	finder := &directive.Finder{Types: watched, Info: info, Pkg: pkg}
	for _, site := range finder.Sites(files) {
		r.Site(site)
	}
	return nil
}

// archives imports the packages of an import configuration.
func archives(fset *token.FileSet, cfg *command.ImportCfg) types.Importer {
	gc := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) {
		file, ok := cfg.PackageFile[path]
		if !ok {
			return nil, fmt.Errorf("no archive of package %s", path)
		}
		return os.Open(file)
	})
	return importerFunc(func(path string) (*types.Package, error) {
		if path == "unsafe" {
			return types.Unsafe, nil
		}
		if mapped, ok := cfg.ImportMap[path]; ok {
			path = mapped
		}
		return gc.Import(path)
	})
}

type importerFunc func(path string) (*types.Package, error)

func (f importerFunc) Import(path string) (*types.Package, error) { return f(path) }
