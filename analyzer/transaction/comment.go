// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package transaction

import (
	"go/ast"
	"slices"
	"strings"
)

// Verbs of the annotations, after "//commute:".
const (
	Atomic    = "atomic"
	NotAtomic = "notatomic"
)

const prefix = "//commute:"

// Meant reports whether a comment is an annotation, or meant as one.
func Meant(c *ast.Comment) bool { return read(c, nil).form != none }

func isVerb(verb string) bool { return verb == Atomic || verb == NotAtomic }

// A form is how an annotation is written.
type form int

const (
	none      form = iota
	bare           // //atomic
	spaced         // // atomic, which counts in doc comments only
	directive      // //commute:atomic or //commute:notatomic
	miss           // nearly one of these
)

// An annotation is a comment that may be one.
type annotation struct {
	*ast.Comment
	group *ast.CommentGroup
	form  form
	verb  string
	want  string // for a miss: how it is written
}

// read reads one comment. Prose is of no form.
func read(c *ast.Comment, group *ast.CommentGroup) annotation {
	a := annotation{Comment: c, group: group, verb: Atomic}
	text, ok := strings.CutPrefix(c.Text, "//")
	if !ok {
		return a // /* */ is prose
	}
	text = strings.TrimRight(text, " \t\r")
	rest, isDirective := strings.CutPrefix(text, "commute:")
	verb, _, _ := strings.Cut(strings.ReplaceAll(rest, "\t", " "), " ")
	switch {
	case isDirective && isVerb(verb):
		a.form, a.verb = directive, verb
	case text == Atomic:
		a.form = bare
	case text == " "+Atomic:
		a.form = spaced
	default:
		if a.want = near(text); a.want != "" {
			a.form = miss
			if strings.Contains(a.want, NotAtomic) {
				a.verb = NotAtomic
			}
		}
	}
	return a
}

// near returns the annotation that a comment was perhaps meant as, or "". A space makes prose of all but
// the directives.
func near(text string) string {
	trimmed := strings.TrimLeft(text, " \t")
	rest, isDirective := cutFold(trimmed, "commute:")
	word := rest
	if i := strings.IndexAny(rest, " \t"); i >= 0 {
		word = rest[:i]
	}
	tail := rest[len(word):]
	word, colon, _ := strings.Cut(word, ":")
	verb := strings.ToLower(strings.TrimRight(word, ".!"))
	switch {
	case !spelled(word):
		return ""
	case isDirective && isVerb(verb):
		return prefix + verb + tail
	case isDirective || trimmed != text:
		return ""
	case verb == NotAtomic:
		return prefix + NotAtomic + tail
	case verb == Atomic && strings.TrimSpace(colon+tail) == "":
		return "//" + Atomic
	case word == Atomic && strings.HasPrefix(rest, Atomic+":"):
		return prefix + Atomic + " " + strings.TrimSpace(colon+tail)
	}
	return ""
}

func cutFold(s, prefix string) (string, bool) {
	if len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix) {
		return s[len(prefix):], true
	}
	return s, false
}

// Mentioned reports, without parsing, whether source text may have an annotation, or nearly one.
func Mentioned(text string) bool {
	if !spelled(text) {
		return false // as is quickly found out of most
	}
	for {
		_, after, ok := strings.Cut(text, "//")
		if !ok {
			return false
		}
		text = after
		word, _ := cutFold(strings.TrimLeft(text, "/ \t"), "commute:")
		word, not := cutFold(word, "not")
		rest, ok := cutFold(word, Atomic)
		if ok && (not || rest == "" || !isLetter(rest[0])) {
			return true
		}
	}
}

// spelled reports whether a text has the word, in one of the usual cases.
func spelled(text string) bool {
	return strings.Contains(text, "tomic") || strings.Contains(text, "TOMIC")
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' || c == '_' }

// annotations lists the comments of a file that are annotations, or nearly.
func annotations(file *ast.File) (list []annotation) {
	for _, group := range file.Comments {
		for _, c := range group.List {
			if a := read(c, group); a.form != none {
				list = append(list, a)
			}
		}
	}
	return list
}

// stands reports whether an annotation in a doc comment is at the beginning or at the end of a
// paragraph, and not a line of prose that broke there.
func (a annotation) stands() bool {
	i := slices.Index(a.group.List, a.Comment)
	prose := func(i int) bool {
		if i < 0 || i >= len(a.group.List) {
			return false
		}
		text := strings.TrimPrefix(a.group.List[i].Text, "//")
		return strings.TrimSpace(text) != "" && (text[0] == ' ' || text[0] == '\t')
	}
	return !prose(i-1) || !prose(i+1)
}
