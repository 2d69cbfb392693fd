// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package native

import (
	"encoding/binary"
	"math/bits"

	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace/raw"
	"github.com/commutego/commute/internal/trace/spec"
)

// simple is what becomes of the steps that are most frequent in chunks that are in order, and of
// what type their arguments are. It saves [Reader.convert]: each becomes one event.
var simple = [32]struct {
	op   event.Kind
	kind spec.Type
}{
	event.Read: {event.Read, spec.Variable}, event.Write: {event.Write, spec.Variable},
	event.Acquire: {event.Acquire, spec.Lock}, event.Release: {event.Release, spec.Lock},
	event.ReleaseMerge: {event.ReleaseMerge, spec.Lock},
	event.AtomicLoad:   {event.Acquire, spec.Lock}, event.AtomicStore: {event.Release, spec.Lock},
	event.Begin: {event.Begin, spec.Number}, event.End: {event.End, raw.None},
}

// decode decodes steps of a chunk that is in order, as long as there is room for three events.
func (r *Reader) decode(events []event.Event) (n int, err error) {
	buf, at, pos, thread := r.buf, r.at, r.pos, r.thread
	for at < len(buf) && n+2 < len(events) {
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
			r.told.index = r.given + uint64(n)
			added, err := r.other(events[n:])
			if err != nil {
				return n, err
			}
			n += added
			at, pos, thread = r.at, r.pos, r.thread
			if r.more.n > 0 {
				break // give makes the rest
			}
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
		e.Op, e.Flags, e.Thread = s.op, r.flagsOf(pos), thread
		e.Target, e.Point, e.Pos = 0, 0, pos&r.posMask
		if s.op == event.End {
			continue
		}
		var d uint64
		if d, at = varint(buf, at); at > len(buf) {
			return n - 1, r.fail("ends within a %v record", kind.Name())
		}
		if s.op == event.Begin {
			e.Pos = r.begins(e.Pos, d)
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
		return r.fail("has step %d, though its header says that all are below %d", r.seq-1,
			r.chunkLow)
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

// flagsOf is the flags that a position in the file has.
func (r *Reader) flagsOf(pos uint32) event.Flags {
	return event.Flags(pos>>spec.FlagShift) & r.flags
}

// other decodes one record of a chunk that is in order, and makes its events: three at most.
func (r *Reader) other(events []event.Event) (n int, err error) {
	s, isStep, err := r.record()
	if err != nil || s.kind == event.Go {
		return 0, err
	}
	if s.kind == event.Seq {
		if int64(s.args[0]) < 0 {
			return 0,
				r.fail("has step %d after step %d, though its header says that they are in order",
					r.seq+s.args[0], r.seq-1)
		}
		r.seq += s.args[0]
		return 0, nil
	}
	if !isStep {
		return 0, nil
	}
	r.seq++
	r.left--
	return r.convert(&s, events)
}

// record decodes one record of a chunk by the table of kinds. That of a step is one; what else
// speaks of goroutines is taken note of here, and what speaks of numbers of steps is the caller's.
func (r *Reader) record() (s step, isStep bool, err error) {
	first := r.buf[r.at]
	kind, mode := spec.Kind(first&31), int(first>>5)
	info := spec.InfoOf(kind)
	if info == nil || mode > spec.DeltaPos || mode != 0 && !info.IsStep() {
		return s, false, r.fail("has a record that begins with byte %#x", first)
	}
	r.at++
	if mode == spec.DeltaPos {
		d := r.varint()
		r.pos += 1 + uint32(d>>1^-(d&1))
	} else {
		r.pos += uint32(mode)
	}
	s = step{kind: kind, flags: r.flagsOf(r.pos), thread: r.thread, pos: r.pos & r.posMask}
	for i, arg := range info.Args {
		s.args[i] = r.arg(arg.Type)
	}
	if r.at > len(r.buf) {
		return s, false, r.fail("ends within a %v record", kind.Name())
	}
	switch {
	case kind == event.Go:
		v, err := r.threadNumber(s.args[0])
		if err == nil {
			r.thread, r.named = v, true
		}
		return s, false, err
	case kind == event.Origin:
		return s, false, r.origins(s.args)
	case kind != event.Value:
	case s.args[0] == spec.Takes || s.args[0] == spec.Frees:
		s.args[1] = r.lockOf(s.args[1], spec.LockShift)
	case ofObject(s.args[0]) && s.args[0] != spec.Anywhere:
		s.args[1] = r.lockOf(s.args[1], 0)
	case s.args[0]&(1<<spec.SiteShift-1) == spec.Announces:
		s.args[1] = r.lockOf(s.args[1], spec.SizeShift)
	}
	return s, info.IsStep(), nil
}

// origins takes an Origin: it says of the goroutine whose steps follow what a definition would.
func (r *Reader) origins(args [3]uint64) error {
	if !r.named {
		return r.fail("has an origin before it names a goroutine")
	}
	r.tables.Program.Lock()
	defer r.tables.Program.Unlock()
	return r.origin(r.thread, args[0], args[1], args[2])
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
