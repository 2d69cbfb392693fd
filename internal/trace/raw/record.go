// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package raw

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace/spec"
)

// A Record is one record of a chunk.
type Record struct {
	Kind  spec.Kind
	Seq   uint64               // of a step
	Pos   uint32               // of a step
	Args  [spec.MaxArgs]uint64 // the numbers among the operands, by operand
	Texts [spec.MaxArgs]string // the texts among the operands, by operand
}

// A Cursor goes over the records of a chunk.
type Cursor struct {
	events bool   // the chunk is one of events
	buf    []byte // the payload
	at     int    // the next byte
	offset int64  // of the chunk in the file, for errors
	next   uint64 // the number of the next step
	left   int64  // the number of steps that must still come
	state
}

// The state is that to which the differences in records refer. It begins anew with each chunk, so
// that chunks can be read apart.
type state struct {
	pos  uint32
	last [spec.Object + 1]uint64 // by type
}

// Records is a cursor at the first record of c.
func (c *Chunk) Records() *Cursor {
	return &Cursor{events: c.Kind == spec.Events, buf: c.Payload, offset: c.Offset, next: c.First,
		left: int64(c.Steps)}
}

// Next reads the next record, or returns [io.EOF].
func (c *Cursor) Next(r *Record) error {
	if c.at == len(c.buf) {
		if c.left != 0 {
			return c.fail("the chunk has %d steps fewer than its header says", c.left)
		}
		return io.EOF
	}
	first := c.buf[c.at]
	*r = Record{Kind: spec.Kind(first)}
	mode := 0
	if c.events {
		r.Kind, mode = spec.Kind(first&31), int(first>>5)
	}
	info := spec.InfoOf(r.Kind)
	if info == nil || (r.Kind < spec.FirstDefinition) != c.events {
		return c.fail("a record of kind %d, which is not one of such a chunk", r.Kind)
	}
	start := c.at
	c.at++
	if mode > spec.DeltaPos || mode != 0 && !info.IsStep() {
		return c.fail("a record that begins with byte %#x", first)
	}
	if info.IsStep() {
		if err := c.step(r, mode); err != nil {
			return err
		}
	}
	for i, arg := range info.Args {
		if err := c.arg(r, i, arg.Type); err != nil {
			return c.fail("%v record at %d of the chunk, argument %s: %v", r.Kind.Name(), start,
				arg.Name, err)
		}
	}
	if r.Kind == event.Seq {
		c.next += r.Args[0]
	}
	return nil
}

// step reads the position of a step, as the mode in its first byte says.
func (c *Cursor) step(r *Record, mode int) error {
	switch mode {
	case spec.NextPos:
		c.pos++
	case spec.DeltaPos:
		d, err := c.signed()
		if err != nil {
			return c.fail("%v record: position: %v", r.Kind.Name(), err)
		}
		c.pos += 1 + uint32(d)
	}
	r.Pos, r.Seq = c.pos, c.next
	c.next++
	c.left--
	if c.left < 0 {
		return c.fail("the chunk has more steps than its header says")
	}
	return nil
}

// fail is an error in the chunk.
func (c *Cursor) fail(format string, args ...any) error {
	return &Error{c.offset, "in the chunk there: " + fmt.Sprintf(format, args...) + damaged}
}

// arg reads operand i.
func (c *Cursor) arg(r *Record, i int, t spec.Type) (err error) {
	switch t {
	case spec.Number:
		r.Args[i], err = c.number()
	case spec.Signed:
		r.Args[i], err = c.signed()
	case spec.Variable, spec.Lock, spec.Object:
		var d uint64
		d, err = c.signed()
		c.last[t] += d
		r.Args[i] = c.last[t]
	case spec.Hash:
		if len(c.buf)-c.at < 8 {
			return io.ErrUnexpectedEOF
		}
		r.Args[i] = binary.LittleEndian.Uint64(c.buf[c.at:])
		c.at += 8
	case spec.Text:
		var n uint64
		if n, err = c.number(); err != nil {
			return err
		}
		if n > uint64(len(c.buf)-c.at) {
			return io.ErrUnexpectedEOF
		}
		r.Texts[i] = string(c.buf[c.at : c.at+int(n)])
		c.at += int(n)
	}
	return err
}

// number reads a varint.
func (c *Cursor) number() (uint64, error) {
	v, n := binary.Uvarint(c.buf[c.at:])
	if n <= 0 {
		return 0, fmt.Errorf("no number")
	}
	c.at += n
	return v, nil
}

// signed reads a zigzag varint.
func (c *Cursor) signed() (uint64, error) {
	v, err := c.number()
	return v>>1 ^ -(v & 1), err
}

// A Builder makes the payload of a chunk, record by record: the inverse of a [Cursor].
type Builder struct {
	Chunk
	next uint64
	state
}

// Reset begins a new chunk of events, the first of which has number first if it is a step, and has
// no Seq before it.
func (b *Builder) Reset(kind, codec byte, first uint64) {
	b.Chunk = Chunk{Kind: kind, Codec: codec, First: first, Payload: b.Payload[:0]}
	b.next, b.state = first, state{}
}

// Next is the number that the next step will have.
func (b *Builder) Next() uint64 { return b.next }

// Add appends a record. Its Seq is ignored: steps are numbered as they come.
func (b *Builder) Add(r *Record) error {
	info := spec.InfoOf(r.Kind)
	if info == nil || (r.Kind < spec.FirstDefinition) != (b.Kind == spec.Events) {
		return fmt.Errorf("a record of kind %d, which is not one of such a chunk", r.Kind)
	}
	if info.IsStep() {
		b.head(r.Kind, r.Pos)
	} else {
		b.Payload = append(b.Payload, byte(r.Kind))
	}
	for i, arg := range info.Args {
		b.arg(arg.Type, r.Args[i], r.Texts[i])
	}
	if r.Kind == event.Seq {
		b.next += r.Args[0]
	}
	if len(b.Payload) > spec.MaxChunk {
		return fmt.Errorf("a chunk of more than %d bytes", spec.MaxChunk)
	}
	return nil
}

// head appends the first byte of a step, and its position.
func (b *Builder) head(k spec.Kind, pos uint32) {
	switch pos - b.pos {
	case 0:
		b.Payload = append(b.Payload, byte(k))
	case 1:
		b.Payload = append(b.Payload, byte(k)|spec.NextPos<<5)
	default:
		b.Payload = append(b.Payload, byte(k)|spec.DeltaPos<<5)
		b.signed(uint64(int64(int32(pos - b.pos - 1))))
	}
	b.pos = pos
	b.next++
	b.Steps++
}

// arg appends an operand.
func (b *Builder) arg(t spec.Type, v uint64, text string) {
	switch t {
	case spec.Number:
		b.number(v)
	case spec.Signed:
		b.signed(v)
	case spec.Variable, spec.Lock, spec.Object:
		b.signed(v - b.last[t])
		b.last[t] = v
	case spec.Hash:
		b.Payload = binary.LittleEndian.AppendUint64(b.Payload, v)
	case spec.Text:
		b.number(uint64(len(text)))
		b.Payload = append(b.Payload, text...)
	}
}

// number appends a varint.
func (b *Builder) number(v uint64) { b.Payload = binary.AppendUvarint(b.Payload, v) }

// signed appends a zigzag varint.
func (b *Builder) signed(v uint64) { b.number(v<<1 ^ uint64(int64(v)>>63)) }

// Step appends a step with one operand that is neither Hash nor Text, or with none: then t is
// [None]. It is faster than Add, and makes no checks.
func (b *Builder) Step(k spec.Kind, pos uint32, t spec.Type, v uint64) {
	b.head(k, pos)
	if t != None {
		b.arg(t, v, "")
	}
}

// None is no operand; see [Builder.Step].
const None = spec.Type(math.MaxUint8)
