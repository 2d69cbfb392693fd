// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package ecl

import (
	"fmt"
	"go/token"
	"strings"
)

// An Error is one error in a specification, at its place in the text.
type Error struct {
	Pos  token.Position
	Text string // what is wrong
	Hint string // what to do; may be empty
	Add  string // a directive that would fix it, if there is one
}

// Error returns the error in a line: "file:line:col: text (hint)".
func (e *Error) Error() string {
	if e.Hint == "" {
		return fmt.Sprintf("%s: %s", e.Pos, e.Text)
	}
	return fmt.Sprintf("%s: %s (%s)", e.Pos, e.Text, e.Hint)
}

// Errors are the errors of a text, in the order of their lines.
type Errors []*Error

// Error returns a line for each error.
func (l Errors) Error() string {
	var lines []string
	for _, e := range l {
		lines = append(lines, e.Error())
	}
	return strings.Join(lines, "\n")
}

// with adds e, if it is one and is not in l: the pairs of a set have the same formula.
func (l Errors) with(e *Error) Errors {
	if e == nil {
		return l
	}
	for _, have := range l {
		if have.Pos == e.Pos && have.Text == e.Text {
			return l
		}
	}
	return append(l, e)
}

// errorf is an Error with a formatted text.
func errorf(pos token.Position, hint, format string, args ...any) *Error {
	return &Error{Pos: pos, Text: fmt.Sprintf(format, args...), Hint: hint}
}
