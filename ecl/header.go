// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package ecl

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"

	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
)

// A Module says to which versions of a module a specification applies.
type Module struct {
	Pos   token.Position
	Path  string
	Conds []VersionCond // all have to hold
}

// A VersionCond compares the module's version with another version.
type VersionCond struct {
	Op      string // >=, <=, >, < or =
	Version string // v1.2.3
}

// Allows reports whether the specification applies to a version of the module.
func (m *Module) Allows(version string) bool {
	if !semver.IsValid(version) {
		return false
	}
	for _, c := range m.Conds {
		d := semver.Compare(version, c.Version)
		ok := map[string]bool{">=": d >= 0, "<=": d <= 0, ">": d > 0, "<": d < 0, "=": d == 0}
		if !ok[c.Op] {
			return false
		}
	}
	return true
}

// String is the module's path and the conditions, as a specification has them.
func (m *Module) String() string {
	s := m.Path
	for _, c := range m.Conds {
		s += " " + c.Op + c.Version
	}
	return s
}

// moduleHeader reads //ecl:module path >=v1.2.0 <v2.0.0, which is about the types that follow.
func (p *lineParser) moduleHeader(c *cursor) *Error {
	p.cur = nil // an error here is none of the type before
	c.space()
	m := &Module{Pos: c.pos()}
	for i, f := range strings.Fields(c.text) {
		if i == 0 {
			m.Path = f
			if err := module.CheckPath(f); err != nil {
				return errorf(m.Pos, "write the path as go.mod has it", "'%s' is not a module path",
					f)
			}
			continue
		}
		version := strings.TrimLeft(f, "<>=")
		cond := VersionCond{strings.TrimSuffix(f, version), version}
		switch cond.Op {
		case ">=", "<=", ">", "<", "=":
		default:
			return errorf(m.Pos, "write >=v1.2.0, for example", "'%s' does not compare a version",
				f)
		}
		if semver.Canonical(version) != version {
			return errorf(m.Pos, "write all of it, as in v1.2.0", "'%s' is not a version", version)
		}
		m.Conds = append(m.Conds, cond)
	}
	if len(m.Conds) == 0 {
		return errorf(m.Pos, "as in //ecl:module example.com/cache >=v1.2.0 <v2.0.0",
			"expected a module's path and versions")
	}
	p.module = m
	return nil
}

// identity reads the field, or path of fields, that is the same in all copies of one object.
func (p *lineParser) identity(pos token.Position, c *cursor) *Error {
	c.space()
	if p.cur.Identity != "" {
		return errorf(pos, "", "the identity is given already, at %s", p.cur.IdentityPos)
	}
	path, _, _ := strings.Cut(c.text[c.off:], "//")
	path = strings.TrimSpace(path)
	for _, name := range strings.Split(path, ".") {
		if !token.IsIdentifier(name) {
			return errorf(c.pos(), "name a field that is a pointer, map, channel or slice",
				"'%s' is not a field", path)
		}
	}
	p.cur.Identity, p.cur.IdentityPos = path, c.pos()
	return nil
}

// flagged reads //ecl:open or //ecl:derived, which have no argument.
func flagged(pos token.Position, c *cursor, flag *bool, word string) *Error {
	text, _, _ := strings.Cut(c.text, "//")
	switch {
	case strings.TrimSpace(text) != "":
		c.space()
		return errorf(c.pos(), "it is about all methods of the type",
			"expected the end of the line, found %s", c.found())
	case *flag:
		return errorf(pos, "leave one out", "it is said already that the type is %s", word)
	}
	*flag = true
	return nil
}

// newObject reads the expression that makes an object for tests of the specification.
func (p *lineParser) newObject(pos token.Position, c *cursor) *Error {
	if p.cur.New != "" {
		return errorf(pos, "", "it is said already how an object is made, at %s", p.cur.NewPos)
	}
	if _, err := c.expression("a Go expression"); err != nil {
		return err
	}
	p.cur.New, p.cur.NewPos = c.text[c.off:], c.pos()
	return nil
}

// sample reads time.Duration: 0, time.Hour.
func (p *lineParser) sample(c *cursor) *Error {
	c.space()
	s := Sample{Pos: c.pos()}
	typ, _, ok := strings.Cut(c.text[c.off:], ":")
	s.Type = strings.TrimSpace(typ)
	if !ok || s.Type == "" {
		return errorf(s.Pos, "as in //ecl:sample time.Duration: 0, time.Hour",
			"expected a type, ':' and values")
	}
	if _, err := parser.ParseExpr(s.Type); err != nil {
		return errorf(s.Pos, "write it as the method's declaration does", "'%s' is not a type",
			s.Type)
	}
	c.off += len(typ) + 1
	c.space()
	start := c.off
	// The values parse as the arguments of a call.
	c.text = c.text[:start] + "f(" + c.text[start:] + ")"
	e, err := c.expression("values")
	if err != nil {
		err.Pos.Column -= len("f(")
		return err
	}
	call, ok := e.(*ast.CallExpr)
	if !ok || len(call.Args) == 0 || call.Ellipsis.IsValid() {
		return errorf(c.at(start), "as in //ecl:sample time.Duration: 0, time.Hour",
			"expected values, separated by commas")
	}
	for _, have := range p.cur.Samples {
		if have.Type == s.Type {
			return errorf(s.Pos, "", "the values of type %s are given already, at %s", s.Type,
				have.Pos)
		}
	}
	for _, a := range call.Args {
		s.Exprs = append(s.Exprs, c.text[start+int(a.Pos())-1:start+int(a.End())-1])
	}
	p.cur.Samples = append(p.cur.Samples, s)
	return nil
}
