// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package trace

import (
	"errors"
	"fmt"

	"github.com/commutego/commute/internal/trace"
	"github.com/commutego/commute/internal/trace/raw"
)

// An Error is an error in a trace, or in an event that is to be written.
type Error struct {
	File  string // its name
	Line  int    // of a text, from 1; 0 if the trace is no text
	Col   int    // of that line, in bytes, from 1
	Event uint64 // the number of the event, from 1, if Line is 0
	Text  string
	Hint  string // how to fix the error; may be empty
}

// Error returns the error in a line: "file:line:col: text (hint)".
func (e *Error) Error() string {
	s := fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Col, e.Text)
	if e.Line == 0 {
		s = fmt.Sprintf("%s: event %d: %s", e.File, e.Event, e.Text)
	}
	if e.Hint != "" {
		s += " (" + e.Hint + ")"
	}
	return s
}

// explain makes an [*Error] of an error of the internal packages, if it is about a place in the
// file of a name. Others have the name in them already.
func explain(name string, err error) error {
	var at *trace.Error
	var line *raw.TextError
	switch {
	case errors.As(err, &at) && at.Line == 0:
		return &Error{File: name, Event: at.Event + 1, Text: at.Text, Hint: at.Hint}
	case errors.As(err, &at):
		return &Error{File: name, Line: at.Line, Col: at.Col, Text: at.Text, Hint: at.Hint}
	case errors.As(err, &line):
		return &Error{File: name, Line: line.Line, Col: line.Col, Text: line.Text}
	}
	return err
}
