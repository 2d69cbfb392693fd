// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package ecl

import (
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"strings"
	"unicode/utf8"
)

// A cursor reads one directive's argument from left to right.
type cursor struct {
	base token.Position // of text[0]
	text string
	off  int
}

// pos is the position of the next byte.
func (c *cursor) pos() token.Position { return c.at(c.off) }

// at is the position of byte off of the text.
func (c *cursor) at(off int) token.Position {
	p := c.base
	p.Column += off
	p.Offset = 0
	return p
}

// space skips spaces and tabs.
func (c *cursor) space() {
	for c.off < len(c.text) && (c.text[c.off] == ' ' || c.text[c.off] == '\t') {
		c.off++
	}
}

// eat skips b, after spaces, and reports whether it was there.
func (c *cursor) eat(b byte) bool {
	c.space()
	if c.off < len(c.text) && c.text[c.off] == b {
		c.off++
		return true
	}
	return false
}

// end reports whether only spaces are left.
func (c *cursor) end() bool {
	c.space()
	return c.off == len(c.text)
}

// found quotes the next token for an error message.
func (c *cursor) found() string {
	c.space()
	if c.off == len(c.text) {
		return "the end of the line"
	}
	if w := c.word(); w != "" {
		return "'" + w + "'"
	}
	_, n := utf8.DecodeRuneInString(c.text[c.off:])
	return "'" + c.text[c.off:c.off+n] + "'"
}

// word returns the identifier that starts here, without moving.
func (c *cursor) word() string {
	end := c.off
	for end < len(c.text) {
		r, n := utf8.DecodeRuneInString(c.text[end:])
		if !token.IsIdentifier("a"+string(r)) || r == utf8.RuneError {
			break
		}
		end += n
	}
	w := c.text[c.off:end]
	if w != "_" && !token.IsIdentifier(w) {
		return ""
	}
	return w
}

// ident reads an identifier; what names it in an error.
func (c *cursor) ident(what string) (variable, *Error) {
	c.space()
	w := c.word()
	if w == "" {
		return variable{}, errorf(c.pos(), "", "expected %s, found %s", what, c.found())
	}
	v := variable{c.pos(), w}
	c.off += len(w)
	return v, nil
}

// signature reads Name, Name(a, b), Name(a)/r or Name(a)/(r; s).
func (c *cursor) signature() (*signature, *Error) {
	name, err := c.ident("a method name")
	if err != nil {
		return nil, err
	}
	if name.name == "_" {
		return nil, errorf(name.pos, "", "'_' is not a method name")
	}
	g := &signature{pos: name.pos, name: name.name}
	if !c.eat('(') {
		return g, nil
	}
	g.hasParams = true
	if g.params, err = c.list(g, false); err != nil {
		return nil, err
	}
	if c.eat('/') {
		g.hasRes = true
		if c.eat('(') {
			g.results, err = c.list(g, true)
		} else {
			var v variable
			v, err = c.ident("a result name or '('")
			g.results = []variable{v}
		}
		if err != nil {
			return nil, err
		}
	}
	if !g.split {
		g.real = len(g.results)
	}
	return g, g.distinct()
}

// list reads names up to the closing parenthesis.
func (c *cursor) list(g *signature, results bool) ([]variable, *Error) {
	var vs []variable
	if c.eat(')') {
		return nil, nil
	}
	for {
		v, err := c.ident("a variable name")
		if err != nil {
			return nil, err
		}
		switch v.name {
		case "nil", "true", "false", "len":
			return nil, errorf(v.pos, "choose another name", "'%s' cannot be a variable", v.name)
		}
		vs = append(vs, v)
		switch {
		case c.eat(')'):
			return vs, nil
		case c.eat(','):
		case results && !g.split && c.eat(';'):
			g.split, g.real = true, len(vs)
		default:
			return nil, errorf(c.pos(), "", "expected ',' or ')', found %s", c.found())
		}
	}
}

// distinct checks that no two values of a call have the same name.
func (g *signature) distinct() *Error {
	seen := map[string]bool{}
	for _, v := range g.vars() {
		if v.name != "_" && seen[v.name] {
			return errorf(v.pos, "every value of a call has its own name, or _",
				"duplicate variable %s", v.name)
		}
		seen[v.name] = true
	}
	return nil
}

// pair reads two calls, a colon and an expression.
func (c *cursor) pair() (sig [2]*signature, expr ast.Expr, start int, err *Error) {
	var sides [2]side
	sides, expr, start, err = c.sides()
	for i := range sides {
		if err == nil && sides[i].sig == nil {
			err = errorf(sides[i].pos, "sets and _ are for //ecl:commute", "expected a call")
		}
		sig[i] = sides[i].sig
	}
	return
}

// sides reads the argument of a commute directive: two sides, a colon and an expression, which
// begins at start.
func (c *cursor) sides() (sides [2]side, expr ast.Expr, start int, err *Error) {
	for i := range sides {
		if sides[i], err = c.side(); err != nil {
			return
		}
		if i == 0 && !c.eat(',') {
			err = errorf(c.pos(), "", "expected ',' and a second call, found %s", c.found())
			return
		}
	}
	if !c.eat(':') {
		err = errorf(c.pos(), "", "expected ':' and a formula, found %s", c.found())
		return
	}
	seen := map[string]bool{}
	for i, s := range sides {
		if s.sig == nil {
			continue
		}
		for _, v := range s.sig.vars() {
			if i == 1 && v.name != "_" && seen[v.name] {
				err = errorf(v.pos, "number the values of the two calls, as in k1 and k2",
					"duplicate variable %s: both calls name it", v.name)
				return
			}
			seen[v.name] = true
		}
	}
	c.space()
	start = c.off
	expr, err = c.expression("a formula")
	return
}

// side reads a call, a set {A, B}, or _ for every method.
func (c *cursor) side() (s side, err *Error) {
	c.space()
	s.pos = c.pos()
	if c.eat('{') {
		for {
			name, err := c.ident("a method name")
			if err != nil {
				return s, err
			}
			s.set = append(s.set, name)
			if c.eat('}') {
				return s, nil
			}
			if !c.eat(',') {
				return s, errorf(c.pos(), "a set has names only, as in {Get, Has}",
					"expected ',' or '}', found %s", c.found())
			}
		}
	}
	if c.word() == "_" {
		c.off++
		s.wild = true
		return s, nil
	}
	if s.sig, err = c.signature(); err == nil && !s.sig.hasParams {
		err = errorf(s.sig.pos, "", "%s has no parameter list, expected %s(...)", s.sig.name,
			s.sig.name)
	}
	return s, err
}

// expression parses the rest of the line as a Go expression.
func (c *cursor) expression(what string) (ast.Expr, *Error) {
	if c.end() {
		return nil, errorf(c.pos(), "", "expected %s, found the end of the line", what)
	}
	e, err := parser.ParseExprFrom(token.NewFileSet(), "", c.text[c.off:], 0)
	if err == nil {
		return e, nil
	}
	pos := c.pos()
	msg := err.Error()
	if list, ok := err.(scanner.ErrorList); ok && len(list) > 0 {
		msg = list[0].Msg
		if list[0].Pos.Line == 1 {
			pos = c.at(c.off + min(list[0].Pos.Column-1, len(c.text)-c.off))
		}
	}
	msg = strings.ReplaceAll(msg, "found newline", "found the end of the line")
	msg = strings.ReplaceAll(msg, "found 'EOF'", "found the end of the line")
	return nil, errorf(pos, "", "%s", msg)
}
