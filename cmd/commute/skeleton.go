// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// String prints the directives, for a doc comment or a file. Prose comes first: gofmt moves it
// there.
func (s *skeleton) String() string {
	var b strings.Builder
	say := func(format string, args ...any) {
		for _, line := range wrapped(fmt.Sprintf(format, args...)) {
			b.WriteString(s.prose() + " " + line + "\n")
		}
	}
	s.origin(say)
	for _, r := range s.refuted {
		say("REFUTED by commute spec test: %s, %s: %s, which is %s now:", r.first, r.second, r.was,
			r.now)
		b.WriteString(s.prose() + "\n")
		for part := range strings.SplitSeq(r.says, "; ") {
			b.WriteString(s.prose() + "\t" + part + "\n")
		}
		b.WriteString(s.prose() + "\n")
	}
	s.omissions(say)
	s.head(&b)
	for _, d := range s.directives() {
		b.WriteString(d + "\n")
	}
	return b.String()
}

// wrapped breaks a text into lines.
func wrapped(text string) (lines []string) {
	const width = 97
	for len(text) > width {
		i := strings.LastIndexByte(text[:width], ' ')
		if i < 0 {
			break
		}
		lines, text = append(lines, text[:i]), text[i+1:]
	}
	return append(lines, text)
}

// origin says where the formulas are from, and what came of their test.
func (s *skeleton) origin(say func(format string, args ...any)) {
	d := s.derived
	switch {
	case d == nil || d.why != "":
		say("TODO: this draft of %s is guessed from names and types. Look at each line, and write "+
			"when the other pairs commute: of them the default says never.", s.name)
		if d != nil {
			say("It is not derived from the code: %s.", d.why)
		}
	case d.of != "":
		say("This draft of %s is derived from the code of %s, which implements it. Look at each "+
			"line.", s.name, d.of)
	default:
		say("This draft of %s is derived from the code of its methods. Look at each line.", s.name)
	}
	if s.outcome != "" {
		say("%s", s.outcome)
	}
	if d != nil {
		for _, remark := range s.remarks() {
			say("%s", remark)
		}
	}
	say("As the type is derived, a race is reported if it breaks a check and act, " +
		"or a transaction.")
}

// prose begins lines that are no directives.
func (s *skeleton) prose() string {
	if s.header != "" {
		return "#"
	}
	return "//"
}

// omissions names the methods that are left out.
func (s *skeleton) omissions(say func(format string, args ...any)) {
	for _, o := range s.left {
		say("Left out (%s): %s.", o.why, strings.Join(o.methods, ", "))
	}
}

// head ends the prose.
func (s *skeleton) head(b *strings.Builder) {
	switch {
	case s.header != "":
		b.WriteString("\n" + s.header + "\n")
	case !strings.HasSuffix(b.String(), "//\n"):
		b.WriteString("//\n")
	}
}

// directives lists the lines of the specification, but for the type's name.
func (s *skeleton) directives() (lines []string) {
	lines = append(lines, "//ecl:derived")
	lines = append(lines, s.making...)
	for _, m := range s.methods {
		lines = append(lines, fmt.Sprintf("//ecl:%s %s", m.role(), m.call("")))
	}
	for _, m := range s.methods {
		if m.callback != "" {
			lines = append(lines, "//ecl:callback "+m.calling())
		}
	}
	given := 0
	for i, m := range s.methods {
		for _, n := range s.methods[i:] {
			if f := s.formula(m, n); f != "" {
				lines = append(lines,
					fmt.Sprintf("//ecl:commute %s, %s: %s", m.call("1"), n.call("2"), f))
				given++
			}
		}
	}
	if n := len(s.methods); given < n*(n+1)/2 {
		lines = append(lines, "//ecl:default false")
	}
	return lines
}

// role guesses the role of a method. A method that changes something without a key is an arbiter:
// if two goroutines append to a list, one of them comes first.
func (m sketch) role() string {
	switch {
	case m.observer:
		return "observer"
	case m.arbiter || m.key == nil && !m.derived():
		return "arbiter"
	}
	return "mutator"
}

// formula is the guess when two methods' calls commute, "" for what follows from the default, or
// from the fact that both observe.
func (s *skeleton) formula(m, n sketch) string {
	pair := [2]string{m.name, n.name}
	switch {
	case m.observer && n.observer:
		return ""
	case m.derived() && n.derived():
		c := s.derived.claim(m, n)
		c.weaken(s.weaker[pair])
		return c.String()
	case s.always[pair]:
		return "true"
	case s.weaker[pair] > 0:
	case m.key != nil && n.key != nil && types.Identical(m.key, n.key):
		return m.params[0] + "1 != " + n.params[0] + "2"
	}
	return ""
}

// derived reports whether it is known what a method's code does.
func (m sketch) derived() bool { return m.code != nil && m.code.Unknown == "" }

// isKey reports whether values of a type are likely to be keys.
func isKey(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Info()&(types.IsString|types.IsInteger) != 0
	case *types.Struct, *types.Array:
		return types.Comparable(t)
	case *types.Interface:
		_, param := types.Unalias(t).(*types.TypeParam)
		return param && types.Comparable(t) || u.Empty() && !param
	}
	return false
}

// arbitrates reports whether a method's name is usual for methods that check and act in one.
func arbitrates(method string) bool {
	for _, part := range []string{"Or", "And", "If"} {
		if i := strings.Index(method, part); i > 0 {
			rest := method[i+len(part):]
			if rest != "" && !('a' <= rest[0] && rest[0] <= 'z') {
				return true
			}
		}
	}
	for _, prefix := range []string{"CAS", "CompareAnd", "Try", "SetNX", "Swap"} {
		if strings.HasPrefix(method, prefix) {
			return true
		}
	}
	return false
}

// call prints m with its values, which have the call's number.
func (m sketch) call(number string) string {
	list := func(names []string) string {
		var vs []string
		for _, name := range names {
			if name != "_" {
				name += number
			}
			vs = append(vs, name)
		}
		return "(" + strings.Join(vs, ", ") + ")"
	}
	s := m.name + list(m.params)
	if len(m.results) > 0 {
		s += "/" + list(m.results)
	}
	return s
}

// calling prints m with its callback, and no other parameter.
func (m sketch) calling() string {
	var vs []string
	for _, name := range m.params {
		if name != m.callback {
			name = "_"
		}
		vs = append(vs, name)
	}
	return m.name + "(" + strings.Join(vs, ", ") + ")"
}

// recovers reports whether a function's own body calls recover.
func recovers(body *ast.BlockStmt) (found bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			if id, ok := ast.Unparen(n.Fun).(*ast.Ident); ok && id.Name == "recover" {
				found = true
			}
		}
		return !found
	})
	return found
}

// writes reports whether a method plainly changes what its receiver points to: by an assignment, or
// by delete or clear. A method may change it in other ways.
func writes(fn *ast.FuncDecl) (found bool) {
	if len(fn.Recv.List[0].Names) == 0 {
		return false
	}
	recv := fn.Recv.List[0].Names[0].Name
	of := func(e ast.Expr) bool {
		_, bare := e.(*ast.Ident)
		return !bare && root(e) == recv
	}
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, x := range n.Lhs {
				found = found || n.Tok != token.DEFINE && of(x)
			}
		case *ast.IncDecStmt:
			found = found || of(n.X)
		case *ast.CallExpr:
			if id, ok := n.Fun.(*ast.Ident); ok && (id.Name == "delete" || id.Name == "clear") &&
				len(n.Args) > 0 {
				found = found || of(n.Args[0])
			}
		}
		return !found
	})
	return found
}

// root is the variable that an operand begins with, as x in x.f[i].
func root(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return root(e.X)
	case *ast.IndexExpr:
		return root(e.X)
	case *ast.StarExpr:
		return root(e.X)
	case *ast.ParenExpr:
		return root(e.X)
	}
	return ""
}
