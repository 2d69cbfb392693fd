// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package ecl

import (
	"cmp"
	"go/token"
	"slices"
	"strings"

	"github.com/commutego/commute/internal/suggest"
)

// directives lists the words after //ecl: in the order in which errors name them.
var directives = []string{
	"type", "commute", "also", "observer", "arbiter", "mutator", "shadow", "callback",
	"default", "group", "identity", "new", "sample", "module", "object", "open",
	"derived",
}

// Directives lists the words that may follow //ecl:, in the order in which errors name them.
func Directives() []string { return slices.Clone(directives) }

// Parse reads the directives in text, whose first byte stands at line:col of the file called
// filename, and checks them. A text with //ecl:type headers gives one Spec for each. A text without
// (a type's doc comment) gives one Spec that has no name, if there are directives at all. The error
// is an Errors; in that case the specs have at least the methods that the text names.
func Parse(filename string, line, col int, text string) ([]*Spec, error) {
	p := &lineParser{}
	for i, l := range strings.Split(text, "\n") {
		pos := token.Position{Filename: filename, Line: line + i, Column: 1}
		if i == 0 {
			pos.Column = col
		}
		p.at = token.Position{Filename: filename, Line: pos.Line, Column: pos.Column}
		l = strings.TrimSuffix(l, "\r")
		p.line(pos, l)
		if p.cur != nil {
			p.cur.source = append(p.cur.source, l)
		}
	}
	for _, s := range p.specs {
		if lines := p.broken[s]; len(lines) > 0 {
			p.errs = append(p.errs, s.checkRest(lines)...)
		} else {
			p.errs = append(p.errs, s.check()...)
		}
	}
	if len(p.errs) > 0 {
		slices.SortStableFunc(p.errs, func(a, b *Error) int {
			return cmp.Or(a.Pos.Line-b.Pos.Line, a.Pos.Column-b.Pos.Column)
		})
		return p.specs, p.errs
	}
	return p.specs, nil
}

// A lineParser collects specs and errors over the lines of one text. An error ends its line only,
// so that one run reports all of them.
type lineParser struct {
	specs  []*Spec
	cur    *Spec
	module *Module        // of the types that follow
	at     token.Position // where the line begins
	errs   Errors
	text   string             // of the line
	broken map[*Spec][]string // lines with syntax errors
}

// line reads one line, which begins at pos: a directive or prose.
func (p *lineParser) line(pos token.Position, l string) {
	trimmed := strings.TrimLeft(l, " \t")
	p.text = trimmed
	pos.Column += len(l) - len(trimmed)
	rest, ok := strings.CutPrefix(trimmed, "//ecl:")
	if !ok {
		switch {
		case strings.HasPrefix(strings.TrimLeft(strings.TrimPrefix(trimmed, "//"), " \t"),
			"ecl:") && strings.HasPrefix(trimmed, "//"):
			p.fail(errorf(pos, "write //ecl: without the space",
				"a directive has no space after //"))
		case trimmed == "" || trimmed[0] == '#' || strings.HasPrefix(trimmed, "//"):
		default:
			p.fail(errorf(pos, "start it with //ecl:, or with # or // if it is a comment",
				"this line is not a directive"))
		}
		return
	}
	pos.Column += len("//ecl:")
	word, arg, _ := strings.Cut(rest, " ")
	if i := strings.IndexByte(word, '\t'); i >= 0 {
		word, arg = rest[:i], rest[i+1:]
	}
	argPos := pos
	argPos.Column += len(rest) - len(arg)
	c := &cursor{base: argPos, text: strings.TrimRight(arg, " \t")}
	p.directive(pos, word, c)
}

// fail adds an error, and notes that the present line of the spec could not be read.
func (p *lineParser) fail(err *Error) {
	p.errs = append(p.errs, err)
	if p.cur != nil {
		if p.broken == nil {
			p.broken = map[*Spec][]string{}
		}
		p.broken[p.cur] = append(p.broken[p.cur], p.text)
	}
}

// directive reads the argument of a directive. Those before the first type header belong to a spec
// without a name, that of a doc comment.
func (p *lineParser) directive(pos token.Position, word string, c *cursor) {
	switch word {
	case "type", "object":
		p.typeHeader(pos, c, word == "object")
		return
	case "module":
		if err := p.moduleHeader(c); err != nil {
			p.fail(err)
		}
		return
	}
	if p.cur == nil {
		p.cur = &Spec{Pos: pos, sourceAt: p.at}
		p.specs = append(p.specs, p.cur)
	}
	var err *Error
	switch word {
	case "commute":
		err = p.commute(c)
	case "also":
		err = p.also(c)
	case "observer":
		err = p.role(c, Observer)
	case "arbiter":
		err = p.role(c, Arbiter)
	case "mutator":
		err = p.role(c, Mutator)
	case "shadow":
		err = p.shadow(c)
	case "callback":
		err = p.callback(c)
	case "default":
		err = p.defaultFormula(pos, c)
	case "group":
		err = p.group(c)
	case "identity":
		err = p.identity(pos, c)
	case "new":
		err = p.newObject(pos, c)
	case "sample":
		err = p.sample(c)
	case "open":
		err = flagged(pos, c, &p.cur.Open, "open")
	case "derived":
		err = flagged(pos, c, &p.cur.Derived, "derived")
	default:
		hint := "known are " + strings.Join(directives, ", ")
		if near := suggest.Nearest(word, directives); near != "" {
			hint = "did you mean //ecl:" + near + "?"
		}
		err = errorf(pos, hint, "unknown directive //ecl:%s", word)
	}
	if err != nil {
		p.fail(err)
	}
}

// typeHeader starts a new spec: //ecl:type import/path.Name, or //ecl:object import/path.name.
func (p *lineParser) typeHeader(pos token.Position, c *cursor, object bool) {
	s := &Spec{Pos: pos, Object: object, Module: p.module, sourceAt: p.at}
	full := strings.TrimSpace(c.text)
	c.space()
	s.NamePos = c.pos()
	dot := strings.LastIndexByte(full, '.')
	if dot > strings.LastIndexByte(full, '/') {
		s.Path, s.Name = full[:dot], full[dot+1:]
	} else {
		s.Name = full
	}
	p.specs, p.cur = append(p.specs, s), s
	if !token.IsIdentifier(s.Name) || strings.ContainsAny(s.Path, " \t\"`\\") || dot == 0 {
		if object {
			p.fail(errorf(c.pos(), "write the import path, a dot and the variable's name",
				"'%s' is not a package-level variable, as in net/http.DefaultServeMux", full))
			return
		}
		p.fail(errorf(c.pos(), "write the import path, a dot and the type's name",
			"'%s' is not a type, as in sync.Map", full))
		return
	}
	for _, t := range p.specs[:len(p.specs)-1] {
		if t.Name == s.Name && t.Path == s.Path {
			p.fail(errorf(pos, "", "type %s is specified twice, first at %s", full, t.Pos))
		}
	}
}

// also reads Store(k1, v1), Store(k2, v2): v1 == v2.
func (p *lineParser) also(c *cursor) *Error {
	sig, expr, start, err := c.pair()
	if err != nil {
		return err
	}
	a := &Also{Pos: c.at(start), Text: words(c.text), sig: sig, expr: expr}
	for i := range sig {
		if a.M[i], err = p.use(sig[i]); err != nil {
			return err
		}
	}
	a.conv = &converter{spec: p.cur, base: c.at(start), src: c.text[start:], m: a.M, sig: sig}
	p.cur.Also = append(p.cur.Also, a)
	return nil
}

// role reads a list of methods, each with or without its signature.
func (p *lineParser) role(c *cursor, r Role) *Error {
	for {
		g, err := c.signature()
		if err != nil {
			return err
		}
		g.verbatim = true
		methods := []*Method{}
		if group := p.cur.group(g.name); group != nil {
			methods = group.methods
		} else if m, err := p.use(g); err != nil {
			return err
		} else {
			methods = append(methods, m)
		}
		for _, m := range methods {
			if m.roleSet.IsValid() {
				return errorf(g.pos, "", "%s has a role already: %s, at %s", m.Name, m.Role,
					m.roleSet)
			}
			m.Role, m.roleSet = r, g.pos
		}
		if c.end() {
			return nil
		}
		if !c.eat(',') {
			return errorf(c.pos(), "", "expected ',' or the end of the line, found %s", c.found())
		}
	}
}

// shadow reads Store(k, v)/(p, loaded): Swap(k, v). Without a semicolon in the
// result list, all results are shadow results.
func (p *lineParser) shadow(c *cursor) *Error {
	g, err := c.signature()
	if err != nil {
		return err
	}
	if len(g.results) == 0 || g.split && g.real == len(g.results) {
		return errorf(g.pos, "name them, as in Store(k, v)/(p, loaded): Swap(k, v)",
			"%s has no shadow results", g.name)
	}
	g.verbatim = true
	m, err := p.use(g)
	if err != nil {
		return err
	}
	if m.shadowPos.IsValid() {
		return errorf(g.pos, "", "%s has a shadow directive already, at %s", m.Name, m.shadowPos)
	}
	if !c.eat(':') {
		return errorf(c.pos(), "", "expected ':' and a Go expression, found %s", c.found())
	}
	if _, err := c.expression("a Go expression"); err != nil {
		return err
	}
	m.Shadow, m.shadowPos = strings.TrimSpace(c.text[c.off:]), g.pos
	m.Real = 0
	if g.split {
		m.Real = g.real
	}
	return nil
}

// callback reads Range(f), or Update(_, f): one parameter has a name.
func (p *lineParser) callback(c *cursor) *Error {
	g, err := c.signature()
	if err != nil {
		return err
	}
	name := ""
	for _, v := range g.params {
		switch {
		case v.name == "_":
		case name != "":
			name = "_" // two
		default:
			name = v.name
		}
	}
	if name == "" || name == "_" || g.hasRes || !c.end() {
		return errorf(g.pos, "write Range(f), or Update(_, f)",
			"a callback directive names a method and the one parameter that it calls")
	}
	g.verbatim = true
	m, err := p.use(g)
	if err != nil {
		return err
	}
	if m.callbackPos.IsValid() {
		return errorf(g.pos, "", "%s has a callback already, at %s", m.Name, m.callbackPos)
	}
	m.Callback, m.callbackPos = name, g.pos
	return nil
}

// defaultFormula reads true or false.
func (p *lineParser) defaultFormula(pos token.Position, c *cursor) *Error {
	if p.cur.def != nil {
		return errorf(pos, "", "a default is given already, at %s", p.cur.defPos)
	}
	text := strings.TrimSpace(c.text)
	if text != "true" && text != "false" {
		return errorf(c.pos(), "", "expected true or false, found '%s'", text)
	}
	v := text == "true"
	p.cur.def, p.cur.defPos = &v, pos
	return nil
}

// method returns the method that g names, making it at its first use.
func (p *lineParser) method(g *signature) *Method {
	for _, m := range p.cur.Methods {
		if m.Name == g.name {
			return m
		}
	}
	m := &Method{Pos: g.pos, Index: len(p.cur.Methods), Name: g.name, Role: Mutator}
	p.cur.Methods = append(p.cur.Methods, m)
	return m
}

// use records g as a use of its method, and checks that all uses have the same number of values.
func (p *lineParser) use(g *signature) (*Method, *Error) {
	if group := p.cur.group(g.name); group != nil {
		return nil, errorf(g.pos, "name the methods themselves here",
			"%s is a group, defined at %s", g.name, group.sig.pos)
	}
	m := p.method(g)
	if g.hasParams {
		if m.sig == nil {
			m.sig = g
		} else if len(m.sig.params) != len(g.params) {
			return nil, errorf(g.pos, "the same number everywhere; _ for what is not needed",
				"%s has %s here, but %d at %s", g.name, count(len(g.params), "parameter"),
				len(m.sig.params), m.sig.pos)
		}
	}
	if g.hasRes {
		if m.resultsSig == nil {
			m.resultsSig = g
			if m.Shadow == "" {
				m.Real = len(g.results)
			}
		} else if len(m.resultsSig.results) != len(g.results) {
			return nil, errorf(g.pos, "the same number everywhere; _ for what is not needed",
				"%s has %s here, but %d at %s", g.name, count(len(g.results), "result"),
				len(m.resultsSig.results), m.resultsSig.pos)
		}
		if g.split && !g.verbatim {
			return nil, errorf(g.pos, "only a shadow directive has it",
				"a semicolon among the results of %s", g.name)
		}
	}
	m.uses = append(m.uses, g)
	return m, nil
}
