// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package accessed

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"slices"

	"github.com/commutego/commute/internal/engine/compiled"
)

// A Package is the package that is looked at.
type Package struct {
	Fset  *token.FileSet
	Files []*ast.File
	Info  *types.Info
	// Place returns a position as reports show it: "file:line".
	Place func(token.Pos) string
}

// Find lists what the lines of a package access.
func Find(p *Package) *compiled.LineTable {
	f := &finder{Package: p, shared: make(map[*types.Var]bool),
		started: make(map[*ast.FuncLit]bool), lines: make(map[line]lineSet)}
	for _, file := range p.Files {
		f.share(file)
	}
	for _, file := range p.Files {
		for _, d := range file.Decls {
			f.decl(d)
		}
	}
	return f.table()
}

// A finder collects the accesses of lines.
type finder struct {
	*Package
	shared  map[*types.Var]bool   // variables of functions that may be on the heap
	started map[*ast.FuncLit]bool // literals that go statements start
	results []*types.Var          // shared results of the function that is looked at
	lines   map[line]lineSet
}

// A line is one of a file, by its base name.
type line struct {
	file   string
	number int
}

// A lineSet is what a line accesses, and how.
type lineSet map[name]compiled.AccessKind

// A name is what a variable or field is called, and where it is declared. The zero name stands for
// what has none.
type name struct {
	text string
	decl token.Pos
}

// A unit is a statement, or the part of one before its block.
type unit struct {
	*finder
	set    lineSet
	inside []*ast.FuncLit // literals in it
}

// add adds an access.
func (u *unit) add(k compiled.AccessKind, n name) {
	if k != 0 {
		u.set[n] |= k
	}
}

// unknown adds an access to what has no name.
func (u *unit) unknown(k compiled.AccessKind) { u.add(k, name{}) }

// unit lists what make adds for the lines from one position to another, but for those that are
// within literals. Then it looks at the literals.
func (f *finder) unit(from, to token.Pos, make func(u *unit)) {
	u := &unit{finder: f, set: lineSet{}}
	make(u)
	first, last := f.Fset.Position(from), f.Fset.Position(to)
	for n := first.Line; n <= last.Line && len(u.set) > 0; n++ {
		if !u.within(n) {
			f.list(line{filepath.Base(first.Filename), n}, u.set)
		}
	}
	for _, lit := range u.inside {
		f.function(nil, lit.Type, lit.Body, !f.started[lit])
	}
}

// within reports whether a line is between the braces of a literal.
func (u *unit) within(n int) bool {
	return slices.ContainsFunc(u.inside, func(lit *ast.FuncLit) bool {
		return u.Fset.Position(lit.Body.Lbrace).Line < n && n < u.Fset.Position(lit.Body.Rbrace).Line
	})
}

func (f *finder) list(l line, set lineSet) {
	if f.lines[l] == nil {
		f.lines[l] = lineSet{}
	}
	for n, k := range set {
		f.lines[l][n] |= k
	}
}

// decl looks at a declaration of the package.
func (f *finder) decl(d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Body != nil {
			f.function(d.Recv, d.Type, d.Body, false)
		}
	case *ast.GenDecl:
		f.unit(d.Pos(), d.End(), func(u *unit) { u.variables(d) })
	}
}

// function looks at a function or literal. What a literal captures may be known to others.
func (f *finder) function(recv *ast.FieldList, t *ast.FuncType, body *ast.BlockStmt, known bool) {
	outer := f.results
	defer func() { f.results = outer }()
	f.results = nil
	f.unit(t.Pos(), body.Lbrace, func(u *unit) {
		for _, list := range []*ast.FieldList{recv, t.Params, t.Results} {
			for _, v := range f.varsOf(list) {
				u.add(compiled.Writes, u.nameOf(v))
				if list == t.Results {
					f.results = append(f.results, v)
				}
			}
		}
		if known {
			u.unknown(both) // what it has captured
		}
	})
	f.unit(body.Rbrace, body.Rbrace, func(u *unit) { u.returned() })
	f.block(body.List)
}

// varsOf are the shared ones of parameters or results.
func (f *finder) varsOf(list *ast.FieldList) (vars []*types.Var) {
	if list == nil {
		return nil
	}
	for _, field := range list.List {
		for _, id := range field.Names {
			if v, ok := f.Info.Defs[id].(*types.Var); ok && f.shared[v] {
				vars = append(vars, v)
			}
		}
	}
	return vars
}

// returned adds the results of the function, which a return copies.
func (u *unit) returned() {
	for _, v := range u.results {
		u.add(compiled.Reads|compiled.Writes, u.nameOf(v))
	}
}

// nameOf names a variable that is no field.
func (u *unit) nameOf(v *types.Var) name { return name{v.Name(), v.Pos()} }

// table is what was found, in the order of files and lines. Lines that only access what has no name
// are left out: nothing is known of them.
func (f *finder) table() *compiled.LineTable {
	t := new(compiled.LineTable)
	files, names := make(map[string]uint32), map[name]uint32{{}: 0}
	order := slices.SortedFunc(maps.Keys(f.lines), func(a, b line) int {
		return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.number, b.number))
	})
	for _, l := range order {
		set := f.lines[l]
		if _, unknown := set[name{}]; unknown && len(set) == 1 {
			continue
		}
		file, ok := files[l.file]
		if !ok {
			file = uint32(len(t.Files))
			files[l.file] = file
			t.Files = append(t.Files, l.file)
		}
		for _, n := range slices.SortedFunc(maps.Keys(set), func(a, b name) int {
			return cmp.Or(cmp.Compare(a.text, b.text), cmp.Compare(a.decl, b.decl))
		}) {
			i, ok := names[n]
			if !ok {
				t.Names = append(t.Names, compiled.AccessName{Name: n.text, Decl: f.Place(n.decl)})
				i = uint32(len(t.Names))
				names[n] = i
			}
			t.Accesses = append(t.Accesses, compiled.LineAccess{Line: uint32(l.number), File: file,
				Kind: set[n], Name: i})
		}
	}
	return t
}
