// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package silence reads and writes the file that says which findings are not to be reported: of
// runs, of recorded traces, and of vet.
//
// Input: the file's text. A line is one or more patterns, with " && " between, which all have to
// match a text of a finding; and behind a # the reason, "until DATE" and "owner NAME", with ;
// between. The texts of a finding are its kind, as "kind:data race", the functions and files in its
// stacks, and the name of the declaration. Output: which lines hold for a finding, which have
// expired, and new lines for findings.
package silence

import (
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"
)

// A File is a file of such lines.
type File struct {
	Name  string
	Lines []*Line
	text  []string // as it was read
}

// A Line is one that is neither empty nor a comment.
type Line struct {
	Number int    // from 1
	Text   string // the patterns
	Reason string
	Owner  string
	Until  time.Time // the last day on which it holds; zero: for ever

	patterns []*regexp.Regexp
}

// dateFormat is how a date is written: 2026-12-31.
const dateFormat = time.DateOnly

// Parse reads a file. An error has the place, "name:line:col".
func Parse(name, text string) (*File, error) {
	f := &File{Name: name}
	for text := range strings.Lines(text) {
		text = strings.TrimRight(text, "\r\n")
		f.text = append(f.text, text)
		patterns, comment, _ := strings.Cut(text, "#")
		if patterns = strings.TrimSpace(patterns); patterns == "" {
			continue
		}
		l := &Line{Number: len(f.text), Text: patterns}
		if !utf8.ValidString(text) {
			return nil, fmt.Errorf("%s:%d:1: the line is no text in UTF-8 (write names as Go has "+
				"them)", name, l.Number)
		}
		for p := range strings.SplitSeq(patterns, " && ") {
			if p = strings.TrimSpace(p); p == "" {
				return nil, fmt.Errorf("%s:%d:%d: there is no pattern beside && (write PATTERN && "+
					"PATTERN)", name, l.Number, strings.Index(text, "&&")+1)
			}
			l.patterns = append(l.patterns, Compile(p))
		}
		if err := l.comment(comment); err != nil {
			return nil, fmt.Errorf("%s:%d:%d: %w", name, l.Number, len(text)-len(comment)+1, err)
		}
		f.Lines = append(f.Lines, l)
	}
	return f, nil
}

// comment reads what stands behind the patterns.
func (l *Line) comment(text string) (err error) {
	var reason []string
	for part := range strings.SplitSeq(text, ";") {
		part = strings.TrimSpace(part)
		if date, ok := strings.CutPrefix(part, "until "); ok {
			if l.Until, err = time.Parse(dateFormat, strings.TrimSpace(date)); err != nil {
				return fmt.Errorf("%q is no date (write until 2026-12-31)",
					strings.TrimSpace(date))
			}
			continue
		}
		if owner, ok := strings.CutPrefix(part, "owner "); ok {
			l.Owner = strings.TrimSpace(owner)
			continue
		}
		if part != "" {
			reason = append(reason, part)
		}
	}
	l.Reason = strings.Join(reason, "; ")
	return nil
}

// Compile makes a pattern an expression: * stands for any text, and ^ and $ at the ends bind it.
// What is no UTF-8 in it matches nothing.
func Compile(pattern string) *regexp.Regexp {
	pattern = strings.ToValidUTF8(pattern, "\ufffd")
	begin, end := "", ""
	if rest, ok := strings.CutPrefix(pattern, "^"); ok {
		pattern, begin = rest, "^"
	}
	if rest, ok := strings.CutSuffix(pattern, "$"); ok {
		pattern, end = rest, "$"
	}
	parts := strings.Split(pattern, "*")
	for i := range parts {
		parts[i] = regexp.QuoteMeta(parts[i])
	}
	return regexp.MustCompile("(?s)" + begin + strings.Join(parts, ".*") + end)
}

// Expired reports whether a line holds no longer at a time.
func (l *Line) Expired(now time.Time) bool {
	return !l.Until.IsZero() && !now.Before(l.Until.AddDate(0, 0, 1))
}

// Matches reports whether each pattern matches one of some texts.
func (l *Line) Matches(texts []string) bool {
	for _, p := range l.patterns {
		hit := false
		for _, s := range texts {
			hit = hit || s != "" && p.MatchString(s)
		}
		if !hit {
			return false
		}
	}
	return true
}

// Match returns the lines that hold for a finding with some texts at a time.
func (f *File) Match(now time.Time, texts []string) (list []*Line) {
	for _, l := range f.Lines {
		if !l.Expired(now) && l.Matches(texts) {
			list = append(list, l)
		}
	}
	return list
}

// Rules is the text of the lines that hold at a time, for programs: patterns alone, a line each.
func (f *File) Rules(now time.Time) string {
	var b strings.Builder
	for _, l := range f.Lines {
		if !l.Expired(now) {
			b.WriteString(l.Text + "\n")
		}
	}
	return b.String()
}

// String says which line it is, with the reason and the owner if they are known.
func (l *Line) String() string {
	s := l.Text
	if l.Reason != "" {
		s += " (" + l.Reason + ")"
	}
	if l.Owner != "" {
		s += ", owner " + l.Owner
	}
	return s
}
