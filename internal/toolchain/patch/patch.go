// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package patch changes the declarations of the standard library that commute
// has to change to see a program's synchronization: runtime and internal/race
// (where the race detector's hooks are), sync/atomic, sync and testing. All
// originals come from the user's GOROOT; one that is not as expected is an
// error that names the release, the package and the declaration.
//
// Input: the path and the files of a package that is being compiled. Output:
// the files to compile in their place.
package patch

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"

	"github.com/commutego/commute/internal/toolchain/edit"
)

// A Package is a package of the standard library in the making.
type Package struct {
	Path      string
	GoVersion string            // for messages
	Files     []string          // paths of the files, in order
	Changed   map[string][]byte // by path: the new contents of one of Files
	Removed   map[string]bool   // those of Files that are left out
	Added     []Added

	// Where Files are changed, and which of them are relied on as a whole: for the table of what
	// is.
	Edited map[string][]int // by path, offsets in the original
	Whole  []string         // paths

	fset *token.FileSet
}

// Added is a new file of the package.
type Added struct {
	Name string
	Data []byte // with a line directive, if it needs one
}

// New returns a package with nothing changed yet.
func New(path, goVersion string, files []string) *Package {
	return &Package{
		Path:      path,
		GoVersion: goVersion,
		Files:     files,
		Changed:   make(map[string][]byte),
		Removed:   make(map[string]bool),
		Edited:    make(map[string][]int),
		fset:      token.NewFileSet(),
	}
}

// unexpected reports that the package lacks a declaration that commute changes.
func (p *Package) unexpected(what string) error {
	return fmt.Errorf("this commute does not know the package %s of %s: %s", p.Path, p.GoVersion, what)
}

// file returns the path of the file called name, if the package has it.
func (p *Package) file(name string) (string, error) {
	for _, f := range p.Files {
		if filepath.Base(f) == name {
			return f, nil
		}
	}
	return "", p.unexpected("it has no file " + name)
}

// A parsed file, with the edits to make in it.
type parsed struct {
	pkg    *Package
	path   string
	data   []byte
	syntax *ast.File
	edits  []edit.Edit
}

// parse reads and parses the file called name.
func (p *Package) parse(name string) (*parsed, error) {
	path, err := p.file(name)
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	syntax, err := parser.ParseFile(p.fset, path, data, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	return &parsed{pkg: p, path: path, data: data, syntax: syntax}, nil
}

// offset returns where pos lies in the file, whatever its line directives say.
func (f *parsed) offset(pos token.Pos) int { return f.pkg.fset.PositionFor(pos, false).Offset }

func (f *parsed) insert(pos token.Pos, text string) {
	at := f.offset(pos)
	f.edits = append(f.edits, edit.Edit{Start: at, End: at, Text: text})
}

// importPackage adds an import on the line of the package clause, so that no
// line moves.
func (f *parsed) importPackage(path string) {
	for _, spec := range f.syntax.Imports {
		if spec.Path.Value == `"`+path+`"` {
			return
		}
	}
	f.insert(f.syntax.Name.End(), `; import "`+path+`"`)
}

// done makes the edits.
func (f *parsed) done() error {
	data, err := edit.Apply(f.data, f.edits)
	if err != nil {
		return err
	}
	f.pkg.Changed[f.path] = data
	for _, e := range f.edits {
		f.pkg.Edited[f.path] = append(f.pkg.Edited[f.path], e.Start)
	}
	return nil
}

// method returns the declaration of (*recv).name, or of the function name if
// recv is empty.
func (f *parsed) method(recv, name string) (*ast.FuncDecl, error) {
	for _, decl := range f.syntax.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok || fn.Name.Name != name || fn.Body == nil || receiver(fn) != recv {
			continue
		}
		return fn, nil
	}
	full := name
	if recv != "" {
		full = "(*" + recv + ")." + name
	}
	return nil, f.pkg.unexpected(filepath.Base(f.path) + " does not declare " + full)
}

// receiver returns the name of the type that fn is a pointer method of.
func receiver(fn *ast.FuncDecl) string {
	if fn.Recv == nil || len(fn.Recv.List) != 1 {
		return ""
	}
	if star, ok := fn.Recv.List[0].Type.(*ast.StarExpr); ok {
		if id, ok := star.X.(*ast.Ident); ok {
			return id.Name
		}
	}
	return "?"
}
