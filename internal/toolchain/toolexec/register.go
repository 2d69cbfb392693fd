// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package toolexec

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/commutego/commute/analyzer/annotation"
	"github.com/commutego/commute/analyzer/checkact"
	"github.com/commutego/commute/analyzer/directive"
	"github.com/commutego/commute/internal/toolchain/edit"
	"github.com/commutego/commute/internal/toolchain/exportdata"
	"github.com/commutego/commute/internal/toolchain/goenv"
	"github.com/commutego/commute/internal/toolchain/patch"
	"github.com/commutego/commute/specs"
)

// register adds a file that tells the engine of the package's directives, and
// of its calls and package-level variables of watched types, if there are any.
func (u *unit) register() error {
	var texts []string
	directives, vars := false, false
	for _, path := range u.Files {
		text := string(u.source[path])
		texts = append(texts, text)
		directives = directives || directive.Mentioned(text)
		vars = vars || strings.Contains(text, "\nvar")
	}
	watched := u.driver.watched()
	u.known = append(u.known, u.specs.Given...)
	for _, s := range u.specs.Given {
		watched = append(watched, directive.TypeOf(s))
	}
	watched = append(watched, u.requested()...)
	for _, a := range u.abstract {
		a.spec.Path = a.path
		u.known = append(u.known, a.spec)
		watched = append(watched, directive.TypeOf(a.spec))
	}
	sites := directive.Needed(watched, texts)
	own := slices.ContainsFunc(texts, annotation.Mentioned) || u.specs.any()
	watches := u.Watch && !u.Std
	if !directives && !sites && !vars && !own && !u.instrumented && !watches {
		return nil
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for i, path := range u.Files {
		file, err := parser.ParseFile(fset, path, texts[i], parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			u.unreadable(err)
			return nil // the compiler will say so
		}
		files = append(files, file)
	}
	if own {
		annotated, _ := annotation.Find(files, fset.Position, u.specs.own()...)
		for _, s := range annotated {
			s.Path = u.Package
			u.known = append(u.known, s)
			watched = append(watched, directive.TypeOf(s))
			sites = true
			if s.Object {
				u.named = append(u.named, s.Name)
			}
		}
	}
	sites = sites || u.instrumented
	r := &directive.Registration{Package: u.Package, Fset: fset, Trim: u.Trim, Tested: tested(u.Package)}
	if watches {
		r.Watched()
	}
	for _, file := range files {
		found, problems := directive.Scan(fset, file)
		if len(problems) > 0 && !u.dependency() {
			return problemError(fset, problems)
		}
		for _, d := range found {
			r.Directive(d)
		}
	}
	if sites || directive.GlobalsNeeded(watched, files) {
		if err := u.objects(fset, files, watched, r); err != nil {
			return err
		}
	}
	if r.Text() == "" && len(r.Globals()) == 0 {
		return nil
	}
	u.added = append(u.added, patch.Added{
		Name: "commute_register.go",
		Data: edit.WithLine("commute/register.go", registerFile(files[0].Name.Name, r)),
	})
	return nil
}

// tested reports whether the package is compiled to be tested, or as a program:
// then a directive that nothing was found for is worth a word.
func tested(pkg string) bool {
	return pkg == "main" || strings.Contains(os.Getenv("TOOLEXEC_IMPORTPATH"), " [")
}

// watched lists the types with a specification, whose calls are looked up.
func (c *Config) watched() []directive.Type {
	var list []directive.Type
	for _, spec := range c.Specs("") {
		if !specs.OnRequest(spec.Path) {
			list = append(list, directive.TypeOf(spec))
		}
	}
	return list
}

// eachImport calls f with the packages that the package imports, and their archives.
func (u *unit) eachImport(f func(path, file string)) error {
	cfg, err := u.ReadImportCfg()
	if err != nil {
		return err
	}
	for _, path := range u.imports() {
		if mapped, ok := cfg.ImportMap[path]; ok {
			path = mapped
		}
		if file, ok := cfg.PackageFile[path]; ok {
			f(path, file)
		}
	}
	return nil
}

// imports lists what the package's files import, but for what can only be the standard library's.
func (u *unit) imports() (paths []string) {
	for _, name := range u.Files {
		file, err := parser.ParseFile(token.NewFileSet(), name, u.source[name], parser.ImportsOnly)
		if err != nil {
			continue
		}
		for _, spec := range file.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			first, _, _ := strings.Cut(path, "/")
			own, _, _ := strings.Cut(u.Package, "/")
			if err == nil && (first == own || strings.Contains(first, ".")) && !slices.Contains(paths, path) {
				paths = append(paths, path)
			}
		}
	}
	return paths
}

// registerFile is a file of package name that hands r to the engine.
func registerFile(name string, r *directive.Registration) []byte {
	var b bytes.Buffer
	// The package may have something of its own that is called unsafe.
	fmt.Fprintf(&b, "package %s\n\nimport commute_unsafe \"unsafe\"\n", name)
	b.WriteString(`
//go:linkname commute_register runtime.commute_register
func commute_register(data string)

//go:linkname commute_global runtime.commute_global
//go:noescape
func commute_global(addr commute_unsafe.Pointer, size uintptr, text string)

func init() {
`)
	if r.Text() != "" {
		fmt.Fprintf(&b, "\tcommute_register(%s)\n", strconv.Quote(r.Text()))
	}
	for _, g := range r.Globals() {
		fmt.Fprintf(&b, "\tcommute_global(commute_unsafe.Pointer(&%s), commute_unsafe.Sizeof(%[1]s), %s)\n", g.Name, strconv.Quote(g.Text))
	}
	b.WriteString("}\n")
	return b.Bytes()
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

// RootVariable is the environment variable that tells the compiles of a build
// which folders the user's own modules are in, separated as a list of folders is.
const RootVariable = "COMMUTE_ROOT"

// dependency reports whether file belongs to a module that is not the user's to
// change: one in the module cache, vendored, or outside of the main module or
// workspace. Its comments are read as well as they can be.
//
// What the build says decides, not how a folder is called: the cache may be in
// the user's module, and that may have any name, or itself be in the cache. Of
// the folders that contain the file the innermost counts.
func dependency(file string) bool {
	file, err := filepath.Abs(file)
	if err != nil {
		return false
	}
	root := ""
	roots := filepath.SplitList(os.Getenv(RootVariable))
	for _, r := range roots {
		if goenv.Contains(r, file) && len(r) > len(root) {
			root = r
		}
	}
	if cache := goenv.ModCache(); goenv.Contains(cache, file) && len(cache) > len(root) {
		return true
	}
	if len(roots) > 0 {
		return root == "" || goenv.Contains(filepath.Join(root, "vendor"), file)
	}
	// Nothing is known of the main module: the go command was given the tool by hand.
	return slices.Contains(strings.Split(filepath.ToSlash(file), "/"), "vendor")
}

// objects adds the calls of watched types' methods, and the package-level
// variables of such types. What does not type-check is left to the compiler to
// complain about.
func (u *unit) objects(fset *token.FileSet, files []*ast.File, watched []directive.Type, r *directive.Registration) error {
	info := &types.Info{
		Uses:       make(map[*ast.Ident]types.Object),
		Selections: make(map[*ast.SelectorExpr]*types.Selection),
	}
	own := !u.dependency()
	if own {
		info = checkact.NewInfo()
	}
	pkg, err := u.typeCheck(fset, files, info)
	if pkg == nil || err != nil {
		return err
	}
	finder := &directive.Finder{Types: watched, Info: info, Pkg: pkg}
	sites := finder.Sites(files)
	for _, site := range sites {
		r.Site(site)
		if site.Twin {
			u.toTwin(fset, site.Call)
		}
	}
	if own && len(sites) > 0 {
		for _, pair := range u.checkAct(fset, files, pkg, info, sites) {
			r.CheckAct(pair.Check.Position, pair.Check.Method, pair.Act.Position, pair.Act.Method)
		}
	}
	globals := finder.Globals(fset, files)
	for _, name := range u.named {
		if v, ok := pkg.Scope().Lookup(name).(*types.Var); ok && !slices.ContainsFunc(globals, func(g directive.GlobalVar) bool { return g.Name == name }) {
			globals = append(globals, directive.GlobalVar{Name: name, Pos: v.Pos()})
		}
	}
	for _, g := range globals {
		r.Global(g)
	}
	return nil
}

// typeCheck checks the package, as far as that can be done.
func (u *unit) typeCheck(fset *token.FileSet, files []*ast.File, info *types.Info) (*types.Package, error) {
	cfg, err := u.ReadImportCfg()
	if err != nil {
		return nil, err
	}
	conf := types.Config{
		Importer: exportdata.Importer(fset, cfg.ImportMap, func(path string) (string, bool) {
			file, ok := cfg.PackageFile[path]
			return file, ok
		}),
		GoVersion: exportdata.Language(u.Lang),
		Error: func(err error) {
			if strings.Contains(err.Error(), "missing function body") { // it may be in assembly
				return
			}
			u.ill = true
			u.unreadable(err)
		},
	}
	pkg, _ := conf.Check(u.Package, fset, files, info)
	return pkg, nil
}
