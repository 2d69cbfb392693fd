// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package std

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/commutego/commute/internal/trace"
)

// operations are those with an operand.
var operations = []string{"r", "w", "acq", "rel", "fork", "join"}

// diagnose is the error in the line at r.at, which parse has refused. It may be slow.
func (r *Reader) diagnose() error {
	line := r.buf[r.at:r.whole]
	line = line[:bytes.IndexByte(line, '\n')]
	line = bytes.TrimSuffix(line, []byte("\r"))
	col, text, hint := r.explain(string(line))
	place := trace.Place{Line: int(r.lines) + 1, Col: col + 1}
	return &trace.Error{Place: place, Text: text, Hint: hint}
}

// shape is the hint for a line that is none of an event.
const shape = "want thread|operation|location, as in T0|r(V1)|12"

// explain is the column of the error in a line, from 0, the error and a hint.
func (r *Reader) explain(line string) (col int, text, hint string) {
	if line == "" {
		return 0, "an empty line", shape
	}
	fields := strings.Split(line, "|")
	switch {
	case len(fields) < 3:
		return len(line), fmt.Sprintf("a line with %d fields", len(fields)), shape
	case len(fields) > 3:
		text = fmt.Sprintf("a line with %d fields", len(fields))
		return len(strings.Join(fields[:3], "|")), text, shape
	}
	if i, text := wrongName("thread", fields[0]); text != "" {
		return i, text, shape
	}
	op, at := fields[1], len(fields[0])+1
	if !strings.HasPrefix(op, "begin") && !strings.HasPrefix(op, "end") {
		if i, text, hint := wrongOperation(op); text != "" {
			return at + i, text, hint
		}
	}
	at += len(op) + 1
	loc, err := strconv.ParseInt(fields[2], 10, 64)
	switch {
	case err != nil && !isRange(err):
		text = fmt.Sprintf("location %s is no number", quoted(fields[2]))
		return at, text, "want a decimal one of 32 bits"
	case err != nil || loc < math.MinInt32 || loc > math.MaxInt32:
		text = fmt.Sprintf("location %s is too great", quoted(fields[2]))
		return at, text, "want a number of 32 bits"
	}
	// The line is right, so parse has refused it for want of a number for a name.
	return 0, "more than 4294967295 names", "split the trace"
}

// isRange reports whether a number was too great for its type.
func isRange(err error) bool { return strings.HasSuffix(err.Error(), strconv.ErrRange.Error()) }

// wrongName is the error in a name, "" if there is none.
func wrongName(kind, name string) (col int, text string) {
	if name == "" {
		return 0, "a " + kind + " without a name"
	}
	if i := spaces([]byte(name), kind == "thread"); i >= 0 {
		return i, fmt.Sprintf("white space in the name of a %s, %s", kind, quoted(name))
	}
	if i := strings.IndexByte(name, 0); i >= 0 {
		return i, fmt.Sprintf("a byte 0 in the name of a %s, %s", kind, quoted(name))
	}
	return 0, ""
}

// wrongOperation is the error in an operation with an operand, and a hint; "" if there is none.
func wrongOperation(op string) (col int, text, hint string) {
	word, name, ok := strings.Cut(op, "(")
	const want = "want r, w, acq, rel, fork or join with a name in parentheses, or begin or end"
	if !slices.Contains(operations, word) {
		return 0, "unknown operation " + quoted(op), want
	}
	if !ok {
		text = fmt.Sprintf("operation %s of nothing", word)
		return len(word), text, fmt.Sprintf("want %s(name)", word)
	}
	name, ok = strings.CutSuffix(name, ")")
	if !ok {
		text = "the parenthesis of " + quoted(op) + " is not closed"
		return len(op), text, fmt.Sprintf("want %s(name)", word)
	}
	kind := map[string]string{"r": "variable", "w": "variable", "acq": "lock", "rel": "lock"}[word]
	if kind == "" {
		kind = "thread"
	}
	i, text := wrongName(kind, name)
	return len(word) + 1 + i, text, fmt.Sprintf("want %s(name)", word)
}

// quoted is a piece of a line, short enough to be shown.
func quoted(s string) string {
	const most = 60
	if len(s) > most {
		s = s[:most] + "..."
	}
	return strconv.Quote(s)
}
