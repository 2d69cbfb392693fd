// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package transaction

import (
	"go/ast"
	"slices"
	"strings"

	"github.com/commutego/commute/internal/suggest"
)

// Verbs of the annotations, after "//commute:".
const (
	Atomic    = "atomic"
	NotAtomic = "notatomic"
)

// prefix begins an annotation that is a directive.
const prefix = "//commute:"

// Meant reports whether a comment is an annotation, or meant as one.
func Meant(c *ast.Comment) bool { return read(c, nil).form != none }

// isVerb reports whether a word is one of the two verbs.
func isVerb(verb string) bool { return verb == Atomic || verb == NotAtomic }

// A form is how an annotation is written.
type form int

const (
	none      form = iota // prose
	bare                  // //atomic
	spaced                // // atomic, which counts in doc comments only
	directive             // //commute:atomic or //commute:notatomic
	miss                  // nearly one of these
	lone                  // one word that is nearly "atomic"; above a function it may be meant
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
	a := annotation{Comment: c, group: group}
	a.form, a.verb, a.want = classify(c.Text)
	return a
}

// classify is the form of a comment, its verb and, if it is nearly an annotation, how that is
// written.
func classify(comment string) (f form, verb, want string) {
	text, ok := strings.CutPrefix(comment, "//")
	if !ok { // a /* comment is prose, unless it has one word only
		word := strings.Trim(strings.TrimSuffix(strings.TrimPrefix(comment, "/*"), "*/"), " \t")
		if word == Atomic || guess(word) != "" {
			return lone, Atomic, "//" + Atomic
		}
		return none, Atomic, ""
	}
	text = strings.TrimRight(text, " \t\r")
	rest, isDirective := strings.CutPrefix(text, "commute:")
	name, _, _ := strings.Cut(strings.ReplaceAll(rest, "\t", " "), " ")
	switch {
	case isDirective && isVerb(name):
		return directive, name, ""
	case text == Atomic:
		return bare, Atomic, ""
	case text == " "+Atomic:
		return spaced, Atomic, ""
	}
	if want, f = near(text), miss; want == "" {
		want, f = guess(strings.TrimLeft(text, " \t")), lone
	}
	switch {
	case want == "":
		return none, Atomic, ""
	case strings.Contains(want, NotAtomic):
		return f, NotAtomic, want
	}
	return f, Atomic, want
}

// guess returns the annotation that a comment of one word was perhaps meant as, or "". One letter
// may be wrong, missing or too many, or two if the first and the last are right.
func guess(word string) string {
	word, compiler := strings.CutPrefix(word, "go:")
	name := strings.ToLower(word)
	if len(name) < 4 || len(name) > 11 ||
		strings.ContainsFunc(name, func(r rune) bool { return r < 'a' || r > 'z' }) {
		return ""
	}
	d := suggest.Distance(name, Atomic)
	switch {
	case d == 1, d == 2 && name[0] == 'a' && name[len(name)-1] == 'c', d == 0 && compiler:
		return "//" + Atomic
	case suggest.Distance(name, NotAtomic) <= 2 && (compiler || name != NotAtomic):
		return prefix + NotAtomic
	}
	return ""
}

// near returns the annotation that a comment was perhaps meant as, or "". With a space before it,
// only a directive can be meant; all else is prose.
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

// cutFold is strings.CutPrefix without regard to case.
func cutFold(s, prefix string) (string, bool) {
	if len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix) {
		return s[len(prefix):], true
	}
	return s, false
}

// Mentioned reports, without parsing, whether source text may have an annotation, or nearly one. It
// runs on every file of a build, so a few characters decide for most comments.
func Mentioned(text string) bool {
	for {
		i := strings.IndexByte(text, '/')
		if i < 0 || i+2 >= len(text) {
			return false
		}
		c := text[i+1]
		if text = text[i+1:]; c != '/' && c != '*' {
			continue
		}
		rest := strings.TrimLeft(text[1:], " \t")
		// The first letter may be that of a directive, or of a comment with one word.
		if len(rest) < 4 ||
			!strings.ContainsRune("abcgnotmiABCGNOTMI", rune(rest[0])) && !isLetter(rest[0]) {
			continue
		}
		line := text[1:]
		if c == '*' {
			line, _, _ = strings.Cut(line, "*/")
		} else if end := strings.IndexByte(line, '\n'); end >= 0 {
			line = line[:end]
		}
		if _, more, found := strings.Cut(strings.TrimSpace(line), " "); found && !spelled(line) &&
			more != "" {
			continue // several words without "atomic" in them: most comments end here
		}
		if f, _, _ := classify("/" + string(c) + line); f != none {
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

// atParagraphEdge reports whether an annotation in a doc comment is the first or the last line of a
// paragraph. Inside of one it is prose that was wrapped there.
func (a annotation) atParagraphEdge() bool {
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

// blank reports whether the i-th comment of the annotation's group separates paragraphs: it is
// empty, or a directive.
func (a annotation) blank(i int) bool {
	text := strings.TrimPrefix(a.group.List[i].Text, "//")
	return strings.TrimSpace(text) == "" || text[0] != ' ' && text[0] != '\t'
}
