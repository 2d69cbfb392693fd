// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package conccover

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// mend is what to do about a file that is no profile.
const mend = "(commute test -conc_cover=FILE writes one)"

// Parse reads the text of a profile; name is that of the file, for errors. An error is an
// [ecl.Errors] with the place of the first mistake.
func Parse(name string, text []byte) (*Profile, error) {
	p := new(Profile)
	n := 0
	for line := range bytes.Lines(text) {
		n++
		whole, ended := strings.CutSuffix(string(line), "\n")
		l := &wordLine{rest: whole, column: 1}
		switch {
		case n == 1 && !strings.HasPrefix(whole, title):
			return nil, errorAt(name, 1, 1, fmt.Sprintf("this is no profile of concurrency "+
				"coverage: the first line has to be %q %s", Header, mend))
		case n == 1 && whole != Header:
			return nil, errorAt(name, 1, len(title)+1, fmt.Sprintf("version %q of profiles is not "+
				"known: this commute reads version 1; take the commute that has written the file",
				whole[len(title):]))
		case !ended:
			return nil, errorAt(name, n, len(whole)+1,
				"the file ends in the middle of a line: write it anew "+mend)
		case n > 1:
			l.parse(p)
		}
		if l.message != "" {
			return nil, errorAt(name, n, l.at, l.message)
		}
	}
	if n == 0 {
		return nil, errorAt(name, 1, 1, "the file is empty: write it anew "+mend)
	}
	return p, nil
}

// A wordLine is a line that is being read, word by word. The first mistake stays.
type wordLine struct {
	rest    string
	column  int // of the rest, in bytes from 1
	start   int // of the word that was read last
	message string
	at      int // the column of the mistake
}

func (l *wordLine) fail(column int, format string, args ...any) {
	if l.message == "" {
		l.message, l.at = fmt.Sprintf(format, args...), column
	}
}

// parse adds a line to a profile.
func (l *wordLine) parse(p *Profile) {
	switch kind := l.word("op, pair or type"); kind {
	case "op":
		o, op := l.object(), l.operation()
		if l.end() {
			p.addOp(o, op)
		}
	case "pair":
		o, first, second := l.object(), l.operation(), l.operation()
		word := l.word("a state")
		s := slices.Index(stateWords[1:], word) + 1
		if s == 0 {
			l.fail(l.start, "%q is no state: want alone, before, after, both or unordered", word)
		}
		if l.end() {
			p.addPair(o, first, second, State(s))
		}
	case "type":
		name := l.word("the name of a type")
		var pairs []Methods
		for l.message == "" && l.rest != "" {
			pairs = append(pairs, l.methods())
		}
		if l.end() {
			p.addType(name, pairs...)
		}
	default:
		l.fail(l.start, "a line begins with op, pair or type, not with %q", kind)
	}
}

// word is the next word, and what says what it has to be.
func (l *wordLine) word(what string) string { return l.unescape(l.raw(what)) }

// raw is word as it stands there.
func (l *wordLine) raw(what string) string {
	word, rest, more := strings.Cut(l.rest, " ")
	l.start = l.column
	if word == "" {
		l.fail(l.column, "want %s here", what)
		return ""
	}
	l.rest, l.column = rest, l.column+len(word)
	if more {
		if l.column++; rest == "" {
			l.fail(l.column, "there is a space at the end of the line: take it out")
		}
	}
	return word
}

// unescape is the word, which begins at l.start, without the escapes.
func (l *wordLine) unescape(word string) string {
	var b strings.Builder
	for i := 0; i < len(word); i++ {
		c := word[i]
		if c == '%' {
			n, err := strconv.ParseUint(word[i+1:min(i+3, len(word))], 16, 8)
			if err != nil || len(word) < i+3 || escape(string(rune(n))) != word[i:i+3] {
				l.fail(l.start+i, "want an escape as %%20 here: %%25 is a percent sign")
				return word
			}
			c = byte(n)
			i += 2
		} else if special(c) {
			l.fail(l.start+i, "want an escape for the character %q: %%%02x", c, c)
		}
		b.WriteByte(c)
	}
	return b.String()
}

func (l *wordLine) object() (o Object) {
	o.Kind = Kind(l.word("call or lock"))
	if o.Kind != Call && o.Kind != Lock {
		l.fail(l.start, "%q is no kind of object: want call or lock", o.Kind)
	}
	o.Type = l.word("the name of a type")
	o.Name = l.word("the name of an object, or -")
	return o
}

func (l *wordLine) operation() (o Operation) {
	o.Method = l.word("a method")
	o.Place = l.word("a place")
	file, line := cutPlace(o.Place)
	if file == "" || line < 1 || o.Place != fmt.Sprintf("%s:%d", file, line) {
		l.fail(l.start, "%q is no place: want one as example.com/m/file.go:12", o.Place)
	}
	return o
}

// methods are two of a type.
func (l *wordLine) methods() Methods {
	word := l.raw("two methods")
	start := l.start
	first, second, two := strings.Cut(word, ",")
	if first == "" || second == "" || !two {
		l.fail(start, "want two methods with a comma between, as Load,Store")
	}
	a := l.unescape(first)
	l.start = start + len(first) + 1
	return methodsOf(a, l.unescape(second))
}

// end expects no more words. It reports whether the whole line was right.
func (l *wordLine) end() bool {
	if l.rest != "" {
		l.fail(l.column, "want the end of the line here")
	}
	return l.message == ""
}
