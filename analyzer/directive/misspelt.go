// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package directive

import (
	"fmt"
	"slices"
	"strings"

	"github.com/commutego/commute/analyzer/transaction"
	"github.com/commutego/commute/ecl"
	"github.com/commutego/commute/internal/suggest"
)

// verbs are what may follow "//commute:".
var verbs = []string{Ignore, concurrent, transaction.Atomic, transaction.NotAtomic}

// words are near to "commute", and stand in comments before a colon.
var words = []string{"compute", "computed", "computes", "computer", "commuted", "commutes",
	"commuter", "communes"}

// misspelt says which directive a comment was perhaps meant as that is none, and how it is written,
// if that is clear. The message is "" if the comment is prose, or another tool's.
func misspelt(comment string) (message, fix string) {
	text, ok := strings.CutPrefix(comment, "//")
	block := !ok
	if block {
		text = strings.TrimSuffix(strings.TrimPrefix(comment, "/*"), "*/")
	}
	trimmed := strings.TrimLeft(text, " \t")
	spaced := trimmed != text
	word, rest := letters(trimmed)
	switch {
	case word == "":
		return "", ""
	case !strings.HasPrefix(rest, ":"):
		return noColon(word, rest, spaced || block)
	}
	rest = rest[1:]
	switch name := strings.ToLower(word); {
	case (name == "nolint" || name == "lint") && !block && linted(rest):
		return fmt.Sprintf("commute doesn't read //%s; did you mean %s%s and why?", word, prefix,
			Ignore), ""
	case suggest.Distance(name, "commute") <= 2:
		return nearCommute(word, rest, spaced, block)
	case suggest.Distance(name, "ecl") <= 1 && !block:
		return nearECL(word, rest, spaced), ""
	}
	return "", ""
}

// letters splits a text behind its first word.
func letters(text string) (word, rest string) {
	n := 0
	for n < len(text) && 'a' <= text[n]|0x20 && text[n]|0x20 <= 'z' {
		n++
	}
	return text[:n], text[n:]
}

// linted reports whether a linter's directive names commute.
func linted(rest string) bool {
	list := strings.Fields(rest)
	if len(list) > 1 && strings.HasSuffix(list[0], "ignore") { // lint:ignore check reason
		list = list[1:]
	}
	return len(list) > 0 && slices.Contains(strings.Split(list[0], ","), "commute")
}

// noColon finds "//commute ignore why", where a colon is missing.
func noColon(word, rest string, prose bool) (message, fix string) {
	if word != "commute" || rest == "" || prose || !strings.ContainsAny(rest[:1], " -_.") {
		return "", ""
	}
	verb, tail := letters(rest[1:])
	if !slices.Contains(verbs, verb) || tail != "" && tail[0] != ' ' {
		return "", ""
	}
	return fmt.Sprintf("a colon is missing; did you mean %s%s?", prefix, verb), prefix + verb + tail
}

// nearCommute is about what stands before a colon for commute.
func nearCommute(word, rest string, spaced, block bool) (message, fix string) {
	if word == "commute" && !spaced && !block {
		return "", "" // it is one
	}
	verb, tail := letters(strings.TrimLeft(rest, " \t"))
	want := strings.ToLower(verb)
	english := slices.Contains(words, strings.ToLower(word))
	if !slices.Contains(verbs, want) && !english {
		want = suggest.Typo(want, verbs)
	}
	switch {
	case spaced && strings.HasPrefix(rest, " "), english && !slices.Contains(verbs, want):
		return "", "" // prose
	case want == "" && (spaced || block || verb == ""):
		return "", ""
	case want == "":
		return fmt.Sprintf("unknown directive //%s:%s; there are %s", word, verb, all()), ""
	case block:
		return fmt.Sprintf("a directive is a comment of its own line, with //; did you mean %s%s?",
			prefix, want), ""
	case word == "commute" && want == verb:
		return fmt.Sprintf("a directive has no space after the slashes; did you mean %s%s?", prefix,
			verb), prefix + verb + tail
	}
	return fmt.Sprintf("unknown directive //%s:%s; did you mean %s%s?", word, verb, prefix, want),
		prefix + want + tail
}

// nearECL is about what stands before a colon for ecl: its letters in another order, or one that is
// wrong before a word that nobody else has there.
func nearECL(word, rest string, spaced bool) (message string) {
	directive, _ := letters(rest)
	name := strings.ToLower(word)
	own := []string{"commute", "observer", "mutator", "arbiter", "callback", "identity", "shadow"}
	switch {
	case word == "ecl":
		return ""
	case (name == "ecl" || name == "elc" || name == "cel") &&
		slices.Contains(ecl.Directives(), directive):
	case !spaced && slices.Contains(own, directive):
	default:
		return ""
	}
	return fmt.Sprintf("unknown directive //%s:%s; did you mean //ecl:%[2]s?", word, directive)
}

// all lists the directives.
func all() string {
	var list []string
	for _, v := range verbs {
		list = append(list, prefix+v)
	}
	return strings.Join(list[:len(list)-1], ", ") + " and " + list[len(list)-1]
}

// suspect reports whether source text may have a comment that is misspelt.
func suspect(text string) bool {
	for {
		i := strings.IndexByte(text, '/')
		if i < 0 || i+2 >= len(text) {
			return false
		}
		c := text[i+1]
		if text = text[i+1:]; c != '/' && c != '*' {
			continue
		}
		line := text[1:]
		word, rest := letters(strings.TrimLeft(line[:min(len(line), 40)], " \t"))
		if len(word) < 2 || len(word) > 9 || rest == "" || rest[0] != ':' && word != "commute" {
			continue
		}
		if end := strings.IndexByte(line, '\n'); end >= 0 {
			line = line[:end]
		}
		line = strings.TrimRight(line, "\r")
		if message, _ := misspelt("/" + string(c) + line); message != "" {
			return true
		}
	}
}
