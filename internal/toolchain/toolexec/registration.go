// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package toolexec

import (
	"fmt"
	"go/ast"
	"go/token"
	"path/filepath"

	"github.com/commutego/commute/analyzer/checkact"
	"github.com/commutego/commute/analyzer/directive"
	"github.com/commutego/commute/internal/engine/compiled"
)

// A registration is what a package tells the engine of its source.
type registration struct {
	compiled.Registration
	unit  *unit
	again map[*ast.CallExpr]bool // calls that are looked at again
}

// empty reports whether there is nothing to tell.
func (r *registration) empty() bool {
	return !r.Watched && len(r.Directives)+len(r.Sites)+len(r.Acts)+len(r.Globals) == 0
}

// place is a position as reports show it.
func (r *registration) place(pos token.Pos) string {
	at := r.unit.source.Fset.Position(pos)
	if !at.IsValid() {
		return ""
	}
	return fmt.Sprintf("%s:%d", r.unit.Trim(at.Filename), at.Line)
}

// directive adds d, once for each of its declarations if it is about declarations.
func (r *registration) directive(d *directive.Directive) {
	decls := d.Decls
	if d.Verb == directive.Ignore {
		decls = []string{""}
	}
	file := filepath.Base(r.unit.source.Fset.Position(d.Pos).Filename)
	for _, decl := range decls {
		r.Directives = append(r.Directives, compiled.Directive{
			Kind: compiled.DirectiveKind(d.Verb),
			File: file,
			Line: uint32(d.Line),
			Decl: decl,
		})
	}
}

// site adds a call.
func (r *registration) site(s *directive.Site) {
	at := callOf(checkact.Point{
		Position: r.unit.source.Fset.Position(directive.CallPos(s.Call)),
		Method:   s.Method,
	})
	site := compiled.Site{
		File:   at.File,
		Line:   at.Line,
		Unused: s.Unused,
		Again:  r.again[s.Call],
		Method: at.Method,
		Decl:   compiled.DeclKind(s.Kind),
		Name:   s.Name,
	}
	if s.Object != nil {
		if s.Object.Pkg() != nil {
			site.Home = s.Object.Pkg().Path()
		}
		site.Pos = r.place(s.Object.Pos())
	}
	r.Sites = append(r.Sites, site)
}

// lockSites adds calls that take locks.
func (r *registration) lockSites(locks []directive.Site, files []*ast.File) {
	t, err := r.unit.source.Types()
	if err != nil {
		return
	}
	fresh := directive.Fresh(t.Info, files, locks)
	for i := range locks {
		r.site(&locks[i])
		r.Sites[len(r.Sites)-1].Fresh = fresh[locks[i].Call]
	}
}

// callOf is a call as it is registered.
func callOf(p checkact.Point) compiled.Call {
	return compiled.Call{
		File:   filepath.Base(p.Position.Filename),
		Line:   uint32(p.Position.Line),
		Method: p.Method,
	}
}
