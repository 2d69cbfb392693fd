// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package native

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"

	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace"
	"github.com/commutego/commute/internal/trace/raw"
	"github.com/commutego/commute/internal/trace/spec"
)

// A Reader reads a binary trace.
type Reader struct {
	chunks *raw.Reader
	tables *trace.Tables
	defs   definitions
	keys   map[objectKey]uint32 // targets that are an object and a key; the rest are objects

	// The chunk that is being decoded.
	buf    []byte
	at     int
	offset int64
	seq    uint64 // of the next step
	left   int64  // steps that must still come
	thread uint32
	named  bool // thread is known
	pos    uint32
	last   [spec.Object + 1]uint64

	ordered   bool
	reached   uint64 // all steps given out have lower numbers, those to come none
	runs      runs   // what was decoded and is not given out yet
	low       uint64 // of the chunks that were decoded to their ends
	chunkLow  uint64
	rest      []step // of the run that is given out
	more      more   // of the step before
	hidden    []bool // by thread
	middle    middle
	calls     []call // by thread: the last
	actors    actors
	quiet     bool     // only what has a position that is watched is a conflict
	watched   []uint64 // a bit for each position
	limit     uint64   // of numbers
	steps     uint64   // read so far
	given     uint64   // events before those of the last Read
	givenNow  int
	over      bool
	addresses // named by them
}

type objectKey struct {
	object, key uint64
	keyed       bool
}

// NewReader reads a trace from its beginning, up to the first step.
func NewReader(r io.Reader) (*Reader, error) {
	chunks, err := raw.NewReader(r)
	if err != nil {
		return nil, err
	}
	n := &Reader{chunks: chunks, tables: trace.NewTables(), keys: make(map[objectKey]uint32), limit: minLimit}
	if chunks.Ring() {
		n.middle.numbers = map[uint64]uint32{0: 0}
	}
	n.tables.Places = trace.NewNames("pos ")
	n.tables.Program = trace.NewProgram()
	n.tables.Program.Address = n.addressOf
	for {
		c, err := n.next()
		if err == io.EOF {
			n.over = true
			break
		}
		if err != nil {
			return nil, err
		}
		if c.Kind == spec.Events {
			n.enter(c)
			n.open(c)
			break
		}
	}
	return n, n.defs.relate(n.tables)
}

// next is the next chunk; of definitions it takes note.
func (r *Reader) next() (*raw.Chunk, error) {
	c, err := r.chunks.Next()
	if err != nil {
		return nil, err
	}
	r.offset = c.Offset + int64(c.Stored)
	if c.Kind == spec.Definitions {
		if err := r.define(c); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// Tables are what was defined so far.
func (r *Reader) Tables() *trace.Tables { return r.tables }

// Place is the number of event i of the last Read, counted from 0.
func (r *Reader) Place(i int) trace.Place { return trace.Place{Event: r.given + uint64(i)} }

// Offset is how much of the file was read.
func (r *Reader) Offset() int64 { return r.offset }

// Cut is, after the end of the trace, the number of bytes at the end of the file that are no whole chunk, and of steps that
// are dropped because others before them may be missing.
func (r *Reader) Cut() (bytes int64, steps int) { return r.chunks.Cut(), r.runs.steps() }

// minLimit is a number that any trace may have for a variable, a lock and so on. Longer traces may have greater ones.
const minLimit = 1 << 20

// open begins to decode a chunk of events.
func (r *Reader) open(c *raw.Chunk) {
	r.buf, r.at = c.Payload, 0
	r.seq, r.left = c.First, int64(c.Steps)
	r.named, r.pos, r.last = false, 0, [spec.Object + 1]uint64{}
	r.chunkLow = c.Low
	r.ordered = c.Ordered && len(r.runs) == 0 && !r.sparse && r.middle.numbers == nil
	r.steps += uint64(c.Steps)
	r.limit = minLimit + 16*(r.steps+r.defs.named)
}

// Read reads the next events. There must be room for three.
func (r *Reader) Read(events []event.Event) (int, error) {
	r.given += uint64(r.givenNow)
	r.givenNow = 0
	n, err := r.read(events)
	r.givenNow = n
	return n, err
}

func (r *Reader) read(events []event.Event) (int, error) {
	if len(events) < 3 {
		return 0, errors.New("native: no room for three events")
	}
	for {
		if n, err := r.give(events); n > 0 || err != nil {
			return n, err
		}
		if r.over {
			return 0, io.EOF
		}
		if r.at < len(r.buf) && r.ordered {
			n, err := r.decode(events)
			if err != nil || n > 0 {
				return n, err
			}
			continue
		}
		if r.at < len(r.buf) {
			if err := r.collect(); err != nil {
				return 0, err
			}
			continue
		}
		if r.left != 0 {
			return 0, r.fail("has %d steps fewer than its header says", r.left)
		}
		if r.low < r.chunkLow {
			r.low = r.chunkLow
			continue
		}
		c, err := r.next()
		switch {
		case err == io.EOF:
			r.over = true
		case err != nil:
			return 0, err
		case c.Kind == spec.Events:
			r.open(c)
			if r.ordered && c.First < r.reached {
				return 0, r.fail("begins with step %d, which is there twice or too late", c.First)
			}
		}
	}
}

func (r *Reader) fail(format string, args ...any) error {
	return &raw.Error{Offset: r.offset, Text: "the chunk that ends there " + fmt.Sprintf(format, args...) + " (the file is damaged)"}
}

// What becomes of the steps that are most frequent, and of what type their arguments are.
var simple = [32]struct {
	op   event.Kind
	kind spec.Type
}{
	event.Read: {event.Read, spec.Variable}, event.Write: {event.Write, spec.Variable},
	event.Acquire: {event.Acquire, spec.Lock}, event.Release: {event.Release, spec.Lock}, event.ReleaseMerge: {event.ReleaseMerge, spec.Lock},
	event.AtomicLoad: {event.Acquire, spec.Lock}, event.AtomicStore: {event.Release, spec.Lock},
	event.Begin: {event.Begin, spec.Number}, event.End: {event.End, raw.None},
}

// decode decodes steps of the chunk as long as there is room for two events.
func (r *Reader) decode(events []event.Event) (n int, err error) {
	buf, at, pos, thread := r.buf, r.at, r.pos, r.thread
	for at < len(buf) && n+1 < len(events) {
		first := buf[at]
		kind := spec.Kind(first & 31)
		s := &simple[kind]
		if first == byte(event.Go) && at+1 < len(buf) && buf[at+1] < 0x80 {
			thread, r.named = uint32(buf[at+1]), true
			at += 2
			continue
		}
		if s.op == 0 || first>>5 > spec.DeltaPos {
			r.at, r.pos, r.thread = at, pos, thread
			added, err := r.other(events[n:])
			if err != nil {
				return n, err
			}
			n += added
			at, pos, thread = r.at, r.pos, r.thread
			continue
		}
		at++
		switch first >> 5 {
		case spec.NextPos:
			pos++
		case spec.DeltaPos:
			var d uint64
			if d, at = varint(buf, at); at > len(buf) {
				return n, r.fail("ends within a %v record", kind.Name())
			}
			pos += 1 + uint32(d>>1^-(d&1))
		}
		r.seq++
		r.left--
		e := &events[n]
		n++
		e.Op, e.Thread, e.Target, e.Point, e.Pos = s.op, thread, 0, 0, pos
		if s.op == event.End {
			continue
		}
		var d uint64
		if d, at = varint(buf, at); at > len(buf) {
			return n - 1, r.fail("ends within a %v record", kind.Name())
		}
		if s.op == event.Begin {
			e.Pos = r.begins(pos, d)
			continue
		}
		v := r.last[s.kind] + (d>>1 ^ -(d & 1))
		r.last[s.kind] = v
		if v >= r.limit {
			if v, err = r.number(s.kind, v); err != nil {
				return n - 1, err
			}
		}
		e.Target = uint32(v)
	}
	r.at, r.pos, r.thread = at, pos, thread
	return n, r.decoded(n)
}

// decoded says what is wrong with n steps of a chunk, at the end of which it stands.
func (r *Reader) decoded(n int) error {
	switch {
	case n > 0 && !r.named:
		return r.fail("has steps before it names a goroutine")
	case r.left < 0:
		return r.fail("has more steps than its header says")
	case r.seq > r.chunkLow:
		return r.fail("has step %d, though its header says that all are below %d", r.seq-1, r.chunkLow)
	}
	r.reached = r.seq
	return nil
}

// varint reads a varint. If it isn't whole, the next index is greater than the length.
func varint(buf []byte, at int) (v uint64, next int) {
	if at < len(buf) && buf[at] < 0x80 {
		return uint64(buf[at]), at + 1
	}
	return longVarint(buf, at)
}

// longVarint is varint without a branch on the length, which is hard to predict.
func longVarint(buf []byte, at int) (v uint64, next int) {
	if at+8 <= len(buf) {
		w := binary.LittleEndian.Uint64(buf[at:])
		if last := ^w & 0x8080808080808080; last != 0 {
			w &= last ^ (last - 1)
			w = w&0x007f007f007f007f | w>>1&0x3f803f803f803f80
			w = w&0x00003fff00003fff | w>>2&0x0fffc0000fffc000
			w = w&0x000000000fffffff | w>>4&0x00fffffff0000000
			return w, at + bits.TrailingZeros64(last)>>3 + 1
		}
	}
	if at < len(buf) {
		if v, n := binary.Uvarint(buf[at:]); n > 0 {
			return v, at + n
		}
	}
	return 0, len(buf) + 1
}

// other decodes one record that is none of the simple ones: zero, one or two events.
func (r *Reader) other(events []event.Event) (n int, err error) {
	first := r.buf[r.at]
	kind, mode := spec.Kind(first&31), int(first>>5)
	info := spec.InfoOf(kind)
	if info == nil || mode > spec.DeltaPos || mode != 0 && !info.Step {
		return 0, r.fail("has a record that begins with byte %#x", first)
	}
	r.at++
	if mode == spec.DeltaPos {
		d := r.varint()
		r.pos += 1 + uint32(d>>1^-(d&1))
	} else {
		r.pos += uint32(mode)
	}
	if info.Step {
		r.seq++
		r.left--
	}
	var args [spec.MaxArgs]uint64
	for i, arg := range info.Args {
		args[i] = r.arg(arg.Type)
	}
	if r.at > len(r.buf) {
		return 0, r.fail("ends within a %v record", kind.Name())
	}
	e := event.Event{Thread: r.thread, Pos: r.pos}
	switch kind {
	case event.Go:
		v, err := r.threadNumber(args[0])
		r.thread, r.named = v, true
		return 0, err
	case event.Seq:
		next := r.seq + args[0]
		if int64(args[0]) < 0 {
			return 0, r.fail("has step %d after step %d, though its header says that they are in order", next, r.seq-1)
		}
		r.seq = next
		return 0, nil
	case event.AtomicRMW:
		v, err := r.number(spec.Lock, args[0])
		e.Op, e.Target = event.Acquire, uint32(v)
		events[0] = e
		e.Op = event.ReleaseMerge
		events[1] = e
		return 2, err
	case event.Fork, event.Join:
		e.Op = kind
		e.Target, err = r.threadNumber(args[0])
	case event.Touch, event.TouchKey:
		e.Op = event.Touch
		e.Point = uint32(min(args[1], math.MaxUint32))
		e.Target, err = r.target(args[0], args[2], kind == event.TouchKey, args[1])
		e.Pos = r.called(r.thread, args[0], e.Pos)
	case event.Call:
		return 0, r.call(r.thread, args[0], args[1], r.pos)
	case event.Split:
		return r.splits(args[0], args[1], events)
	case event.ReadRange, event.WriteRange, event.AcquireAll, event.Hide, event.Show:
		return 0, r.fail("has a %v record, which must be in a trace that names by addresses", kind.Name())
	default:
		return 0, nil
	}
	events[0] = e
	return 1, err
}

// varint and arg leave r.at greater than the length of the chunk if something is not whole.
func (r *Reader) varint() (v uint64) {
	if r.at <= len(r.buf) {
		v, r.at = varint(r.buf, r.at)
	}
	return v
}

func (r *Reader) arg(t spec.Type) uint64 {
	switch t {
	case spec.Signed:
		v := r.varint()
		return v>>1 ^ -(v & 1)
	case spec.Variable, spec.Lock, spec.Object:
		v := r.varint()
		r.last[t] += v>>1 ^ -(v & 1)
		return r.last[t]
	case spec.Hash:
		if len(r.buf)-r.at < 8 {
			r.at = len(r.buf) + 1
			return 0
		}
		v := binary.LittleEndian.Uint64(r.buf[r.at:])
		r.at += 8
		return v
	}
	return r.varint()
}

// maxThreads is a number that any trace may have for a goroutine; in longer ones, each step may be a fork, and of a program that
// writes its trace as it runs, definitions come before steps.
const maxThreads = 1 << 12

func (r *Reader) threadNumber(v uint64) (uint32, error) {
	if r.middle.numbers != nil {
		return r.renumbered(v)
	}
	if v >= maxThreads+r.steps+r.defs.goroutines || v >= math.MaxUint32 {
		return 0, r.fail("has goroutine %d, and so far the trace has %d steps; numbers must be dense", v, r.steps)
	}
	return uint32(v), nil
}
