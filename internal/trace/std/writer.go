// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package std

import (
	"bufio"
	"fmt"
	"io"
	"strconv"

	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace"
)

// A Writer writes a trace in STD. Merging releases and touches of access points are errors, since
// STD has no such events; positions become numbers.
type Writer struct {
	w       *bufio.Writer
	tables  *trace.Tables
	threads *trace.Labels
	vars    *trace.Labels
	locks   *trace.Labels
	written uint64
	line    []byte
}

// NewWriter writes events whose numbers are as in tables.
func NewWriter(w io.Writer, tables *trace.Tables) *Writer {
	return &Writer{
		w: bufio.NewWriterSize(w, 1<<16), tables: tables,
		threads: trace.NewLabels(tables.Threads, "|"), vars: trace.NewLabels(tables.Vars, "|"),
		locks: trace.NewLabels(tables.Locks, "|"),
	}
}

// words are the operations, up to the target.
var words = [...]string{
	event.Read: "|r(", event.Write: "|w(", event.Acquire: "|acq(", event.Release: "|rel(",
	event.Fork: "|fork(", event.Join: "|join(",
}

// Write writes events.
func (w *Writer) Write(events []event.Event) error {
	for i := range events {
		e := &events[i]
		line := append(w.line[:0], w.threads.Of(e.Thread)...)
		switch e.Op {
		case event.Begin:
			line = append(line, "|begin"...)
		case event.End:
			line = append(line, "|end"...)
		case event.Read, event.Write:
			line = append(append(append(line, words[e.Op]...), w.vars.Of(e.Target)...), ')')
		case event.Acquire, event.Release:
			line = append(append(append(line, words[e.Op]...), w.locks.Of(e.Target)...), ')')
		case event.Fork, event.Join:
			line = append(append(append(line, words[e.Op]...), w.threads.Of(e.Target)...), ')')
		default:
			return &trace.Error{
				Place: trace.Place{Event: w.written + uint64(i)},
				Text:  fmt.Sprintf("STD has no operation %s", e.Op),
				Hint:  "write the binary format",
			}
		}
		line = append(line, '|')
		line = strconv.AppendInt(line, int64(int32(e.Pos)), 10)
		line = append(line, '\n')
		w.line = line
		if _, err := w.w.Write(line); err != nil {
			return err
		}
	}
	w.written += uint64(len(events))
	return nil
}

// Close writes the rest of the trace.
func (w *Writer) Close() error { return w.w.Flush() }
