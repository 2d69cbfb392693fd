// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package directive

import (
	"fmt"
	"go/token"
	"path/filepath"
	"strings"
)

// A Registration collects what one package tells the engine. Each line has
// fields that tabs separate; the first names the kind of line.
type Registration struct {
	Package string // the compiler's -p
	Fset    *token.FileSet
	// Trim makes a file's path what the compiler records.
	Trim func(file string) string
	// Tested says that the package is under test, so that directives without
	// effect are named at the end.
	Tested bool

	text    strings.Builder
	globals []GlobalLine
}

// A GlobalLine is what is registered of a package-level variable, beside its address.
type GlobalLine struct {
	Name string
	Text string // package, name, file:line
}

// Text returns the lines.
func (r *Registration) Text() string { return r.text.String() }

// Globals returns what Global has added.
func (r *Registration) Globals() []GlobalLine { return r.globals }

func (r *Registration) line(fields ...string) {
	r.text.WriteString(tabbed(fields...))
	r.text.WriteByte('\n')
}

// tabbed joins fields.
func tabbed(fields ...string) string {
	clean := strings.NewReplacer("\t", " ", "\n", " ")
	for i, f := range fields {
		fields[i] = clean.Replace(f)
	}
	return strings.Join(fields, "\t")
}

// Watched adds that accesses to memory by the package are watched.
func (r *Registration) Watched() { r.line("watched", r.Package) }

// Global adds the variable g.
func (r *Registration) Global(g GlobalVar) {
	r.globals = append(r.globals, GlobalLine{Name: g.Name, Text: tabbed(r.Package, g.Name, r.place(g.Pos))})
}

// place returns a position as reports show it.
func (r *Registration) place(pos token.Pos) string {
	at := r.Fset.Position(pos)
	if !at.IsValid() {
		return ""
	}
	return fmt.Sprintf("%s:%d", r.Trim(at.Filename), at.Line)
}

// Directive adds a line for d, and one for each of its declarations if it is
// about declarations.
func (r *Registration) Directive(d Directive) {
	file := filepath.Base(r.Fset.Position(d.Pos).Filename)
	line := fmt.Sprint(d.Line)
	reason := []string{d.Reason}
	if r.Tested {
		reason = append(reason, "t")
	}
	switch d.Verb {
	case Ignore:
		r.line(append([]string{Ignore, r.Package, file, line}, reason...)...)
	case concurrent:
		for _, decl := range d.Decls {
			r.line(append([]string{concurrent, r.Package, decl, file, line}, reason...)...)
		}
	}
}

// Site adds a line for s, and one more if its result is not used.
func (r *Registration) Site(s Site) {
	at := r.Fset.Position(CallPos(s.Call))
	declPkg, declAt := "", ""
	if s.Object != nil {
		if s.Object.Pkg() != nil {
			declPkg = s.Object.Pkg().Path()
		}
		declAt = r.place(s.Object.Pos())
	}
	file, line := filepath.Base(at.Filename), fmt.Sprint(at.Line)
	r.line("site", r.Package, file, line, s.Method, s.Kind, declPkg, s.Name, declAt)
	if s.Unused {
		r.line("unused", r.Package, file, line, s.Method)
	}
}

// CheckAct adds a line for a call of one method on which a later one of another depends.
func (r *Registration) CheckAct(check token.Position, method string, act token.Position, actMethod string) {
	r.line("checkact", r.Package, filepath.Base(check.Filename), fmt.Sprint(check.Line), method,
		filepath.Base(act.Filename), fmt.Sprint(act.Line), actMethod)
}
