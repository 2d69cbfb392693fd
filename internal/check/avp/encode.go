// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package avp

import (
	"encoding/binary"
	"errors"
	"math"

	"github.com/commutego/commute/internal/check/reorder"
	"github.com/commutego/commute/internal/event"
)

// errEncoding is the error of bytes that are no window.
var errEncoding = errors.New("avp: not an encoded window")

// Bits of what stands before each step. Of an event only what differs from its step follows.
const (
	silent = 1 << iota
	reads
	fixed
	closes
	atomic
	opaque
	attempts
	counts
	spread
	named
	otherThread
	otherTarget
	otherPoint
)

// AppendBinary appends the window in binary form: some 10 bytes for each step. The error is nil.
func (w *Window) AppendBinary(b []byte) ([]byte, error) {
	p := w.Piece
	put := func(list ...uint64) {
		for _, x := range list {
			b = binary.AppendUvarint(b, x)
		}
	}
	put(uint64(len(p.Steps)), uint64(p.Before), p.First, uint64(w.Own), bit(w.Beyond, 1)|
		bit(p.Recorded, 2))
	put(p.Old...)
	touches := false
	for i := range p.Steps {
		s, e := &p.Steps[i], &p.Events[i]
		bits := stepBits(s) | bit(e.Thread != s.Thread, otherThread) |
			bit(e.Target != s.Target, otherTarget) | bit(e.Point != s.Point, otherPoint)
		put(bits, uint64(s.Op), uint64(e.Op), uint64(s.Thread), uint64(s.Target), uint64(s.Point),
			uint64(s.Also), uint64(s.Offset), uint64(s.After), uint64(e.Pos), uint64(e.Flags))
		for _, other := range [...]struct {
			bit   uint64
			value uint32
		}{{otherThread, e.Thread}, {otherTarget, e.Target}, {otherPoint, e.Point}} {
			if bits&other.bit != 0 {
				put(uint64(other.value))
			}
		}
		touches = touches || s.Op == reorder.Touch || e.Op == event.Touch
	}
	if w.Relation == nil || !touches {
		put(0)
		return b, nil
	}
	put(1, uint64(w.Relation.Points()))
	for point := range w.Relation.Points() {
		list := w.Relation.Conflicts(point)
		put(uint64(len(list)))
		for _, q := range list {
			put(uint64(q))
		}
	}
	return b, nil
}

func bit(is bool, value uint64) uint64 {
	if is {
		return value
	}
	return 0
}

func stepBits(s *reorder.Step) uint64 {
	return bit(s.Silent, silent) | bit(s.Reads, reads) | bit(s.Fixed, fixed) |
		bit(s.Closes, closes) | bit(s.Atomic, atomic) | bit(s.Opaque, opaque) |
		bit(s.Tries, attempts) | bit(s.Counts, counts) | bit(s.Spread, spread) |
		bit(s.Named, named)
}

// A decoder reads numbers. After the last byte, and of what is no number, it reads zeros.
type decoder struct {
	data   []byte
	failed bool
}

func (d *decoder) next() uint64 {
	x, n := binary.Uvarint(d.data)
	if n <= 0 {
		d.data, d.failed = nil, true
		return 0
	}
	d.data = d.data[n:]
	return x
}

// small is a number of 32 bits.
func (d *decoder) small() uint32 {
	x := d.next()
	d.failed = d.failed || x > math.MaxUint32
	return uint32(x)
}

// length is a number of things that take a byte or more each.
func (d *decoder) length() int {
	n := d.next()
	if n > uint64(len(d.data)) {
		d.failed = true
		return 0
	}
	return int(n)
}

// UnmarshalBinary decodes a window of [Window.AppendBinary]. The window has a relation if its steps
// need one.
func (w *Window) UnmarshalBinary(data []byte) error {
	d := &decoder{data: data}
	n := d.length()
	p := &reorder.Piece{Before: d.length(), First: d.next()}
	own, bits := d.next(), d.next()
	*w = Window{Piece: p, Own: int(own), Beyond: bits&1 != 0}
	p.Recorded = bits&2 != 0
	if d.failed || p.Before > n || own > uint64(n) {
		return errEncoding
	}
	for range p.Before {
		p.Old = append(p.Old, d.next())
	}
	for i := 0; i < n && !d.failed; i++ {
		s, e := d.step()
		p.Steps, p.Events = append(p.Steps, s), append(p.Events, e)
	}
	if d.next() != 0 {
		conflicts := make([][]uint32, d.length())
		for point := range conflicts {
			for range d.length() {
				q := d.small()
				d.failed = d.failed || int(q) >= len(conflicts)
				conflicts[point] = append(conflicts[point], q)
			}
		}
		if !d.failed {
			w.Relation = event.RelationOf(conflicts)
		}
	}
	if d.failed || len(d.data) > 0 {
		return errEncoding
	}
	return nil
}

func (d *decoder) step() (s reorder.Step, e event.Event) {
	bits := d.next()
	s.Silent, s.Reads, s.Fixed = bits&silent != 0, bits&reads != 0, bits&fixed != 0
	s.Closes, s.Atomic, s.Opaque = bits&closes != 0, bits&atomic != 0, bits&opaque != 0
	s.Tries, s.Counts, s.Spread = bits&attempts != 0, bits&counts != 0, bits&spread != 0
	s.Named = bits&named != 0
	s.Op, e.Op = reorder.Op(d.next()), event.Kind(d.next())
	s.Thread, s.Target, s.Point, s.Also = d.small(), d.small(), d.small(), d.small()
	offset := d.small()
	s.Offset, d.failed = uint16(offset), d.failed || offset > math.MaxUint16
	s.After = d.small()
	e.Pos = d.small()
	e.Flags = event.Flags(d.next())
	e.Thread, e.Target, e.Point = s.Thread, s.Target, s.Point
	if bits&otherThread != 0 {
		e.Thread = d.small()
	}
	if bits&otherTarget != 0 {
		e.Target = d.small()
	}
	if bits&otherPoint != 0 {
		e.Point = d.small()
	}
	return s, e
}
