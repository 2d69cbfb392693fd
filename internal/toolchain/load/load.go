// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package load reads, parses and type-checks the package that is being compiled, and builds its SSA
// form. Each of these is done when it is first asked for, and never again. So all passes share one
// syntax and one set of positions.
//
// Input: the names of a package's files, and where its imports are. Output: a [Package].
package load

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"strings"
	"sync"

	"golang.org/x/tools/go/ssa"
)

// Config describes a package: its path, its files and its imports.
type Config struct {
	Path  string   // the import path, as in the compiler's command line
	Names []string // paths of its files, in order
	Lang  string   // the version of the language, as in "go1.26"

	// Read returns the contents of a file; nil: they are read from the disk.
	Read func(name string) ([]byte, error)
	// Importer returns the importer for the packages that this one imports. It is called before the
	// first type check.
	Importer func(*token.FileSet) (types.Importer, error)
}

// A Package is one package. Its parts are read when they are first asked for. It must not be used
// by several goroutines at once.
type Package struct {
	Config
	Fset *token.FileSet
	Work Work

	files  map[string]*file
	errs   []error
	syntax func() ([]*File, error)
	types  func() (*Types, error)
	built  func() (*ssa.Package, error)
}

// Work counts the steps of work that were done, for tests.
type Work struct {
	Parsed  int // files
	Checked int // the package was type-checked
	Built   int // its SSA form was built
}

// A File is a parsed file.
type File struct {
	Name string
	Src  []byte
	AST  *ast.File // with comments, and with identifiers resolved within the file
}

// file is one file, as far as it has been asked for.
type file struct {
	File
	readErr, parseErr error
	wasRead, parsed   bool
}

// New returns a package without reading anything of it yet.
func New(conf Config) *Package {
	p := &Package{Config: conf, Fset: token.NewFileSet(), files: make(map[string]*file)}
	p.syntax = sync.OnceValues(p.parse)
	p.types = sync.OnceValues(p.check)
	p.built = sync.OnceValues(p.build)
	return p
}

// Checked returns a package that has been parsed and type-checked elsewhere.
func Checked(fset *token.FileSet, files []*ast.File, pkg *types.Package,
	info *types.Info) *Package {
	p := New(Config{Path: pkg.Path()})
	p.Fset = fset
	var list []*File
	for _, f := range files {
		list = append(list, &File{Name: fset.File(f.FileStart).Name(), AST: f})
	}
	p.syntax = func() ([]*File, error) { return list, nil }
	p.types = func() (*Types, error) { return &Types{Pkg: pkg, Info: info}, nil }
	return p
}

// Source returns the contents of one of the package's files.
func (p *Package) Source(name string) ([]byte, error) {
	f := p.file(name)
	return f.Src, f.readErr
}

// Sources reads all files, and returns the first error.
func (p *Package) Sources() error {
	for _, name := range p.Names {
		if _, err := p.Source(name); err != nil {
			return err
		}
	}
	return nil
}

// Any reports whether f holds for the contents of some file. It skips files that cannot be read.
func (p *Package) Any(f func(text string) bool) bool {
	for _, name := range p.Names {
		if src, err := p.Source(name); err == nil && f(string(src)) {
			return true
		}
	}
	return false
}

// file reads a file, once.
func (p *Package) file(name string) *file {
	f := p.files[name]
	if f == nil {
		f = &file{File: File{Name: name}}
		p.files[name] = f
	}
	if !f.wasRead {
		read := p.Read
		if read == nil {
			read = os.ReadFile
		}
		f.Src, f.readErr = read(name)
		f.wasRead = true
	}
	return f
}

// File returns one of the package's files, parsed.
func (p *Package) File(name string) (*File, error) {
	f := p.file(name)
	if f.readErr != nil {
		return nil, f.readErr
	}
	if !f.parsed {
		f.parsed = true
		p.Work.Parsed++
		f.AST, f.parseErr = parser.ParseFile(p.Fset, name, f.Src, parser.ParseComments)
		if f.parseErr != nil {
			p.errs = append(p.errs, f.parseErr)
		}
	}
	if f.parseErr != nil {
		return nil, f.parseErr
	}
	return &f.File, nil
}

// Files returns all files, parsed. The compiler reports their errors, too.
func (p *Package) Files() ([]*File, error) { return p.syntax() }

func (p *Package) parse() (list []*File, err error) {
	for _, name := range p.Names {
		f, err := p.File(name)
		if err != nil {
			return nil, err
		}
		list = append(list, f)
	}
	return list, nil
}

// Syntax returns the syntax of all files.
func (p *Package) Syntax() (list []*ast.File, err error) {
	files, err := p.Files()
	for _, f := range files {
		list = append(list, f.AST)
	}
	return list, err
}

// Readable returns the syntax of the files that can be parsed, as far as they can be.
func (p *Package) Readable() (list []*ast.File) {
	for _, name := range p.Names {
		p.File(name)
		if f := p.files[name]; f.AST != nil {
			list = append(list, f.AST)
		}
	}
	return list
}

// Offset returns the offset of a position in its file, regardless of line directives.
func (p *Package) Offset(pos token.Pos) int { return p.Fset.PositionFor(pos, false).Offset }

// Errors lists the errors in the package that the parser and the type checker have found.
func (p *Package) Errors() []error { return p.errs }

// Imports returns the imports of the files. It parses files that were not parsed yet only up to
// their imports, with positions that are not those of the package.
func (p *Package) Imports() (list []*ast.ImportSpec) {
	for _, name := range p.Names {
		f := p.file(name)
		if f.readErr != nil {
			continue
		}
		syntax := f.AST
		if !f.parsed {
			var err error
			syntax, err = parser.ParseFile(token.NewFileSet(), name, f.Src, parser.ImportsOnly)
			if err != nil {
				continue
			}
		}
		if syntax != nil {
			list = append(list, syntax.Imports...)
		}
	}
	return list
}

// isBodyless reports whether an error of the type checker is that a function has no body: it may be
// in assembly.
func isBodyless(err error) bool { return strings.Contains(err.Error(), "missing function body") }
