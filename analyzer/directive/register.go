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

	text strings.Builder
}

// Text returns the lines.
func (r *Registration) Text() string { return r.text.String() }

func (r *Registration) line(fields ...string) {
	for i, f := range fields {
		if i > 0 {
			r.text.WriteByte('\t')
		}
		r.text.WriteString(strings.NewReplacer("\t", " ", "\n", " ").Replace(f))
	}
	r.text.WriteByte('\n')
}

// Directive adds a line for d, and one for each of its declarations if it is
// about declarations.
func (r *Registration) Directive(d Directive) {
	file := filepath.Base(r.Fset.Position(d.Pos).Filename)
	line := fmt.Sprint(d.Line)
	switch d.Verb {
	case Ignore:
		r.line(Ignore, r.Package, file, line, d.Reason)
	case Concurrent:
		for _, decl := range d.Decls {
			r.line(Concurrent, r.Package, decl, file, line, d.Reason)
		}
	}
}

// Site adds a line for s.
func (r *Registration) Site(s Site) {
	at := r.Fset.Position(CallPos(s.Call))
	declPkg, declAt := "", ""
	if s.Object != nil {
		if s.Object.Pkg() != nil {
			declPkg = s.Object.Pkg().Path()
		}
		if pos := r.Fset.Position(s.Object.Pos()); pos.IsValid() {
			declAt = fmt.Sprintf("%s:%d", r.Trim(pos.Filename), pos.Line)
		}
	}
	r.line("site", r.Package, filepath.Base(at.Filename), fmt.Sprint(at.Line),
		s.Method, s.Kind, declPkg, s.Name, declAt)
}
