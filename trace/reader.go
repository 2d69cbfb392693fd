// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package trace

import (
	"io"

	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace"
	"github.com/commutego/commute/internal/trace/tracefile"
)

// A Format is a file format of traces.
type Format string

// Formats.
const (
	Binary     Format = tracefile.Binary     // commute's own: all of Event, compressed
	Text       Format = tracefile.Text       // the same in lines for reading and writing by hand
	STD        Format = tracefile.STD        // RAPID's: no ReleaseMerge, Touch and Split
	RoadRunner Format = tracefile.RoadRunner // RoadRunner's, as RAPID reads it: likewise
)

// A Reader reads a trace. It is for one goroutine at a time. Reading an event takes constant time.
// The Reader keeps each name once, and for a recorded trace the data about the program.
type Reader struct {
	file    *tracefile.File
	buf     [1024]event.Event
	n, next int // how many events buf has, and the next of them
	started bool
	err     error // of the read after buf

	threads, vars, locks, objects, points names
	places                                map[uint32]string
}

// Open opens a file in any format, gzipped or not; "-" is standard input. The caller closes it.
func Open(name string) (*Reader, error) {
	file, err := tracefile.Open(name, "")
	if name == "-" {
		name = "standard input"
	}
	return newReader(name, file, err)
}

// NewReader reads a trace from r, in any format, gzipped or not. Errors use the name as the file's
// name.
func NewReader(r io.Reader, name string) (*Reader, error) {
	file, err := tracefile.New(r, name, "")
	return newReader(name, file, err)
}

func newReader(name string, file *tracefile.File, err error) (*Reader, error) {
	if err != nil {
		return nil, explain(name, err)
	}
	t := file.Tables()
	return &Reader{
		file:    file,
		threads: namesOf(t.Threads), vars: namesOf(t.Vars), locks: namesOf(t.Locks),
		objects: namesOf(t.Objects), points: namesOf(t.Points), places: make(map[uint32]string),
	}, nil
}

// Format is the format of the trace.
func (r *Reader) Format() Format { return Format(r.file.Format) }

// Read returns the next event, and [io.EOF] after the last one. An error ends the trace: Read
// returns it again.
func (r *Reader) Read() (Event, error) {
	r.started = true
	if r.next == r.n {
		if r.err != nil {
			return Event{}, r.err
		}
		n, err := r.file.Read(r.buf[:])
		if r.n, r.next = n, 0; err != nil && err != io.EOF {
			err = explain(r.file.Name, err)
		}
		r.err = err
		if n == 0 {
			return Event{}, r.err
		}
	}
	e := &r.buf[r.next]
	r.next++
	return r.named(e), nil
}

// named is an event by the names of the trace.
func (r *Reader) named(e *event.Event) Event {
	n := Event{Op: Op(e.Op), Thread: r.threads.of(e.Thread), Pos: r.place(e.Pos)}
	switch n.Op {
	case Read, Write:
		n.Target = r.vars.of(e.Target)
	case Split:
		n.Target, n.Point = r.vars.of(e.Target), r.vars.of(e.Point)
	case Acquire, Release, ReleaseMerge:
		n.Target = r.locks.of(e.Target)
	case Fork, Join:
		n.Target = r.threads.of(e.Target)
	case Touch:
		n.Target, n.Point = r.objects.of(e.Target), r.points.of(e.Point)
	}
	return n
}

// place is the name of a position, "" if that is not known.
func (r *Reader) place(pos uint32) string {
	s, ok := r.places[pos]
	if !ok {
		t := r.file.Tables()
		if known := pos != 0 && (t.Program == nil || t.Program.Pos(pos) != 0); known {
			s = t.Pos(pos)
		}
		r.places[pos] = s
	}
	return s
}

// Conflicts returns the pairs of access points that conflict, as far as the part of the trace that
// was read defines them; each pair once, in no particular order.
func (r *Reader) Conflicts() (pairs [][2]string) {
	relation := r.file.Tables().Relation
	for p := range relation.Points() {
		for _, q := range relation.Conflicts(p) {
			if p <= q {
				pairs = append(pairs, [2]string{r.points.of(p), r.points.of(q)})
			}
		}
	}
	return pairs
}

// Close closes the file of [Open]. It does not close the argument of [NewReader].
func (r *Reader) Close() error { return r.file.Close() }

// names are those of one sort of things, as strings that are made once each.
type names struct {
	labels *trace.Labels
	made   []string // by number; "" if it was not asked for
}

func namesOf(n *trace.Names) names { return names{labels: trace.NewLabels(n, "")} }

func (n *names) of(number uint32) string {
	for uint64(len(n.made)) <= uint64(number) {
		n.made = append(n.made, "")
	}
	if n.made[number] == "" {
		n.made[number] = string(n.labels.Of(number))
	}
	return n.made[number]
}
