// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package transaction

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// A Mark is code that is one transaction.
type Mark struct {
	Node ast.Node // an *ast.FuncDecl, *ast.FuncLit or *ast.BlockStmt
	// Name is the function's, as in stack traces. The name of a function literal or a block begins
	// with that of the function, or of the variable, in which it stands.
	Name string
}

// Marked is the marked code of a package.
type Marked struct {
	Marks []Mark
	Not   map[*ast.FuncDecl]bool // functions with //commute:notatomic
}

// Find returns the annotated code of the package at path, and diagnostics for its annotations. The
// files must have been parsed with comments.
func Find(path string, fset *token.FileSet, files []*ast.File) (Marked, []analysis.Diagnostic) {
	f := &finder{
		Marked:      Marked{Not: make(map[*ast.FuncDecl]bool)},
		fset:        fset,
		files:       files,
		pkg:         escape(path),
		marked:      make(map[ast.Node]bool),
		annotatedBy: make(map[*ast.FuncDecl]*annotation),
	}
	for _, file := range files {
		list := annotations(file)
		if len(list) == 0 {
			continue
		}
		if f.names == nil {
			f.names = names(path, files)
		}
		f.places = readPlaces(fset, file)
		for i := range list {
			f.place(&list[i])
		}
	}
	for fn := range f.Not {
		if a := f.annotatedBy[fn]; a != nil {
			f.fail(a, "%s is marked both atomic and notatomic (drop one)", fn.Name.Name)
		}
	}
	slices.SortStableFunc(f.problems,
		func(a, b analysis.Diagnostic) int { return int(a.Pos - b.Pos) })
	f.Marks = f.withoutExcluded()
	return f.Marked, f.problems
}

// A finder collects the marks of a package.
type finder struct {
	Marked
	fset   *token.FileSet
	files  []*ast.File
	pkg    string // as in names
	names  map[*ast.FuncDecl]string
	marked map[ast.Node]bool
	// the annotation of a function itself, not of its type
	annotatedBy map[*ast.FuncDecl]*annotation
	places      *places // of the present file
	problems    []analysis.Diagnostic
}

// fail adds a diagnostic for an annotation.
func (f *finder) fail(a *annotation, format string, args ...any) *analysis.Diagnostic {
	f.problems = append(f.problems, analysis.Diagnostic{Pos: a.Pos(), End: a.End(),
		Message: fmt.Sprintf(format, args...)})
	return &f.problems[len(f.problems)-1]
}

// withoutExcluded drops the marks that functions have from their types and that //commute:notatomic
// takes away. Find calls it last, because a function may be declared before its type.
func (f *finder) withoutExcluded() (marks []Mark) {
	for _, m := range f.Marks {
		if fn, ok := m.Node.(*ast.FuncDecl); !ok || !f.Not[fn] {
			marks = append(marks, m)
		}
	}
	return marks
}

// mark adds a mark, unless the node has one.
func (f *finder) mark(node ast.Node, name string) {
	if !f.marked[node] {
		f.marked[node] = true
		f.Marks = append(f.Marks, Mark{node, name})
	}
}

// place finds the target of an annotation and marks it. A comment that is nearly an annotation is
// reported if something could be its target; otherwise it is prose.
func (f *finder) place(a *annotation) {
	target := f.places.target(a)
	switch {
	case a.form == spaced && !(target.doc && a.atParagraphEdge()):
		if !target.doc && target.node != nil && !target.trailing && len(a.group.List) == 1 {
			f.failNear(a, "//"+Atomic, "outside of doc comments, // atomic is prose")
		}
		return
	case a.form == miss && target.node == nil && !strings.HasPrefix(a.Text, prefix):
		return // prose
	case a.form == lone:
		if f.above(a, target) {
			f.failNear(a, a.want, fmt.Sprintf("%s is no annotation", strings.TrimSpace(a.Text)))
		}
		return
	case a.form == miss:
		f.failNear(a, a.want, fmt.Sprintf("%s is no annotation", firstWord(a.Text)))
		return
	case a.verb == NotAtomic:
		f.exclude(a, target)
		return
	}
	switch node := target.node.(type) {
	case nil:
		f.misplaced(a, target)
	case *ast.FuncDecl:
		f.function(a, node)
	case *ast.GenDecl:
		for _, spec := range node.Specs {
			f.typ(a, spec.(*ast.TypeSpec))
		}
	case *ast.TypeSpec:
		f.typ(a, node)
	case *ast.FuncLit:
		f.mark(node, f.within(target)+" function literal")
	case *ast.BlockStmt:
		if fn, ok := target.function.(*ast.FuncDecl); ok && unmarkable(fn) != "" {
			f.fail(a, "%s", unmarkable(fn))
			return
		}
		f.mark(node, f.within(target)+" block")
	default:
		f.statement(a, node)
	}
}

// above reports whether a comment of one word stands alone above a function: at the line above it,
// or as a paragraph of its doc comment.
func (f *finder) above(a *annotation, t target) bool {
	spaced := strings.HasPrefix(a.Text, "// ")
	i := slices.Index(a.group.List, a.Comment)
	first, last := i == 0 || a.blank(i-1), i == len(a.group.List)-1 || a.blank(i+1)
	switch t.node.(type) {
	case *ast.FuncDecl:
		return first && (last || !spaced)
	case *ast.FuncLit, *ast.BlockStmt:
		return first && last && !t.trailing && !spaced && strings.HasPrefix(a.Text, "//")
	}
	return false
}

// firstWord is the beginning of a comment, as messages show it.
func firstWord(comment string) string {
	text := strings.TrimPrefix(comment, "//")
	space := text[:len(text)-len(strings.TrimLeft(text, " \t"))]
	word, _, _ := strings.Cut(text[len(space):], " ")
	return "//" + space + word
}

// failNear reports a comment that is nearly an annotation, with the annotation as a fix.
func (f *finder) failNear(a *annotation, want, text string) {
	word, _, _ := strings.Cut(want, " ")
	f.fail(a, "%s; did you mean %s?", text, word).SuggestedFixes = []analysis.SuggestedFix{{
		Message:   "Write it as an annotation",
		TextEdits: []analysis.TextEdit{{Pos: a.Pos(), End: a.End(), NewText: []byte(want)}},
	}}
}

// within names the function or variable in which a literal or a block stands.
func (f *finder) within(t target) string {
	if t.owner != nil {
		return f.names[t.owner]
	}
	return f.pkg + "." + t.variable
}

// misplaced reports an annotation without a target. Beside a variable or a field it is prose, which
// says that the variable is accessed with sync/atomic.
func (f *finder) misplaced(a *annotation, t target) {
	switch {
	case t.several:
		f.fail(a,
			"there are several functions or blocks on this line (put each on a line of its own)")
	case a.form != directive && t.variables:
	default:
		f.fail(a, "%s belongs to no function, type or block (put it on the line above one, or "+
			"behind the brace that opens it)", firstWord(a.Text))
	}
}

// exclude notes //commute:notatomic, which belongs to a function and needs a reason.
func (f *finder) exclude(a *annotation, t target) {
	if fn, ok := t.node.(*ast.FuncDecl); ok {
		f.Not[fn] = true
		reason := strings.TrimPrefix(a.Text, prefix+NotAtomic)
		if strings.TrimSpace(strings.TrimRight(reason, "\r")) == "" {
			f.fail(a, "%s%s needs a reason: write %[1]s%[2]s and why", prefix, NotAtomic)
		}
		return
	}
	f.fail(a, "%s%s belongs to no function or method (put it in the doc comment of one)", prefix,
		NotAtomic)
}

// function marks a function.
func (f *finder) function(a *annotation, fn *ast.FuncDecl) {
	if text := unmarkable(fn); text != "" {
		f.fail(a, "%s", text)
		return
	}
	f.annotatedBy[fn] = a
	f.mark(fn, f.names[fn])
}

// unmarkable returns the reason why no code can be added to a function, "" if it can. The hooks of
// a transaction need stack, which a nosplit function may not have.
func unmarkable(fn *ast.FuncDecl) string {
	if fn.Body == nil {
		return fn.Name.Name + " has no body in Go that could be marked (mark what calls it)"
	}
	if fn.Doc != nil {
		for _, c := range fn.Doc.List {
			switch word, _, _ := strings.Cut(c.Text, " "); word {
			case "//go:nosplit", "//go:norace":
				return fmt.Sprintf("%s is %s, so that nothing can be added to it (mark "+
					"what calls it)", fn.Name.Name, word)
			}
		}
	}
	return ""
}

// statement reports an annotation over a statement that is not a block, though it has some.
func (f *finder) statement(a *annotation, node ast.Node) {
	var d *analysis.Diagnostic
	switch node.(type) {
	case *ast.CaseClause, *ast.CommClause:
		f.fail(a, "a case is not a block (put its statements into one, and mark that)")
		return
	case *ast.IfStmt:
		d = f.fail(a, "//atomic would leave out the condition of the if statement (put the whole "+
			"statement into a block, and mark that)")
	default:
		d = f.fail(a, "the statement is not a block (put it into one, and mark that)")
	}
	at := f.fset.PositionFor(node.Pos(), false)
	indent := "\n" + strings.Repeat("\t", at.Column-1)
	if f.fset.PositionFor(a.Pos(), false).Line == at.Line {
		return // the comment would have to move
	}
	d.SuggestedFixes = []analysis.SuggestedFix{{
		Message: "Put the statement into a block",
		TextEdits: []analysis.TextEdit{
			{Pos: node.Pos(), End: node.Pos(), NewText: []byte("{" + indent)},
			{Pos: node.End(), End: node.End(), NewText: []byte(indent + "}")},
		},
	}}
}
