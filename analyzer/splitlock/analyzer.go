// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package splitlock

import (
	_ "embed"
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"github.com/commutego/commute/analyzer/directive"
	"github.com/commutego/commute/analyzer/internal/docs"
	"github.com/commutego/commute/analyzer/section"
	"github.com/commutego/commute/analyzer/transaction"
	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/toolchain/load"
	"golang.org/x/tools/go/analysis"
)

//go:embed doc.go
var doc string

// Analyzer reports functions that read a variable in one critical section, and write it in a later
// one depending on the value that they read.
var Analyzer = &analysis.Analyzer{
	Name: "splitlock",
	Doc:  docs.Section(doc, "splitlock"),
	URL:  "https://pkg.go.dev/github.com/commutego/commute/analyzer/splitlock",
	Run:  run,
}

var level string

func init() {
	Analyzer.Flags.StringVar(&level, "level", Likely,
		"which pairs are reported: likely, or all")
}

// The levels.
const (
	Likely = "likely"
	All    = "all"
)

// The categories of diagnostics are kinds of findings that commute explain knows.
const (
	LostUpdate    = "lost-update"
	StaleCheck    = "stale-check"
	DuplicateWork = "duplicate-work"
)

// Mentioned reports, by its text, whether a file may have a pair.
func Mentioned(text string) bool {
	return strings.Contains(text, "Lock()") || strings.Contains(text, `"sync/atomic"`)
}

func run(pass *analysis.Pass) (any, error) {
	if level != Likely && level != All {
		return nil, fmt.Errorf("-splitlock.level=%s: give likely or all", level)
	}
	pkg := load.Checked(pass.Fset, pass.Files, pass.Pkg, pass.TypesInfo)
	marked, _ := transaction.Find(pass.Pkg.Path(), pass.Fset, pass.Files)
	l := &linter{pass: pass, ignored: ignored(pass), not: marked.Not}
	for _, s := range section.Suspects(pkg) {
		if (level == All || likely(&s)) && !l.excluded(&s) {
			l.report(&s)
		}
	}
	return nil, nil
}

// A linter reports the pairs of a package.
type linter struct {
	pass    *analysis.Pass
	ignored map[string]bool        // file:line of //commute:ignore
	not     map[*ast.FuncDecl]bool // with //commute:notatomic
	told    map[[2]token.Pos]bool
}

// ignored lists the lines with //commute:ignore.
func ignored(pass *analysis.Pass) map[string]bool {
	lines := make(map[string]bool)
	for _, file := range pass.Files {
		directives, _ := directive.Scan(pass.Fset, file)
		for _, d := range directives {
			if d.Verb == directive.Ignore {
				lines[fmt.Sprintf("%s:%d", pass.Fset.Position(d.Pos).Filename, d.Line)] = true
			}
		}
	}
	return lines
}

// excluded reports whether a pair is in a test, has been reported already, or is to be ignored: its
// function is not meant to be atomic, or //commute:ignore stands on the line of a side, or of the
// unlock or the lock in between.
func (l *linter) excluded(s *section.Suspect) bool {
	places := []token.Pos{s.Check.Pos, s.Act.Pos}
	for _, call := range slices.Concat(s.Check.Bounds, s.Act.Bounds) {
		places = append(places, call.Pos())
	}
	for _, pos := range places {
		at := l.pass.Fset.Position(pos)
		if !pos.IsValid() || strings.HasSuffix(at.Filename, "_test.go") ||
			l.ignored[fmt.Sprintf("%s:%d", at.Filename, at.Line)] {
			return true
		}
	}
	for fn := range l.not {
		if fn.Pos() <= s.Func.Pos() && s.Func.End() <= fn.End() {
			return true
		}
	}
	key := [2]token.Pos{s.Check.Pos, s.Act.Pos}
	if l.told == nil {
		l.told = make(map[[2]token.Pos]bool)
	}
	told := l.told[key]
	l.told[key] = true
	return told
}

// category is the kind of finding that a shape is.
func category(s compiled.Shape) string {
	switch s {
	case compiled.LostUpdate:
		return LostUpdate
	case compiled.Created, compiled.Computed:
		return DuplicateWork
	}
	return StaleCheck
}

// report reports a pair at its act.
func (l *linter) report(s *section.Suspect) {
	check := l.pass.Fset.Position(s.Check.Pos)
	act := l.pass.Fset.Position(s.Act.Pos)
	where := fmt.Sprintf("line %d", check.Line)
	if check.Filename != act.Filename {
		where = check.String()
	}
	gap := fmt.Sprintf("%s is free in between", s.Lock)
	if s.Atomic {
		gap = "these are two operations"
	}
	d := analysis.Diagnostic{Pos: s.Act.Pos, Category: category(s.Shape),
		Message: fmt.Sprintf("%s %s (%s), and %s: %s", s.Name, does(s), where, gap,
			harm(s.Shape)),
		Related:        l.related(s),
		SuggestedFixes: l.fixes(s),
	}
	l.pass.Report(d)
}

// does says what the act does with a variable.
func does(s *section.Suspect) string {
	switch {
	case s.First:
	case s.Shape == compiled.LostUpdate:
		return "is set to what is computed from an earlier read"
	case s.Shape == compiled.DeletedAfter:
		return "is removed or replaced because of an earlier read"
	case s.Shape == compiled.Exceeded:
		return "grows because of an earlier read"
	}
	return "is set because of an earlier read"
}

// harm says what another goroutine can do.
func harm(s compiled.Shape) string {
	switch s {
	case compiled.LostUpdate:
		return "a change by another goroutine is lost"
	case compiled.DeletedAfter:
		return "another goroutine may have replaced it, or go on with it"
	case compiled.Created, compiled.Computed:
		return "two goroutines can both do it, and one result is lost"
	case compiled.Exceeded:
		return "two goroutines can both pass the limit"
	}
	if s == compiled.Registered {
		return "two goroutines can both do it, and both are told that they were the first"
	}
	return "two goroutines can both do what the check guards"
}

// related are the check, and where the lock is let go and taken again.
func (l *linter) related(s *section.Suspect) (list []analysis.RelatedInformation) {
	add := func(pos token.Pos, text string) {
		if pos.IsValid() {
			list = append(list, analysis.RelatedInformation{Pos: pos, Message: text})
		}
	}
	by := ""
	if s.Check.Callee != "" {
		by = ", by " + s.Check.Callee
	}
	add(s.Check.Pos, "the check: "+s.Name+" is read"+by)
	for _, call := range s.Check.Bounds {
		add(call.Pos(), s.Lock+" is let go")
	}
	for _, call := range s.Act.Bounds {
		add(call.Pos(), s.Lock+" is taken again")
	}
	return list
}

// likely reports whether a pair is of a kind of which a good part do harm. An exported function
// makes both sides itself: others are often called by one goroutine only. What it writes is
// computed from what it read, or removes what others may have replaced. An atomic variable must
// have a name: what a pointer leads to may have changed.
func likely(s *section.Suspect) bool {
	fn, ok := s.Func.(*ast.FuncDecl)
	return ok && fn.Name.IsExported() && s.Direct && s.Named &&
		(s.Shape == compiled.LostUpdate || s.Shape == compiled.DeletedAfter)
}
