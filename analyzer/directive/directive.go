// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package directive

import (
	"fmt"
	"go/ast"
	"go/token"
	"strings"

	"github.com/commutego/commute/analyzer/transaction"
	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/suggest"
)

// The directives.
const (
	Ignore     = string(compiled.Ignore)
	concurrent = string(compiled.Concurrent)
)

const prefix = "//commute:"

// A Directive is one well-formed comment.
type Directive struct {
	Pos    token.Pos
	Verb   string // Ignore or Concurrent
	Reason string
	// Line is the line that the comment applies to, according to line directives.
	Line int
	// Decls are the names of the declarations that a Concurrent belongs to.
	Decls []string
}

// A Problem is a comment that commute cannot accept.
type Problem struct {
	Pos, End token.Pos
	Message  string
	Fix      string // replaces the text from Pos to End, if not empty
}

// Mentioned reports, without parsing, whether data can have directives.
func Mentioned(data string) bool { return strings.Contains(data, "commute:") || suspect(data) }

// Scan returns the directives of file, which was parsed with comments.
func Scan(fset *token.FileSet, file *ast.File) ([]Directive, []Problem) {
	var (
		directives []Directive
		problems   []Problem
		lines      *lines
	)
	for _, group := range file.Comments {
		for _, c := range group.List {
			d, problem, ok := parse(c)
			if problem != nil {
				problems = append(problems, *problem)
			}
			if !ok {
				continue
			}
			if lines == nil {
				lines = readLines(fset, file)
			}
			if problem := lines.place(&d, group); problem != nil {
				problems = append(problems, *problem)
				continue
			}
			directives = append(directives, d)
		}
	}
	return directives, problems
}

// parse reads one comment; ok is false if it is none of commute's.
func parse(c *ast.Comment) (d Directive, problem *Problem, ok bool) {
	fail := func(fix, format string, args ...any) (Directive, *Problem, bool) {
		p := &Problem{Pos: c.Pos(), End: c.End(), Message: fmt.Sprintf(format, args...), Fix: fix}
		return Directive{}, p, false
	}
	text, found := strings.CutPrefix(c.Text, prefix)
	if !found {
		if message, fix := misspelt(strings.TrimRight(c.Text, "\r")); message != "" &&
			!transaction.Meant(c) {
			return fail(fix, "%s", message)
		}
		return Directive{}, nil, false
	}
	verb, reason, _ := strings.Cut(strings.TrimRight(text, "\r"), " ")
	verb, tail, _ := strings.Cut(verb, "\t")
	reason = strings.TrimSpace(tail + " " + reason)
	// A comment after the reason is not a part of it (// want, in fixtures).
	if reason, _, found = strings.Cut(" "+reason, " // "); found || reason != "" {
		reason = strings.TrimSpace(reason)
	}
	switch {
	case transaction.Meant(c):
		return Directive{}, nil, false // it is not about findings, and is checked there
	case !known(verb):
		if near := suggest.Typo(verb, verbs); near != "" {
			return fail(prefix+near+text[len(verb):], "unknown directive %s%s; did you mean %s%s?",
				prefix, verb, prefix, near)
		}
		return fail("", "unknown directive %s%s; there are %s", prefix, verb, all())
	case reason == "":
		return fail("", "%s%s needs a reason: write %s%s and why", prefix, verb, prefix, verb)
	}
	return Directive{Pos: c.Pos(), Verb: verb, Reason: reason}, nil, true
}

func known(verb string) bool { return verb == Ignore || verb == concurrent }
