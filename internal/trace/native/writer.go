// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package native

import (
	"io"

	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace"
	"github.com/commutego/commute/internal/trace/raw"
	"github.com/commutego/commute/internal/trace/spec"
)

// A Writer writes a binary trace of events in their order.
type Writer struct {
	w       *raw.Writer
	codec   byte
	tables  *trace.Tables
	events  raw.Builder
	defs    raw.Builder
	thread  uint32
	named   bool // thread is known to the chunk
	started bool
	written [5]int // how many threads, variables, locks, places, objects were defined

	defined   uint32 // points
	describer trace.Describer
	calls     []written // by thread: the last call
}

// written is a call that was written, with the object that touches of it have.
type written struct {
	object uint64
	pos    uint32
	known  bool
}

// chunkSize is the length of a payload after which a Writer writes a chunk. Such a payload stays
// in a processor's cache.
const chunkSize = 1 << 17

// NewWriter writes events whose numbers are as in tables.
func NewWriter(w io.Writer, tables *trace.Tables, codec byte) (*Writer, error) {
	chunks, err := raw.NewWriter(w)
	if err != nil {
		return nil, err
	}
	n := &Writer{w: chunks, codec: codec, tables: tables}
	n.events.Reset(spec.Events, codec, 0)
	n.defs.Reset(spec.Definitions, codec, 0)
	return n, nil
}

var kinds = [...]struct {
	kind spec.Kind
	arg  spec.Type
}{
	event.Read: {event.Read, spec.Variable}, event.Write: {event.Write, spec.Variable},
	event.Acquire: {event.Acquire, spec.Lock}, event.Release: {event.Release, spec.Lock},
	event.ReleaseMerge: {event.ReleaseMerge, spec.Lock},
	event.Fork:         {event.Fork, spec.Number}, event.Join: {event.Join, spec.Number},
	event.Begin: {event.Begin, spec.Number}, event.End: {event.End, raw.None},
}

// Write writes events, which must be well-formed.
func (w *Writer) Write(events []event.Event) error {
	for i := range events {
		e := &events[i]
		if e.Thread != w.thread || !w.named {
			w.thread, w.named = e.Thread, true
			w.record(&raw.Record{Kind: event.Go, Args: [spec.MaxArgs]uint64{uint64(e.Thread)}})
		}
		switch described := w.tables.Program != nil; {
		case e.Op == event.Touch && described:
			w.touch(e)
		case e.Op == event.Begin && described:
			at, section, _, _ := w.tables.Program.Step(e.Pos)
			w.events.Step(event.Begin, w.position(at, e), spec.Number, uint64(section))
		case e.Op == event.Touch:
			w.record(&raw.Record{Kind: event.Touch, Pos: w.position(e.Pos, e),
				Args: [spec.MaxArgs]uint64{uint64(e.Target), uint64(e.Point)}})
		case e.Op == event.Split:
			w.record(&raw.Record{Kind: event.Split, Pos: w.position(e.Pos, e),
				Args: [spec.MaxArgs]uint64{uint64(e.Target), uint64(e.Point)}})
		default:
			k := &kinds[e.Op]
			w.events.Step(k.kind, w.position(e.Pos, e), k.arg, uint64(e.Target))
		}
		if len(w.events.Payload) >= chunkSize {
			if err := w.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// position is a position as the file has it, with the flags of its event.
func (w *Writer) position(pos uint32, e *event.Event) uint32 {
	return pos | uint32(e.Flags)<<spec.FlagShift
}

// touch writes a touch in a program. If its call is another than the thread's last one, touch
// writes the call first.
func (w *Writer) touch(e *event.Event) {
	for uint64(len(w.calls)) <= uint64(e.Thread) {
		w.calls = append(w.calls, written{})
	}
	at, _, method, called := w.tables.Program.Step(e.Pos)
	at = w.position(at, e)
	object, key, keyed := w.tables.Program.Written(e.Target)
	last, now := &w.calls[e.Thread], written{object, w.position(e.Pos, e), true}
	if called && *last != now {
		*last = now
		w.record(&raw.Record{Kind: event.Call, Pos: at,
			Args: [spec.MaxArgs]uint64{object, uint64(method)}})
	}
	r := raw.Record{Kind: event.Touch, Pos: at,
		Args: [spec.MaxArgs]uint64{object, uint64(e.Point), key}}
	if keyed {
		r.Kind = event.TouchKey
	}
	w.record(&r)
}

// record adds a record to the chunk of events, which has room for it.
func (w *Writer) record(r *raw.Record) {
	if err := w.events.Add(r); err != nil {
		panic("native: " + err.Error())
	}
}

// flush writes the chunk of events, and before it what it needs.
func (w *Writer) flush() error {
	if err := w.define(); err != nil {
		return err
	}
	next := w.events.Next()
	w.events.Low, w.events.Ordered = next, true
	if err := w.w.Write(&w.events.Chunk); err != nil {
		return err
	}
	w.events.Reset(spec.Events, w.codec, next)
	w.named = false
	return nil
}

// Close writes the rest of the trace.
func (w *Writer) Close() error {
	if w.events.Steps > 0 {
		return w.flush()
	}
	return w.define()
}

// define writes the definitions that are new.
func (w *Writer) define() error {
	if !w.started {
		w.started = true
		if err := w.start(); err != nil {
			return err
		}
	}
	if err := w.points(); err != nil {
		return err
	}
	t := w.tables
	for i, names := range []*trace.Names{t.Threads, t.Vars, t.Locks, t.Places, t.Objects} {
		if names == nil {
			continue
		}
		for ; w.written[i] < names.Len(); w.written[i]++ {
			id := uint32(w.written[i])
			r := raw.Record{Args: [spec.MaxArgs]uint64{uint64(id)}}
			if i == 0 {
				if g, ok := t.Program.Goroutine(id); ok {
					r.Args = [spec.MaxArgs]uint64{uint64(id), g.ID, uint64(g.Parent), uint64(g.Pos)}
				}
			}
			switch {
			case names.Default(id) && r.Args == [spec.MaxArgs]uint64{uint64(id)}:
				continue
			case i == 3 && t.Program.Framed(id), i == 4 && t.Program != nil:
				continue // they are described
			}
			switch i {
			case 0:
				r.Kind, r.Texts[4] = event.Goroutine, names.Name(id)
			case 1:
				r.Kind, r.Texts[1] = event.VarName, names.Name(id)
			case 2:
				r.Kind, r.Texts[1] = event.LockName, names.Name(id)
			case 3:
				r.Kind, r.Texts[1] = event.Place, names.Name(id)
			case 4:
				r.Kind, r.Texts[2] = event.ObjName, names.Name(id)
			}
			if err := w.definition(&r); err != nil {
				return err
			}
		}
	}
	if t.Program != nil {
		if err := w.describer.Describe(t.Program, func(d trace.Description) error {
			return w.definition(&raw.Record{Kind: d.Kind, Args: d.Args, Texts: d.Texts})
		}); err != nil {
			return err
		}
	}
	return w.flushDefinitions()
}

// start defines what must be known before the first step.
func (w *Writer) start() error {
	t := w.tables
	var all []raw.Record
	if t.Mutexes {
		all = append(all,
			raw.Record{Kind: event.Meta, Texts: [spec.MaxArgs]string{metaMutexes, "true"}})
	}
	if t.Places == nil {
		all = append(all,
			raw.Record{Kind: event.Meta, Texts: [spec.MaxArgs]string{metaPositions, "numbers"}})
	}
	if t.Program != nil && t.Program.Flagged {
		all = append(all,
			raw.Record{Kind: event.Meta, Texts: [spec.MaxArgs]string{metaFlags, "true"}})
	}
	for i := range all {
		if err := w.definition(&all[i]); err != nil {
			return err
		}
	}
	return nil
}

// points defines the access points that are new, with their conflicts.
func (w *Writer) points() error {
	t := w.tables
	for ; w.defined < t.Relation.Points(); w.defined++ {
		p := w.defined
		texts := [spec.MaxArgs]string{2: t.Points.Name(p)}
		if t.Program != nil {
			texts[1] = t.Program.Point(p).Type
		}
		point := raw.Record{Kind: event.Point, Args: [spec.MaxArgs]uint64{uint64(p)}, Texts: texts}
		if err := w.definition(&point); err != nil {
			return err
		}
		for _, q := range t.Relation.Conflicts(p) {
			if q > p {
				continue // it will say so
			}
			conflict := raw.Record{Kind: event.Conflict,
				Args: [spec.MaxArgs]uint64{uint64(p), uint64(q)}}
			if err := w.definition(&conflict); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *Writer) definition(r *raw.Record) error {
	if len(w.defs.Payload) >= chunkSize {
		if err := w.flushDefinitions(); err != nil {
			return err
		}
	}
	return w.defs.Add(r)
}

func (w *Writer) flushDefinitions() error {
	if len(w.defs.Payload) == 0 {
		return nil
	}
	err := w.w.Write(&w.defs.Chunk)
	w.defs.Reset(spec.Definitions, w.codec, 0)
	return err
}
