// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package patch changes the declarations of the standard library that hide a program's
// synchronization from commute, or would change its behaviour when hooks are on.
//
// Input: the path and the files of a package that is being compiled. Output: the files to compile
// in their place. All originals come from the user's GOROOT. A patch looks for the shape of the
// code, not for its text. If a declaration is not as expected, nothing is built, and the error
// names the release, the package and the declaration.
//
// # Terms
//
//	hook      a function that announces an event: of package runtime, or of internal/race
//	template  a file of package runtime that is commute's own, in the folder template
//	hooked    of a function of sync/atomic: a copy that announces the operation
//	plain     of a type of sync/atomic: a copy for sync.Map that announces nothing, or as such
//	memory    a build in which accesses to memory are watched (-datarace, -atomic)
//
// # What is changed
//
//	runtime        race0.go makes way for the templates and the engine; see below
//	internal/race  race.go takes the place of norace.go, so that the library announces events
//	sync           Cond and Pool announce the order they make; for memory, RWMutex its locks, and
//	               WaitGroup what is added
//	internal/sync  Mutex announces its locks, for memory; the map of sync.Map nothing, or by hooks
//	sync/atomic    each function has a hooked copy, which the methods and other packages call
//	testing        tests announce themselves; the turns of parallel tests and logs order nothing
//	syscall        I/O is announced by descriptor; see io.go
//	internal/poll  likewise; the lock of a descriptor orders nothing
//	net, os, ...   connections, signals and the end of children are announced; see poll.go
//	net/http, ...  locks by which the library keeps its books order nothing; see bookkeeping.go
//	reflect        one function is left uninstrumented, for memory: it has too little stack
//
// With race hooks on, package runtime does more than announce: it schedules at random, allocates
// otherwise and drops pooled objects. All of that is taken back, for a watched program has to
// behave as it does plain, at nearly its speed. Edits move no line, since reports show positions.
package patch

import (
	"fmt"
	"go/ast"
	"go/token"
	"path/filepath"

	"github.com/commutego/commute/internal/toolchain/edit"
	"github.com/commutego/commute/internal/toolchain/load"
)

// A Package is a package of the standard library and the changes of it so far.
type Package struct {
	Path      string
	GoVersion string   // for messages
	Files     []string // paths of the files, in order
	Source    *load.Package
	Explores  bool // schedules are explored
	Perturbs  bool // schedules are perturbed
	edit.Change
	// files that are relied on as a whole: for the table of the release
	Whole []string
}

// New returns a package with nothing changed yet.
func New(path, goVersion string, files []string) *Package {
	return Of(load.New(load.Config{Path: path, Names: files}), goVersion)
}

// Of returns a package that is loaded, with nothing changed yet.
func Of(source *load.Package, goVersion string) *Package {
	return &Package{
		Path:      source.Path,
		GoVersion: goVersion,
		Files:     source.Names,
		Source:    source,
	}
}

// Changed are the new contents of the edited files, by path.
func (p *Package) Changed() (map[string][]byte, error) {
	changed := make(map[string][]byte)
	for path, edits := range p.Edits {
		src, err := p.Source.Source(path)
		if err != nil {
			return nil, err
		}
		if changed[path], err = edit.Apply(src, edits); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	return changed, nil
}

// unexpected is the error for a package that isn't as a patch expects it.
func (p *Package) unexpected(what string) error {
	return fmt.Errorf("this commute does not know the package %s of %s: %s",
		p.Path, p.GoVersion, what)
}

// file returns the path of the file called name, which the package must have.
func (p *Package) file(name string) (string, error) {
	for _, f := range p.Files {
		if filepath.Base(f) == name {
			return f, nil
		}
	}
	return "", p.unexpected("it has no file " + name)
}

// A parsed is a file of a package that is edited.
type parsed struct {
	pkg    *Package
	path   string
	data   []byte
	syntax *ast.File
}

// parse reads and parses the file called name.
func (p *Package) parse(name string) (*parsed, error) {
	path, err := p.file(name)
	if err != nil {
		return nil, err
	}
	f, err := p.Source.File(path)
	if err != nil {
		return nil, err
	}
	return &parsed{pkg: p, path: path, data: f.Src, syntax: f.AST}, nil
}

// offset returns where pos lies in the file, whatever its line directives say.
func (f *parsed) offset(pos token.Pos) int { return f.pkg.Source.Offset(pos) }

// replace puts text in the place of what is from start to end.
func (f *parsed) replace(start, end token.Pos, text string) {
	e := edit.Edit{Start: f.offset(start), End: f.offset(end), Text: text}
	f.pkg.Edit(f.path, e)
}

func (f *parsed) insert(pos token.Pos, text string) { f.replace(pos, pos, text) }

// importPackage adds an import on the line of the package clause, so that no line moves.
func (f *parsed) importPackage(path string) {
	for _, spec := range f.syntax.Imports {
		if spec.Path.Value == `"`+path+`"` {
			return
		}
	}
	f.insert(f.syntax.Name.End(), `; import "`+path+`"`)
}

// method returns the declaration of (*recv).name, or of the function name if recv is empty.
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

// receiver returns the name of the type that fn is a pointer method of: "" for a function, and "?"
// for any other method.
func receiver(fn *ast.FuncDecl) string {
	if fn.Recv == nil || len(fn.Recv.List) != 1 {
		return ""
	}
	star, ok := fn.Recv.List[0].Type.(*ast.StarExpr)
	if !ok {
		return "?"
	}
	base := star.X
	switch x := base.(type) { // of a generic type
	case *ast.IndexExpr:
		base = x.X
	case *ast.IndexListExpr:
		base = x.X
	}
	if id, ok := base.(*ast.Ident); ok {
		return id.Name
	}
	return "?"
}
