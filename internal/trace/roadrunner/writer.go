// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package roadrunner

import (
	"bufio"
	"fmt"
	"io"

	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace"
)

// A Writer writes a trace as RoadRunner does. Merging releases and touches of access points are
// errors, since RoadRunner has no such events.
type Writer struct {
	w       *bufio.Writer
	tables  *trace.Tables
	threads *trace.Labels
	vars    *trace.Labels
	locks   *trace.Labels
	written uint64
}

// NewWriter writes events whose numbers are as in tables.
func NewWriter(w io.Writer, tables *trace.Tables) *Writer {
	return &Writer{
		w: bufio.NewWriterSize(w, 1<<16), tables: tables,
		threads: trace.NewLabels(tables.Threads, ","), vars: trace.NewLabels(tables.Vars, ","),
		locks: trace.NewLabels(tables.Locks, ","),
	}
}

// Write writes events.
func (w *Writer) Write(events []event.Event) error {
	for i := range events {
		e := &events[i]
		thread := w.threads.Of(e.Thread)
		var err error
		switch e.Op {
		case event.Read:
			_, err = fmt.Fprintf(w.w, "@ Rd(%s,%s) - %s\n", thread, w.vars.Of(e.Target), w.pos(e))
		case event.Write:
			_, err = fmt.Fprintf(w.w, "@ Wr(%s,%s) - %s\n", thread, w.vars.Of(e.Target), w.pos(e))
		case event.Acquire:
			_, err = fmt.Fprintf(w.w, "@ Acquire(%s,%s) - %s\n", thread, w.locks.Of(e.Target),
				w.pos(e))
		case event.Release:
			_, err = fmt.Fprintf(w.w, "@ Release(%s,%s) - %s\n", thread, w.locks.Of(e.Target),
				w.pos(e))
		case event.Fork:
			_, err = fmt.Fprintf(w.w, "@ Start(%s,%s) - %s\n", thread, w.threads.Of(e.Target),
				w.pos(e))
		case event.Join:
			_, err = fmt.Fprintf(w.w, "@ Join(%s,%s) - %s\n", thread, w.threads.Of(e.Target),
				w.pos(e))
		case event.Begin:
			_, err = fmt.Fprintf(w.w, "@ Enter(%s,%s)\n", thread, w.pos(e))
		case event.End:
			_, err = fmt.Fprintf(w.w, "@ Exit(%s,%s)\n", thread, w.pos(e))
		default:
			err = &trace.Error{
				Place: trace.Place{Event: w.written + uint64(i)},
				Text:  fmt.Sprintf("RoadRunner has no operation %s", e.Op),
				Hint:  "write the binary format",
			}
		}
		if err != nil {
			return err
		}
	}
	w.written += uint64(len(events))
	return nil
}

// pos is a position as one word.
func (w *Writer) pos(e *event.Event) []byte {
	pos := []byte(w.tables.Pos(e.Pos))
	for i, c := range pos {
		if c <= ' ' || c == 0x7f || c == ',' {
			pos[i] = '_'
		}
	}
	if len(pos) == 0 {
		return []byte("-")
	}
	return pos
}

// Close writes the rest of the trace.
func (w *Writer) Close() error { return w.w.Flush() }
