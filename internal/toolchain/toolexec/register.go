// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package toolexec

import (
	"bytes"
	"fmt"
	"go/token"
	"os"
	"strconv"
	"strings"

	"github.com/commutego/commute/analyzer/directive"
	"github.com/commutego/commute/internal/toolchain/edit"
)

// register adds a file that tells the engine of the package's directives, and
// of its calls and package-level variables of watched types, if there are any.
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
	r := &directive.Registration{
		Package: u.Package,
		Fset:    u.source.Fset,
		Trim:    u.Trim,
		Tested:  tested(u.Package),
	}
	if u.Watch {
		r.Watched()
	}
	for _, file := range files {
		found, problems := directive.Scan(u.source.Fset, file)
		if len(problems) > 0 && !u.dependency() {
			return change, problemError(u.source.Fset, problems)
		}
		for _, d := range found {
			r.Directive(d)
		}
	}
	for _, site := range calls.sites {
		r.Site(site)
		if site.Twin {
			u.toTwin(&change, site.Call)
		}
	}
	if !u.dependency() && len(calls.sites) > 0 {
		pairs, err := u.pairs()
		if err != nil {
			return change, err
		}
		for _, p := range pairs.Calls {
			r.CheckAct(p.Check.Position, p.Check.Method, p.Act.Position, p.Act.Method)
		}
	}
	for _, g := range calls.globals {
		r.Global(g)
	}
	if r.Text() != "" || len(r.Globals()) > 0 {
		change.Added = append(change.Added, edit.Added{
			Name: "commute_register.go",
			Data: edit.WithLine("commute/register.go", registerFile(files[0].Name.Name, r)),
		})
	}
	return change, nil
}

// tested reports whether the package is compiled to be tested, or as a program:
// then a directive that nothing was found for is worth a word.
func tested(pkg string) bool {
	return pkg == "main" || strings.Contains(os.Getenv("TOOLEXEC_IMPORTPATH"), " [")
}

// registerFile is a file of package name that hands r to the engine.
func registerFile(name string, r *directive.Registration) []byte {
	var b bytes.Buffer
	// The package may have something of its own that is called unsafe.
	fmt.Fprintf(&b, "package %s\n\nimport commute_unsafe \"unsafe\"\n", name)
	b.WriteString(`
//go:linkname commute_register runtime.commute_register
func commute_register(data string)

//go:linkname commute_global runtime.commute_global
//go:noescape
func commute_global(addr commute_unsafe.Pointer, size uintptr, text string)

func init() {
`)
	if r.Text() != "" {
		fmt.Fprintf(&b, "\tcommute_register(%s)\n", strconv.Quote(r.Text()))
	}
	for _, g := range r.Globals() {
		fmt.Fprintf(&b, "\tcommute_global(commute_unsafe.Pointer(&%s), commute_unsafe.Sizeof(%[1]s), %s)\n", g.Name, strconv.Quote(g.Text))
	}
	b.WriteString("}\n")
	return b.Bytes()
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
