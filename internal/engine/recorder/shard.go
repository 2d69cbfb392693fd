// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package recorder

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/event"
)

type buffer [bufSize]byte

// A shard is the buffer of a processor.
type shard struct {
	lock  offheap.Lock
	buf   offheap.Ref[buffer]
	n     int    // bytes, with the header of the chunk
	steps uint32 // 0: the buffer is empty
	first uint64 // number of the first
	after uint64 // the number after that of the last
	next  uint64 // the number for the next, if it's less than end
	end   uint64
	freed uint32 // frees, when those numbers were taken
	g     uint32 // the goroutine of the last step
	pos   uint32 // the position of the last step
	addr  uint64 // of the last access
	sync  uint64 // of the last synchronization
	obj   uint64 // of the last call
	_     [64]byte
}

const numbersTaken = 1 << 10 // numbers that are taken at once

// begin returns the caller's shard with its lock held, and in it the beginning of a step, for which
// there is room. It is nil if nothing is recorded any more.
//
// The shard takes new numbers in the cases that the package's doc has. It does not if no other
// shard has taken any since: then the numbers that are left are greater than all that other shards
// have given.
func begin(k event.Kind, t *Thread, pos uint32) *shard { return beginAs(k, t, pos, k.Acquires()) }

// beginAs is begin. If after is true, the step has a number after those of all steps so far.
func beginAs(k event.Kind, t *Thread, pos uint32, after bool) *shard {
	i := host.Shard()
	s := &shards[i]
	s.lock.Lock()
	if (s.n > bufSize-maxStep || s.steps == 0 || recording.Load() == 0) && !s.ready() {
		return nil
	}
	// A goroutine that comes from another shard brings what it did there; t.last tells.
	now, here := frees.Load(), lastStep(epoch.Load(), i)
	entered := t.last>>8 != here>>8 && t.Number != 0
	// A step and the State before it take two numbers.
	if s.end-s.next < 2 ||
		(s.freed != now || t.last != here || after) && s.end != next.Load() {
		s.next = next.Add(numbersTaken) - numbersTaken
		s.end = s.next + numbersTaken
	}
	s.freed, t.last = now, here
	// A reader goes by the goroutine and the number of the step before, unless the chunk says
	// others.
	if s.g != t.Number || s.after != s.next || s.steps == 0 {
		s.beginStep(t.Number)
	}
	if entered {
		s.writeState(t)
	}
	s.step(k, pos)
	return s
}

// ready makes sure that there is a buffer, with room for a step. If nothing is recorded any more it
// reports false, and releases the lock. To write out a full buffer it needs the file's lock, which
// comes before the shard's.
func (s *shard) ready() bool {
	for s.n > bufSize-maxStep {
		s.lock.Unlock()
		s.flush(bufSize - maxStep)
		s.lock.Lock()
	}
	if recording.Load() == 0 {
		s.lock.Unlock()
		return false
	}
	if s.buf.Nil() {
		// Processors that never make a step have no buffer.
		s.buf = offheap.To((*buffer)(host.Alloc(unsafe.Sizeof(buffer{}))))
	}
	return true
}

// beginStep begins a chunk if there is none. It writes the goroutine of the step that follows, and
// the step's number, where they differ from what a reader takes them for.
func (s *shard) beginStep(g uint32) {
	if s.steps == 0 {
		s.n, s.first, s.after = headRoom, s.next, s.next
		// Each chunk can be read by itself, so no distance goes back beyond its beginning.
		s.pos, s.addr, s.sync, s.obj = 0, 0, 0, 0
	}
	if s.g != g || s.steps == 0 {
		s.g = g
		s.byte(byte(event.Go))
		s.number(uint64(g))
	}
	if s.after != s.next {
		s.byte(byte(event.Seq))
		s.signed(s.next - s.after)
	}
}

// samePos is the position of a step that has none: it takes that of the step before it.
const samePos = ^uint32(0)

// step begins a step, the next one of the goroutine that was written last. The two bits beside the
// kind say how its position follows from that of the step before.
func (s *shard) step(k event.Kind, pos uint32) {
	s.next++
	s.after = s.next
	s.steps++
	if pos == samePos {
		s.byte(byte(k))
		return
	}
	switch by := pos - s.pos; by {
	case 0:
		s.byte(byte(k))
	case 1:
		s.byte(byte(k) | nextPos)
	default:
		s.byte(byte(k) | deltaPos)
		s.signed(uint64(int64(int32(by - 1))))
	}
	s.pos = pos
}
