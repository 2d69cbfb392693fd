// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package toolexec

import (
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"reflect"
	"strings"

	"github.com/commutego/commute/analyzer/directive"
	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/rewrite/accessed"
	"github.com/commutego/commute/internal/rewrite/discount"
	"github.com/commutego/commute/internal/rewrite/literal"
	"github.com/commutego/commute/internal/toolchain/edit"
)

// register adds a file that tells the engine of the package's directives, and
// of its calls and package-level variables of watched types, and of its locks, if there are any.
func (u *unit) register() (change edit.Change, err error) {
	if u.Std {
		return change, nil
	}
	calls, err := u.calls()
	if err != nil || calls == nil {
		return change, err
	}
	files, err := u.source.Syntax()
	if err != nil {
		return change, nil // the compiler will say so
	}
	b := registration{unit: u}
	b.Path, b.Watched, b.Tested = u.Package, u.Watch, tested(u.Package)
	for _, file := range files {
		found, problems := directive.Scan(u.source.Fset, file)
		if len(problems) > 0 && !u.dependency() {
			return change, problemError(u.source.Fset, problems)
		}
		for i := range found {
			b.directive(&found[i])
		}
	}
	if len(calls.sites) > 0 && !u.dependency() {
		if t, err := u.source.Types(); err == nil && len(t.Errs) == 0 {
			b.again = discount.FirstLooks(files, t.Info)
		}
	}
	for i := range calls.sites {
		site := &calls.sites[i]
		b.site(site)
		if site.Twin {
			u.toTwin(&change, site.Call)
		}
	}
	if len(calls.locks) > 0 {
		b.lockSites(calls.locks, files)
	}
	if !u.dependency() && len(calls.sites) > 0 {
		pairs, err := u.pairs()
		if err != nil {
			return change, err
		}
		for _, p := range pairs.Calls {
			b.Acts = append(b.Acts, compiled.CheckAct{
				Check: callOf(p.Check), Act: callOf(p.Act), Through: p.Through,
			})
		}
	}
	for _, g := range calls.globals {
		b.Globals = append(b.Globals, compiled.Global{Name: g.Name, Pos: b.place(g.Pos)})
	}
	if u.Watch && watchesMemory() {
		b.Lines = u.lines(files, b.place)
	}
	if !b.empty() {
		change.Added = append(change.Added, edit.Added{
			Name: "commute_register.go",
			Data: edit.WithLine("commute/register.go",
				registerFile(files[0].Name.Name, &b.Registration)),
		})
	}
	return change, nil
}

// lines are what the lines of the package access. Reports do without what can't be found.
func (u *unit) lines(files []*ast.File, place func(token.Pos) string) (t compiled.LineTable) {
	types, err := u.source.Types()
	if err != nil || len(types.Errs) > 0 {
		return t
	}
	defer func() {
		if v := recover(); v != nil {
			u.remark("package %s: no names of what lines access: %v", u.Package, v)
			t = compiled.LineTable{}
		}
	}()
	return *accessed.Find(&accessed.Package{Fset: u.source.Fset, Files: files, Info: types.Info,
		Place: place})
}

// tested reports whether the package is compiled to be tested, or as a program:
// then a directive that nothing was found for is worth a word.
func tested(pkg string) bool {
	return pkg == "main" || strings.Contains(os.Getenv("TOOLEXEC_IMPORTPATH"), " [")
}

// registrations prints what a package registers.
var registrations = literal.Printer{
	Prefix: "commuteSource_",
	Unsafe: "commute_unsafe", // the package may have something of its own that is called unsafe
	Expr: func(of any, field string) string {
		g, ok := of.(compiled.Global)
		switch {
		case ok && field == "Addr":
			return "commute_unsafe.Pointer(&" + g.Name + ")"
		case ok && field == "Size":
			return "commute_unsafe.Sizeof(" + g.Name + ")"
		}
		return ""
	},
}

// registerDeclarations are those of the types that a package's registration shares with the engine,
// and of the function that takes it.
var registerDeclarations = registrations.Declare(
	reflect.TypeFor[compiled.Registration](),
	reflect.TypeFor[compiled.Directive](),
	reflect.TypeFor[compiled.Site](),
	reflect.TypeFor[compiled.CheckAct](),
	reflect.TypeFor[compiled.Call](),
	reflect.TypeFor[compiled.Global](),
	reflect.TypeFor[compiled.LineTable](),
	reflect.TypeFor[compiled.AccessName](),
	reflect.TypeFor[compiled.LineAccess](),
) + `
//go:linkname commute_register runtime.commute_register
//go:noescape
func commute_register(r *commuteSource_Registration)

func init() { commute_register(&commute_registered) }
`

// registerFile is a file of package name that hands r to the engine: static data, and a call.
func registerFile(name string, r *compiled.Registration) []byte {
	value := strings.TrimPrefix(registrations.Value(r), "&")
	return fmt.Appendf(nil, "package %s\n\nimport commute_unsafe \"unsafe\"\n%s\n"+
		"var commute_registered = %s\n", name, registerDeclarations, value)
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
