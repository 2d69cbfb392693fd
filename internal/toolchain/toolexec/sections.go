// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package toolexec

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/types"
	"os"
	"slices"

	"github.com/commutego/commute/analyzer/section"
	"github.com/commutego/commute/analyzer/transaction"
	rewrite "github.com/commutego/commute/internal/rewrite/section"
	"github.com/commutego/commute/internal/toolchain/edit"
	"github.com/commutego/commute/internal/toolchain/target"
)

// criticalSections is the pass that announces what critical sections read and write. Where its
// wrappers don't compile, the package is compiled without it.
const criticalSections = "critical sections"

// VerboseVariable is the environment variable that is 1 if the user wants to know what is left out
// of a package, and why.
const VerboseVariable = "COMMUTE_VERBOSE"

// wrappersNeed is the language version of what the pass writes: its wrappers are generic.
const wrappersNeed = "go1.21"

// sections has the engine told of what critical sections read and write, in packages with functions
// that check in one section and act in a later one, or with methods of which importing packages may
// make such functions. Dependencies are no exception. The standard library is left as it is.
func (u *unit) sections() (change edit.Change, err error) {
	if u.Std {
		return change, nil
	}
	found := u.findSections()
	if len(found.Funcs) == 0 && len(found.Facts) == 0 {
		return change, nil
	}
	files, err := u.source.Syntax()
	if err != nil {
		return change, nil // the compiler will say so
	}
	if err := u.withdraw(found, files); err != nil {
		return change, err
	}
	out, err := rewrite.Generate(u.announced(files, found), found)
	if err != nil || out == nil {
		return change, nil // nor does an error of the type checker concern this pass
	}
	for _, l := range out.LeftOut {
		u.remark("%s: left out of %s: %s", u.source.Fset.Position(l.Pos), criticalSections, l.Why)
	}
	u.Needs(wrappersNeed)
	u.touches, u.announces, u.profile = out, true, out.Profile
	return edit.Change{Added: []edit.Added{{
		Name: "commute_sections.go",
		Data: edit.WithLine("commute/sections.go", out.Added),
	}}}, nil
}

// findSections finds the functions with pairs, and all that has to be announced for them. It never
// fails: a package that can't be analyzed has none.
func (u *unit) findSections() (r *section.Result) {
	defer func() {
		if v := recover(); v != nil {
			u.remark("package %s: no %s: %v", u.Package, criticalSections, v)
			r = new(section.Result)
		}
	}()
	facts := u.importedFacts()
	if !section.Concerns(u.source, facts) {
		return new(section.Result)
	}
	if t, err := u.source.Types(); err != nil || len(t.Errs) > 0 {
		return new(section.Result)
	}
	return section.Find(u.source, facts)
}

// withdraw takes back the functions that are not meant to be atomic. Of those that are marked, and
// checked as transactions, it takes back the value-independent ones. What these do if another
// goroutine comes in between can be predicted. Of one with a branch, only the sections tell.
func (u *unit) withdraw(r *section.Result, files []*ast.File) error {
	marked, err := u.marks(files)
	if err != nil {
		return err
	}
	checked := u.Watch && watchesMemory()
	independent := u.bracketed(files).ValueIndependent
	r.Funcs = slices.DeleteFunc(r.Funcs, func(f section.Func) bool {
		fn, ok := f.Node.(*ast.FuncDecl)
		return ok && marked.Not[fn] ||
			checked && isMarked(marked, f.Node) && independent(f.Node)
	})
	for i := range r.Funcs {
		r.Funcs[i].Marked = checked && isMarked(marked, r.Funcs[i].Node)
	}
	return nil
}

// announced is the package as package rewrite/section takes it.
func (u *unit) announced(files []*ast.File, r *section.Result) *rewrite.Package {
	var nodes []ast.Node
	for _, f := range r.Funcs {
		nodes = append(nodes, f.Node)
	}
	names := make(map[ast.Node]string)
	for _, m := range transaction.Named(u.Package, files, nodes) {
		names[m.Node] = m.Name
	}
	return &rewrite.Package{
		Source: u.source,
		Place:  u.place,
		Line:   u.lineAt,
		Name:   func(n ast.Node) string { return names[n] },
		Sizes:  types.SizesFor("gc", target.Current(u.GoVersion).GOARCH),
	}
}

// remark tells a user who wants to know.
func (u *unit) remark(format string, args ...any) {
	if os.Getenv(VerboseVariable) == "1" {
		fmt.Fprintf(u.driver.Stderr, "commute: "+format+"\n", args...)
	}
}

// withoutSections compiles a package once more, without the pass for critical sections. It reports
// whether that succeeds, and the pass had changed anything.
func (d *Driver) withoutSections(tool string, u *unit) bool {
	if !u.announces {
		return false
	}
	u.announces, u.profile = false, nil
	u.Needs("")
	u.Profile = nil
	change, err := u.plan(slices.DeleteFunc(slices.Clone(passes), called(criticalSections)))
	if err != nil {
		return false
	}
	args, err := u.write(change)
	if err != nil {
		return false
	}
	var output bytes.Buffer
	if err := runTool(tool, args, &output, &output); err != nil {
		return false
	}
	d.Stdout.Write(output.Bytes())
	return true
}
