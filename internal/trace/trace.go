// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package trace

import (
	"fmt"

	"github.com/commutego/commute/internal/event"
)

// A Reader reads a trace.
type Reader interface {
	// Read fills events with the next events and returns their number, which is at least one if the
	// error is nil. After the last event the error is [io.EOF]. An error in the trace is an
	// [*Error].
	Read(events []event.Event) (int, error)

	// Tables explains the numbers in the events read so far. Read adds to it.
	Tables() *Tables

	// Place is the place in the file of event i of the last Read.
	Place(i int) Place

	// Offset is the number of bytes of the file that were read.
	Offset() int64
}

// NoLock is the lock of events that acquire nothing, in traces with such events. No event releases
// it.
const NoLock = 0

// AllLock is a lock in recorded traces by which all threads release, and then one thread acquires.
const AllLock = NoLock + 1

// A Writer writes a trace. The numbers in the events are those of the tables that the Writer was
// made with.
type Writer interface {
	Write(events []event.Event) error
	Close() error // writes the rest; it doesn't close the file
}

// A Place is a place in a file: a line and a column of a text, both from 1, or else the number of
// an event.
type Place struct {
	Line, Col int
	Event     uint64 // from 0, if Line is 0
}

// String is the place as messages have it. There, events count from 1.
func (p Place) String() string {
	if p.Line == 0 {
		return fmt.Sprintf("event %d", p.Event+1)
	}
	return fmt.Sprintf("%d:%d", p.Line, p.Col)
}

// An Error is an error in a trace, with a hint how to fix it, if there is one.
type Error struct {
	Place
	Text string
	Hint string
}

func (e *Error) Error() string {
	if e.Hint == "" {
		return fmt.Sprintf("%v: %s", e.Place, e.Text)
	}
	return fmt.Sprintf("%v: %s (%s)", e.Place, e.Text, e.Hint)
}

// Tables say what the numbers in events stand for.
type Tables struct {
	Threads, Vars, Locks, Objects *Names
	Points                        *Names

	// Relation is the relation of the points, nil if there are no points. The reader replaces it
	// when points are defined. So a goroutine that checks events while another reads on must get
	// this pointer together with the events.
	Relation *event.Relation

	// Places are the names of positions, nil if a position is only a number, signed and of 32 bits.
	Places *Names

	// Program describes the program of a recorded trace; nil for traces of other formats.
	Program *Program

	// Mutexes says that each lock is a mutex: see [event.Validator].
	Mutexes bool
}

// NewTables returns Tables without names.
func NewTables() *Tables {
	return &Tables{
		Threads: NewNames("T"), Vars: NewNames("V"), Locks: NewNames("L"), Objects: NewNames("O"),
		Points: NewNames("P"),
	}
}

// Pos is the name of a position.
func (t *Tables) Pos(pos uint32) string {
	if t.Places == nil {
		return fmt.Sprint(int32(pos))
	}
	if t.Program != nil && pos >= derivedBase {
		return t.Program.place(pos, t.Places)
	}
	return t.Places.Name(pos)
}

// Target is the name of an event's target, "" if it has none.
func (t *Tables) Target(e *event.Event) string {
	switch e.Op {
	case event.Read, event.Write:
		return t.Vars.Name(e.Target)
	case event.Split:
		return t.Vars.Name(e.Target) + " from " + t.Vars.Name(e.Point)
	case event.Acquire, event.Release, event.ReleaseMerge:
		return t.Locks.Name(e.Target)
	case event.Fork, event.Join:
		return t.Threads.Name(e.Target)
	case event.Touch:
		return t.Objects.Name(e.Target) + "." + t.Points.Name(e.Point)
	}
	return ""
}

// String is the event in words.
func (t *Tables) String(e *event.Event) string {
	s := fmt.Sprintf("%s: %s", t.Threads.Name(e.Thread), e.Op)
	if target := t.Target(e); target != "" {
		s += " " + target
	}
	return s
}
