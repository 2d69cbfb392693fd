// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package native

import (
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace"
	"github.com/commutego/commute/internal/trace/raw"
	"github.com/commutego/commute/internal/trace/spec"
)

// A Reader reads a binary trace.
type Reader struct {
	chunks  *raw.Reader
	tables  *trace.Tables
	defs    definitions
	targets uint32               // numbers given to targets
	keys    map[objectKey]uint32 // targets that are an object and a key; the rest are objects

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
	flags     event.Flags // which flags positions in the file may have: all or none
	posMask   uint32      // and what is left of them
	reached   uint64      // all steps given out have lower numbers, those to come none
	runs      runs        // what was decoded and is not given out yet
	low       uint64      // of the chunks that were decoded to their ends
	chunkLow  uint64
	rest      []step // of the run that is given out
	more      more   // of the step before
	hidden    []bool // by thread
	middle    middle
	calls     []call // by thread: the last
	told      callSteps
	sections  sectionSteps
	actors    actors
	inside    uint32   // the position of what is hidden in any case, 0 if there is none
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
	n := &Reader{chunks: chunks, tables: trace.NewTables(), keys: make(map[objectKey]uint32),
		limit: minLimit, posMask: math.MaxUint32}
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

// Tables returns the definitions so far.
func (r *Reader) Tables() *trace.Tables { return r.tables }

// Place is the number of event i of the last Read, counted from 0.
func (r *Reader) Place(i int) trace.Place { return trace.Place{Event: r.given + uint64(i)} }

// Offset is the number of bytes of the file that were read.
func (r *Reader) Offset() int64 { return r.offset }

// Cut returns, after the end of the trace, the number of bytes at the end of the file that are in
// no chunk. Steps is the number of steps that are dropped because steps before them may be missing.
func (r *Reader) Cut() (bytes int64, steps int) { return r.chunks.Cut(), r.runs.steps() }

// minLimit is the least limit of numbers of variables, locks and so on. Longer traces may have
// greater numbers.
const minLimit = 1 << 20

// open begins to decode a chunk of events.
func (r *Reader) open(c *raw.Chunk) {
	r.buf, r.at = c.Payload, 0
	r.seq, r.left = c.First, int64(c.Steps)
	r.named, r.pos, r.last = false, 0, [spec.Object + 1]uint64{}
	r.chunkLow = c.Low
	r.ordered = c.Ordered && len(r.runs) == 0 && !r.sparse && !r.quiet && r.middle.numbers == nil
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
	what := fmt.Sprintf(format, args...)
	return &raw.Error{Offset: r.offset,
		Text: "the chunk that ends there " + what + " (the file is damaged)"}
}

// maxThreads is the least limit of numbers of goroutines. In longer traces, each step may be a
// fork. In the trace of a program that writes as it runs, definitions come before steps.
const maxThreads = 1 << 12

func (r *Reader) threadNumber(v uint64) (uint32, error) {
	if r.middle.numbers != nil {
		return r.renumbered(v)
	}
	if v >= maxThreads+r.steps+r.defs.goroutines || v >= math.MaxUint32 {
		return 0, r.fail("has goroutine %d, "+
			"and so far the trace has %d steps; numbers must be dense", v, r.steps)
	}
	return uint32(v), nil
}
