// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/commutego/commute/analyzer/section"
	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/toolchain/edit"
	"github.com/commutego/commute/internal/toolchain/load"
)

// A Package is the package that is instrumented.
type Package struct {
	Source *load.Package
	// Place returns a position as reports show it: "file:line". Line is one as the compiler records
	// it.
	Place func(token.Pos) string
	Line  func(token.Pos) compiled.Line
	// Name is the name of a function with pairs in stack traces. It is empty for a function to
	// which nothing can be added.
	Name func(ast.Node) string
	// Sizes are those of the platform that is compiled for.
	Sizes types.Sizes
}

// Output is the result: edits, see [Output.Edits], and the text of the file to add.
type Output struct {
	Added []byte
	// Profile is a profile for the compiler by which it inlines what it would without touches. It
	// has the form that "go tool preprofile" writes, and is empty if there is no such call.
	Profile []byte

	LeftOut []LeftOut // what could not be written

	generator *generator
}

// Edits are the edits, by the names of files. Others are those that are made for other reasons: a
// loop in which there is one is not written twice.
func (o *Output) Edits(others map[string][]edit.Edit) map[string][]edit.Edit {
	return o.generator.place(others)
}

// LeftOut is a touch or a lock site that could not be written, and why.
type LeftOut struct {
	Pos token.Pos
	Why string
}

// Generate writes the touches, lock sites and activations of a package. It returns nil if there is
// no function with pairs to which they can be added, nor facts for packages that import this one,
// or no touch.
func Generate(p *Package, r *section.Result) (*Output, error) {
	files, err := p.Source.Files()
	if err != nil {
		return nil, err
	}
	checked, err := p.Source.Types()
	if err != nil {
		return nil, err
	}
	g := &generator{
		pkg:   p,
		info:  checked.Info,
		files: files,
		reg: compiled.SectionRegistration{
			Touches: make([]compiled.SectionTouch, len(r.Touches)),
		},
		remote: make(map[*compiled.SectionTouch]*section.Remote),
		around: enclosing(files, r),
	}
	for i := range r.Touches {
		if at := r.Touches[i].Remote; at != nil {
			g.remote[&g.reg.Touches[i]] = at
		}
	}
	for i := range r.Funcs {
		g.function(&r.Funcs[i])
	}
	if len(g.reg.Funcs) == 0 && len(r.Facts) == 0 || len(r.Touches) == 0 {
		return nil, nil
	}
	for i := range r.Touches {
		if r.Touches[i].Remote == nil {
			g.touch(i, &r.Touches[i])
		}
	}
	whole := len(g.leftOut) == 0
	for i := range r.Locks {
		g.lock(i, &r.Locks[i], whole)
	}
	g.sort()
	return &Output{
		Profile:   g.profile(),
		Added:     g.added(files[0].AST.Name.Name, r),
		LeftOut:   append(g.leftOut, g.opaque...),
		generator: g,
	}, nil
}

// A generator instruments one package.
type generator struct {
	pkg    *Package
	info   *types.Info
	files  []*load.File
	reg    compiled.SectionRegistration
	locks  []compiled.LockSite
	remote map[*compiled.SectionTouch]*section.Remote // those that stand for another package's
	// around is what encloses an expression or statement, outermost first.
	around map[ast.Node][]ast.Node

	inserts []insert
	leftOut []LeftOut
	opaque  []LeftOut // atomic operations that were left out: no section is the poorer for it
}

// omit leaves something out.
func (g *generator) omit(pos token.Pos, why string) {
	g.leftOut = append(g.leftOut, LeftOut{pos, why})
}

// function writes the activation of a function with pairs.
func (g *generator) function(f *section.Func) {
	name := g.pkg.Name(f.Node)
	var body *ast.BlockStmt
	var begin token.Pos
	switch n := f.Node.(type) {
	case *ast.FuncDecl:
		body, begin = n.Body, n.Type.Func
	case *ast.FuncLit:
		body, begin = n.Body, n.Type.Func
	}
	if name == "" || body == nil || g.bare(f.Node) {
		return
	}
	var pairs []compiled.SectionPair
	for _, p := range f.Pairs {
		pairs = append(pairs, compiled.SectionPair{
			Check: &g.reg.Touches[p.Check], Act: &g.reg.Touches[p.Act],
			CheckBy: g.line(p.CheckBy), ActBy: g.line(p.ActBy),
			Shape: p.Shape, Value: p.Value, Fill: p.Fill, Always: p.Always,
			Latest: p.Latest,
		})
	}
	i := len(g.reg.Funcs)
	g.reg.Funcs = append(g.reg.Funcs, compiled.SectionFunc{
		Code:  compiled.AtomicCode{Name: name, Pos: g.pkg.Place(begin)},
		Pairs: pairs, Marked: f.Marked,
	})
	g.insert(body.Lbrace+1, fmt.Sprintf(" var commute_run%d commute_Run; commute_touchEnter("+
		"&commute_run%[1]d, &commute_paired[%[1]d]); defer commute_touchLeave(&commute_run%[1]d);",
		i))
}

// line is a position as the compiler records it; no line if it is not valid.
func (g *generator) line(pos token.Pos) (l compiled.Line) {
	if pos.IsValid() {
		l = g.pkg.Line(pos)
	}
	return l
}

// declaration is where a variable is declared, as reports show it.
func (g *generator) declaration(pos token.Pos) string {
	if !pos.IsValid() {
		return ""
	}
	return g.pkg.Place(pos)
}

// An insert is text that goes to one place of a file. Where several go to one place, those that
// end an expression come first, the innermost before, and those that begin one last, the outermost
// before.
type insert struct {
	pos  token.Pos
	text string
	rank int // of those at one place: lower ones first
	size token.Pos
	cut  int // how many bytes it takes the place of
	// exact is set if the text says itself what the position behind it is.
	exact bool
}

// The ranks.
const (
	ends      = iota // what ends an expression
	statement        // a statement of its own
	begins           // what begins an expression
)

// insert inserts statements.
func (g *generator) insert(pos token.Pos, text string) {
	g.inserts = append(g.inserts, insert{pos: pos, text: text, rank: statement})
}

// replace puts text in the place of a bracket.
func (g *generator) replace(pos token.Pos, text string) {
	g.inserts = append(g.inserts, insert{pos: pos, text: text, rank: begins, cut: 1})
}

// wrap puts an expression between two texts. The result is a variable, as the expression is, if
// the texts are those of a wrapper that returns its address. Wrappers that return a value stand
// around those, if an expression has several.
func (g *generator) wrap(e ast.Expr, before, after string) {
	size := 2 * (e.End() - e.Pos())
	if before[0] != '(' {
		size++
	}
	g.inserts = append(g.inserts,
		insert{pos: e.Pos(), text: before, rank: begins, size: -size},
		insert{pos: e.End(), text: after, rank: ends, size: size})
}

// place makes edits of the inserts, beside others.
func (g *generator) place(others map[string][]edit.Edit) map[string][]edit.Edit {
	edits := make(map[string][]edit.Edit)
	inserts := g.twice(others)
	for i := 0; i < len(inserts); {
		f, n := g.fileOf(inserts[i].pos), i
		for i < len(inserts) && inserts[i].pos <= f.AST.FileEnd {
			i++
		}
		edits[f.Name] = append(edits[f.Name], g.editsOf(f, inserts[n:i])...)
	}
	return edits
}

// sort sorts the inserts in the order in which they are in the files.
func (g *generator) sort() { slices.SortStableFunc(g.inserts, inOrder) }

func inOrder(a, b insert) int {
	return cmp.Or(cmp.Compare(a.pos, b.pos), cmp.Compare(a.rank, b.rank),
		cmp.Compare(a.size, b.size))
}

// editsOf makes edits of inserts in a file. What follows on the line keeps its column.
func (g *generator) editsOf(f *load.File, inserts []insert) (edits []edit.Edit) {
	for i, in := range inserts {
		at := g.pkg.Source.Offset(in.pos)
		text := in.text
		end := in.pos + token.Pos(in.cut)
		rest, _, _ := bytes.Cut(f.Src[at+in.cut:], []byte("\n"))
		last := i+1 == len(inserts) || inserts[i+1].pos != end
		if !in.exact && last && len(bytes.TrimSpace(rest)) > 0 {
			text += g.position(end)
		}
		edits = append(edits, edit.Edit{Start: at, End: at + in.cut, Text: text})
	}
	return edits
}

// position is a comment that gives what follows the position pos. It is empty where columns are not
// known.
func (g *generator) position(pos token.Pos) string {
	at := g.pkg.Source.Fset.Position(pos)
	if at.Column == 0 {
		return ""
	}
	return fmt.Sprintf("/*line :%d:%d*/", at.Line, at.Column)
}

// fileOf is the file that a position is in.
func (g *generator) fileOf(pos token.Pos) *load.File {
	for _, f := range g.files {
		if f.AST.FileStart <= pos && pos <= f.AST.FileEnd {
			return f
		}
	}
	return nil
}
