// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"sort"

	"github.com/commutego/commute/internal/toolchain/edit"
	"github.com/commutego/commute/internal/toolchain/load"
)

// A loop that takes no lock and waits for nothing is in one section as a whole, or in none. If it
// has touches, it is written twice: as it was, and with them. Which of the two runs is decided at
// its begin:
//
//	for i := range x.list {...}
//	if commute_untouched() { for i := range x.list {...} } else { for i := range ... {...} }
//
// So a loop costs what it costs without touches while no section is followed. If that begins while
// the loop runs, its touches are left out: it is in no section that has begun since.

// maxTwice is how long a loop may be that is written twice, in bytes.
const maxTwice = 4 << 10

// A span is a loop that is written twice.
type span struct {
	from, to token.Pos
	inserts  []insert
}

// twice returns the inserts, with those of loops that are written twice in these.
func (g *generator) twice(others map[string][]edit.Edit) []insert {
	spans := g.spans(others)
	if len(spans) == 0 {
		return g.inserts
	}
	var all []insert
	at := 0
	for _, in := range g.inserts {
		for at < len(spans) && in.pos >= spans[at].to {
			at++
		}
		if at < len(spans) && in.pos > spans[at].from {
			spans[at].inserts = append(spans[at].inserts, in)
		} else {
			all = append(all, in)
		}
	}
	for i := range spans {
		s := &spans[i]
		begin := g.position(s.from)
		all = append(all,
			insert{pos: s.from, text: "if commute_untouched() { ", rank: begins},
			insert{pos: s.to, text: " } else { " + begin + g.text(s) + " }" + g.position(s.to),
				rank: ends, exact: true})
	}
	slices.SortStableFunc(all, inOrder)
	return all
}

// text is the code of a span with what is inserted.
func (g *generator) text(s *span) string {
	f := g.fileOf(s.from)
	from, to := g.pkg.Source.Offset(s.from), g.pkg.Source.Offset(s.to)
	edits := g.editsOf(f, s.inserts)
	for i := range edits {
		edits[i].Start -= from
		edits[i].End -= from
	}
	text, err := edit.Apply(f.Src[from:to], edits)
	if err != nil {
		panic(fmt.Sprintf("%s: %v", f.Name, err)) // the whole file's edits would overlap as well
	}
	return string(text)
}

// spans finds the loops that are written twice, in the order of inserts.
func (g *generator) spans(others map[string][]edit.Edit) (spans []span) {
	l := &leaves{g: g, others: others, decls: make(map[*types.Func]*ast.FuncDecl),
		leaf: make(map[*types.Func]bool)}
	for _, f := range g.files {
		for _, d := range f.AST.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok {
				if obj, ok := g.info.Defs[fn.Name].(*types.Func); ok {
					l.decls[obj] = fn
				}
			}
		}
	}
	for _, f := range g.files {
		ast.PreorderStack(f.AST, nil, func(n ast.Node, stack []ast.Node) bool {
			s, ok := spanOf(n, stack)
			if !ok || !l.worth(f, &s) || l.waits(n) {
				return true
			}
			spans = append(spans, s)
			return false
		})
	}
	return spans
}

// spanOf is a loop that has no label.
func spanOf(n ast.Node, stack []ast.Node) (s span, ok bool) {
	switch n.(type) {
	case *ast.ForStmt, *ast.RangeStmt:
		switch stack[len(stack)-1].(type) {
		case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
			return span{from: n.Pos(), to: n.End()}, true
		}
	}
	return s, false
}

// leaves finds code that takes no lock and waits for nothing, nor does what it calls.
type leaves struct {
	g      *generator
	others map[string][]edit.Edit
	decls  map[*types.Func]*ast.FuncDecl
	leaf   map[*types.Func]bool // false also while it is being found, as of a recursive function
}

// worth reports whether a loop has touches, and may be written twice. It may not where something
// else is inserted: that would have to be in both.
func (l *leaves) worth(f *load.File, s *span) bool {
	all := l.g.inserts // they are sorted
	i := sort.Search(len(all), func(i int) bool { return all[i].pos > s.from })
	if i == len(all) || all[i].pos >= s.to || s.to-s.from > maxTwice ||
		l.g.position(s.from) == "" {
		return false
	}
	from, to := l.g.pkg.Source.Offset(s.from), l.g.pkg.Source.Offset(s.to)
	if bytes.Contains(f.Src[from:to], []byte("//line ")) ||
		bytes.Contains(f.Src[from:to], []byte("/*line ")) {
		return false
	}
	return !slices.ContainsFunc(l.others[f.Name], func(e edit.Edit) bool {
		return e.Start <= to && from <= e.End
	})
}

// waits reports whether code may take a lock or wait, or can't be written twice: a type that it
// declares would be two.
func (l *leaves) waits(n ast.Node) (waits bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt, *ast.DeferStmt, *ast.SelectStmt, *ast.SendStmt, *ast.FuncLit,
			*ast.LabeledStmt, *ast.TypeSpec:
			waits = true
		case *ast.BranchStmt:
			waits = waits || n.Tok == token.GOTO
		case *ast.UnaryExpr:
			waits = waits || n.Op == token.ARROW
		case *ast.RangeStmt:
			waits = waits || !l.plainRange(n)
		case *ast.CallExpr:
			waits = waits || !l.plainCall(n)
		}
		return !waits
	})
	return waits
}

// plainRange reports whether a loop is over no channel and no function.
func (l *leaves) plainRange(n *ast.RangeStmt) bool {
	t := l.g.info.TypeOf(n.X)
	if t == nil {
		return false
	}
	switch t.Underlying().(type) {
	case *types.Basic, *types.Slice, *types.Array, *types.Pointer, *types.Map:
		return true
	}
	return false
}

// plainCall reports whether a call neither takes a lock nor waits.
func (l *leaves) plainCall(call *ast.CallExpr) bool {
	tv := l.g.info.Types[call.Fun]
	switch {
	case tv.IsType():
		return true
	case tv.IsBuiltin():
		id, ok := ast.Unparen(call.Fun).(*ast.Ident)
		return !ok || id.Name != "close" && id.Name != "recover"
	}
	fn := callee(l.g.info, call)
	if fn == nil || fn.Pkg() == nil {
		return false
	}
	switch fn.Pkg().Path() {
	case "cmp", "math", "math/bits", "unicode", "unicode/utf8":
		return true
	}
	fn = fn.Origin()
	leaf, known := l.leaf[fn]
	if !known {
		l.leaf[fn] = false
		decl := l.decls[fn]
		leaf = decl != nil && decl.Body != nil && !l.waits(decl.Body)
		l.leaf[fn] = leaf
	}
	return leaf
}
