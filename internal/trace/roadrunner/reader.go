// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package roadrunner

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strconv"

	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace"
)

// MaxLine is the greatest length of a line.
const MaxLine = 1 << 16

// A Reader reads a trace of RoadRunner.
type Reader struct {
	lines  *bufio.Reader
	tables *trace.Tables
	line   int   // the number of the line read last, from 1
	places []int // the lines of the events of the last Read
	held   error // the error in the line after those
	offset int64
}

// NewReader reads a trace from its beginning.
func NewReader(r io.Reader) *Reader {
	t := trace.NewTables()
	t.Mutexes = true
	t.Places = trace.NewNames("")
	t.Places.Add([]byte("-")) // of events without a location
	return &Reader{lines: bufio.NewReaderSize(r, MaxLine), tables: t}
}

// Tables has the names of threads, locks, variables and positions.
func (r *Reader) Tables() *trace.Tables { return r.tables }

// Place is the line of event i of the last Read.
func (r *Reader) Place(i int) trace.Place { return trace.Place{Line: r.places[i], Col: 1} }

// Offset is the number of bytes of the text that were read.
func (r *Reader) Offset() int64 { return r.offset }

// Read reads the next events.
func (r *Reader) Read(events []event.Event) (int, error) {
	r.places = r.places[:0]
	if r.held != nil {
		return 0, r.held
	}
	for n := 0; n < len(events); {
		line, err := r.next()
		if err == nil {
			var is bool
			is, err = r.parse(line, &events[n])
			if is && err == nil {
				r.places = append(r.places, r.line)
				n++
			}
		}
		if err != nil && n > 0 {
			r.held = err
			return n, nil
		}
		if err != nil {
			return 0, err
		}
	}
	return len(events), nil
}

// next is the next line, nil for a long one that is no event.
func (r *Reader) next() ([]byte, error) {
	line, err := r.lines.ReadSlice('\n')
	r.offset += int64(len(line))
	if len(line) == 0 || err != nil && err != io.EOF && err != bufio.ErrBufferFull {
		return nil, err
	}
	r.line++
	if err == bufio.ErrBufferFull {
		if line[0] == '@' {
			return nil, r.fail(MaxLine, fmt.Sprintf("a line of more than %d bytes", MaxLine), shape)
		}
		for err == bufio.ErrBufferFull { // a program may print long lines
			var rest []byte
			rest, err = r.lines.ReadSlice('\n')
			r.offset += int64(len(rest))
		}
		if err != nil && err != io.EOF {
			return nil, err
		}
		return nil, nil
	}
	return bytes.TrimRight(line, "\r\n"), nil
}

// shape is the hint for a line that begins like an event and is none.
const shape = "want @ Operation(thread,operand), and a location after reads and writes"

// fail is an error in the present line.
func (r *Reader) fail(col int, text, hint string) error {
	return &trace.Error{Place: trace.Place{Line: r.line, Col: col}, Text: text, Hint: hint}
}

// operations are the kinds of events by RoadRunner's names; 0 is ignored.
var operations = map[string]event.Kind{
	"Rd": event.Read, "ARd": event.Read, "Wr": event.Write, "AWr": event.Write,
	"Acquire": event.Acquire, "Release": event.Release,
	"Start": event.Fork, "Join": event.Join, "Enter": event.Begin, "Exit": event.End, "Dummy": 0,
}

// parse reports whether a line is an event, and makes it. A line is output of the program unless it
// begins with @, white space, the name of an operation and a parenthesis.
func (r *Reader) parse(line []byte, e *event.Event) (is bool, err error) {
	if len(line) < 2 || line[0] != '@' || !space(line[1]) {
		return false, nil
	}
	at := 1
	for at < len(line) && space(line[at]) {
		at++
	}
	paren := bytes.IndexByte(line[at:], '(')
	if paren < 0 {
		return false, nil
	}
	op, ok := operations[string(line[at:at+paren])]
	if !ok {
		return false, nil
	}
	at += paren + 1
	comma := bytes.IndexByte(line[at:], ',')
	if comma < 0 {
		return false, r.fail(len(line)+1, "an event without an operand", shape)
	}
	thread := line[at : at+comma]
	if len(thread) == 0 || bytes.ContainsAny(thread, " \t\v\f\r\x00") {
		return false, r.fail(at+1, "no name of a thread: "+quoted(thread), shape)
	}
	at += comma + 1
	end := at
	for end < len(line) && !space(line[end]) && line[end] != ',' {
		end++
	}
	close := bytes.LastIndexByte(line[at:end], ')')
	if close < 0 {
		return false, r.fail(end+1,
			"an operand whose parenthesis is not closed: "+quoted(line[at:end]), shape)
	}
	operand := line[at : at+close]
	if len(operand) == 0 || bytes.IndexByte(operand, 0) >= 0 {
		return false, r.fail(at+1, "no name of an operand: "+quoted(operand), shape)
	}
	location := lastWord(line[at+close+1:])
	if (op == event.Read || op == event.Write) && len(location) == 0 {
		return false, r.fail(len(line)+1, "a read or write without a location", shape)
	}
	if op == 0 {
		return false, nil
	}
	return true, r.make(e, op, thread, operand, location)
}

// lastWord is the second word after the parenthesis, or else the first.
func lastWord(rest []byte) []byte {
	words := bytes.FieldsFunc(rest,
		func(c rune) bool { return c == ',' || c < 128 && space(byte(c)) })
	switch {
	case len(words) == 0:
		return nil
	case len(words) == 1:
		return words[0]
	}
	return words[1]
}

// make makes an event, and numbers new names.
func (r *Reader) make(e *event.Event, op event.Kind, thread, operand, location []byte) error {
	t := r.tables
	*e = event.Event{Op: op}
	var ok, ok2 bool
	e.Thread, ok = t.Threads.Intern(thread)
	ok2 = true
	switch op {
	case event.Read, event.Write:
		e.Target, ok2 = t.Vars.Intern(operand)
	case event.Acquire, event.Release:
		e.Target, ok2 = t.Locks.Intern(operand)
	case event.Fork, event.Join:
		e.Target, ok2 = t.Threads.Intern(operand)
	case event.Begin, event.End:
		location = operand
	}
	ok3 := true
	if len(location) > 0 && bytes.IndexByte(location, 0) < 0 {
		e.Pos, ok3 = t.Places.Intern(location)
	}
	if !ok || !ok2 || !ok3 {
		return r.fail(1, "more than 4294967295 names", "split the trace")
	}
	return nil
}

// space reports whether c is white space.
func space(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

// quoted is a piece of a line, short enough to be shown.
func quoted(s []byte) string {
	const most = 60
	if len(s) > most {
		return strconv.Quote(string(s[:most]) + "...")
	}
	return strconv.Quote(string(s))
}
