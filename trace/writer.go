// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package trace

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace"
	"github.com/commutego/commute/internal/trace/spec"
	"github.com/commutego/commute/internal/trace/tracefile"
)

// A Writer writes a trace. It is for one goroutine at a time. Writing an event takes constant time.
// The Writer keeps each name once.
type Writer struct {
	out       *tracefile.Output
	numbers   bool // positions are numbers
	tables    *trace.Tables
	validator event.Validator
	written   uint64
	event     [1]event.Event
	err       error // the first

	pairs   [][2]uint32 // of access points that conflict
	touched uint32      // so many points are part of what the validator knows
	stale   bool        // pairs has more than the relation
}

// maxPositions is the number of positions that a trace can have.
const maxPositions = 1 << 28

// NewWriter writes a trace to w, which stays open: see [Writer.Close].
func NewWriter(w io.Writer, format Format) (*Writer, error) {
	t := trace.NewTables()
	t.Mutexes = format == STD || format == RoadRunner
	n := &Writer{numbers: format == STD, tables: t}
	n.validator.Mutexes = t.Mutexes
	if !n.numbers {
		t.Places = trace.NewNames("pos ")
		t.Places.Grow(0) // of events without a position
		if format == RoadRunner {
			t.Places.Set(0, "-")
		}
	}
	out, err := tracefile.NewOutput(w, "trace", string(format), spec.S2, t)
	if err != nil {
		return nil, err
	}
	n.out = out
	return n, nil
}

// Conflict says that two access points conflict; a point may conflict with itself. It must be
// called before the first event that touches one of the two points.
func (w *Writer) Conflict(point, other string) error {
	if w.err != nil {
		return w.err
	}
	var pair [2]uint32
	for i, name := range []string{point, other} {
		var err error
		if pair[i], err = w.intern(w.tables.Points, name, "an access point"); err != nil {
			return err
		}
	}
	if max(pair[0], pair[1]) < w.touched {
		return w.fail(fmt.Sprintf("%s and %s have been touched before they conflict", point, other),
			"say which points conflict before the events that touch them")
	}
	w.pairs, w.stale = append(w.pairs, pair), true
	return nil
}

// relate makes the relation of the points so far.
func (w *Writer) relate() error {
	points := uint32(w.tables.Points.Len())
	relation, err := event.NewRelation(points, w.pairs...)
	if err != nil {
		return err
	}
	w.tables.Relation, w.validator.Relation = relation, relation
	w.touched, w.stale = points, false
	return nil
}

// Write writes an event. It refuses one that makes the trace ill-formed, or that the format can't
// have, with an [*Error]. After an error, Write and Close return it again.
func (w *Writer) Write(e Event) error {
	if w.err != nil {
		return w.err
	}
	n, err := w.numbered(e)
	if err != nil {
		return err
	}
	if err := w.validator.Event(n); err != nil {
		at := trace.Place{Event: w.written}
		w.err = explain("trace", trace.Explain(w.tables, n, at, err))
		return w.err
	}
	if err := w.out.Write(w.event[:]); err != nil {
		w.err = explain("trace", err)
		return w.err
	}
	w.written++
	return nil
}

// numbered is an event as the formats' writers take it. New names get numbers.
func (w *Writer) numbered(e Event) (n *event.Event, err error) {
	if !e.Op.valid() {
		return nil, w.fail(fmt.Sprintf("there is no operation %d", e.Op), "")
	}
	n = &w.event[0]
	*n = event.Event{Op: event.Kind(e.Op)}
	if n.Thread, err = w.intern(w.tables.Threads, e.Thread, "a thread"); err != nil {
		return nil, err
	}
	if n.Pos, err = w.place(e.Pos); err != nil {
		return nil, err
	}
	switch e.Op {
	case Read, Write:
		n.Target, err = w.intern(w.tables.Vars, e.Target, "a variable")
	case Split:
		if n.Target, err = w.intern(w.tables.Vars, e.Target, "a variable"); err == nil {
			n.Point, err = w.intern(w.tables.Vars, e.Point, "a variable to split")
		}
	case Acquire, Release, ReleaseMerge:
		n.Target, err = w.intern(w.tables.Locks, e.Target, "a lock")
	case Fork, Join:
		n.Target, err = w.intern(w.tables.Threads, e.Target, "a thread to "+e.Op.String())
	case Touch:
		if n.Target, err = w.intern(w.tables.Objects, e.Target, "an object"); err == nil {
			n.Point, err = w.point(e.Point)
		}
	}
	return n, err
}

// point is the number of an access point that is touched.
func (w *Writer) point(name string) (uint32, error) {
	number, ok := w.tables.Points.Find([]byte(name))
	if !ok {
		return 0, w.fail(fmt.Sprintf("access point %q conflicts with none", name),
			"Writer.Conflict says which points do")
	}
	if w.stale {
		if err := w.relate(); err != nil {
			return 0, w.fail(err.Error(), "")
		}
	}
	return number, nil
}

// place is the number of a position.
func (w *Writer) place(pos string) (uint32, error) {
	switch {
	case w.numbers:
		if pos == "" {
			return 0, nil
		}
		n, err := strconv.ParseInt(pos, 10, 32)
		if err != nil {
			return 0, w.fail(fmt.Sprintf("position %q is no number of 32 bits", pos),
				"STD has no others; the other formats have")
		}
		return uint32(n), nil
	case pos == "":
		return 0, nil
	case w.tables.Places.Len() == maxPositions:
		return 0, w.fail(fmt.Sprintf("there may be %d positions", maxPositions), "")
	}
	return w.intern(w.tables.Places, pos, "a position")
}

// intern is the number of a name.
func (w *Writer) intern(names *trace.Names, name, what string) (uint32, error) {
	if name == "" {
		return 0, w.fail(what+" has no name", "")
	}
	if strings.ContainsFunc(name, func(c rune) bool { return c <= ' ' || c == 0x7f }) {
		return 0, w.fail(fmt.Sprintf("%s is called %q, which has white space", what, name), "")
	}
	number, ok := names.Intern([]byte(name))
	if !ok {
		return 0, w.fail(fmt.Sprintf("%s of a name of %d bytes is one too many", what, len(name)),
			"there may be 2^32-1 names of up to 2^24-1 bytes")
	}
	return number, nil
}

// fail is the error that ends the trace.
func (w *Writer) fail(text, hint string) error {
	w.err = &Error{File: "trace", Event: w.written + 1, Text: text, Hint: hint}
	return w.err
}

// Close writes the rest of the trace, which is incomplete before. It does not close the argument of
// [NewWriter].
func (w *Writer) Close() error {
	if w.err != nil {
		w.out.Discard()
		return w.err
	}
	w.err = fmt.Errorf("trace: the writer is closed")
	if err := w.out.Close(); err != nil {
		return explain("trace", err)
	}
	return nil
}
