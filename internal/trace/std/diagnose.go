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

var operations = []string{"r", "w", "acq", "rel", "fork", "join"}

// diagnose says what is wrong with the line at r.at, which parse has refused. It takes its time.
func (r *Reader) diagnose() error {
	line := r.buf[r.at:r.whole]
	line = line[:bytes.IndexByte(line, '\n')]
	line = bytes.TrimSuffix(line, []byte("\r"))
	col, text, mend := r.explain(string(line))
	return &trace.Error{Place: trace.Place{Line: int(r.lines) + 1, Col: col + 1}, Text: text,
		Hint: mend}
}

const shape = "want thread|operation|location, as in T0|r(V1)|12"

// explain is the column, from 0, of what is wrong with a line, what it is and how to mend it.
func (r *Reader) explain(line string) (col int, text, mend string) {
	if line == "" {
		return 0, "an empty line", shape
	}
	fields := strings.Split(line, "|")
	switch {
	case len(fields) < 3:
		return len(line), fmt.Sprintf("a line with %d fields", len(fields)), shape
	case len(fields) > 3:
		return len(strings.Join(fields[:3], "|")), fmt.Sprintf("a line with %d fields",
			len(fields)), shape
	}
	if i, text := wrongName("thread", fields[0]); text != "" {
		return i, text, shape
	}
	op, at := fields[1], len(fields[0])+1
	if !strings.HasPrefix(op, "begin") && !strings.HasPrefix(op, "end") {
		if i, text, mend := wrongOperation(op); text != "" {
			return at + i, text, mend
		}
	}
	at += len(op) + 1
	loc, err := strconv.ParseInt(fields[2], 10, 64)
	switch {
	case err != nil && !isRange(err):
		return at, fmt.Sprintf("location %s is no number",
			quoted(fields[2])), "want a decimal one of 32 bits"
	case err != nil || loc < math.MinInt32 || loc > math.MaxInt32:
		return at, fmt.Sprintf("location %s is too great",
			quoted(fields[2])), "want a number of 32 bits"
	}
	return 0, "more than 4294967295 names", "split the trace"
}

func isRange(err error) bool { return strings.HasSuffix(err.Error(), strconv.ErrRange.Error()) }

// wrongName says what is wrong with a name, "" if nothing is.
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

func wrongOperation(op string) (col int, text, mend string) {
	word, name, ok := strings.Cut(op, "(")
	const want = "want r, w, acq, rel, fork or join with a name in parentheses, or begin or end"
	if !slices.Contains(operations, word) {
		return 0, "unknown operation " + quoted(op), want
	}
	if !ok {
		return len(word), fmt.Sprintf("operation %s of nothing", word), fmt.Sprintf("want %s(name)",
			word)
	}
	name, ok = strings.CutSuffix(name, ")")
	if !ok {
		return len(op), "the parenthesis of " + quoted(op) +
			" is not closed", fmt.Sprintf("want %s(name)", word)
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
