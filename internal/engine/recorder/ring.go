// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package recorder

import (
	"sync/atomic"
	"unsafe"

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/event"
)

// A ring is a file that keeps the last steps, as package internal/trace/spec lays it out. It has
// segments that are written in turn, and over again, and after them the definitions. Two
// descriptors write it that only go forward. One begins again at the start of the file, and the
// other appends. So the ring needs no more of a system than to open files and to write.
//
// Until the ring is full, the file just grows, and definitions are among the chunks of the
// segments. Before the first segment is written over, all of them are appended, from memory; later
// ones are appended at once.
//
// When a segment begins, all shards are locked for an instant and an epoch begins. Of each
// goroutine the first step in an epoch takes a new number, and a State comes before it
// (writeState). So all steps from the number on that is then the next are made by goroutines whose
// state the ring tells, if it has that segment. All earlier chunks have lower numbers.
type ring struct {
	segments    uint32 // 0: the file is no ring
	segment     uint32 // that is being written
	segmentSize uint64
	at, end     uint64 // where the next chunk goes, and where the segment ends
	path        string
	tail        uintptr // descriptor that appends
	appended    uint64  // bytes
	wrapped     bool    // the first segment was written over, and definitions are appended
	keptFirst   offheap.Ref[keptDefinitions]
	keptLast    offheap.Ref[keptDefinitions]

	chunks    uint64             // that were written to the ring
	stateFrom uint64             // each step from here on comes after a State (the spec's from)
	steps     uint64             // steps in those chunks
	locked    offheap.Ref[shard] // whose lock the writer holds

	written uint64 // bytes to the ring
}

// keptDefinitions are definitions that were written to the ring only, and that will be written
// over.
type keptDefinitions struct {
	next offheap.Ref[keptDefinitions]
	n    int
	buf  buffer
}

const (
	ringHeader  = "commute trace 2\n"
	ringStart   = 32 // where the first segment begins
	segmentUnit = 256 << 10
	maxSegment  = 32 // the most segments; the more, the less is lost with the oldest
)

// epoch counts the segments that have begun; without a ring it is 0.
var epoch atomic.Uint32

func isRing() bool { return epoch.Load() != 0 }

// StartRing begins a file that keeps the last steps, in size bytes, a megabyte or more; definitions
// come on top. The file at path is open and empty. StartRing reports whether it could be opened
// once more.
func StartRing(fd uintptr, path string, size uint64) bool {
	makeTables()
	f := &file
	tail, ok := host.Append(path)
	if !ok {
		return false
	}
	// The path may lie on Go's heap, which the engine must not keep alive.
	kept := unsafe.Slice((*byte)(host.Alloc(uintptr(len(path)))), len(path))
	copy(kept, path)
	f.fd, f.tail, f.path = fd, tail, unsafe.String(&kept[0], len(path))
	f.segments = uint32(min(size/segmentUnit, maxSegment))
	f.segmentSize = size / uint64(f.segments) &^ 4095
	f.end, f.interval = ringStart+f.segmentSize, segmentUnit
	epoch.Store(1)
	enable(f.start())
	return true
}

// start writes the header of the file, at its beginning.
func (f *output) start() bool {
	var head [ringStart]byte
	copy(head[:], ringHeader)
	put64(head[16:], f.segmentSize)
	put32(head[24:], f.segments)
	put32(head[28:], checksum(0, head[:28]))
	f.at = 0
	return f.writeRing(head[:])
}

// writeRing writes at the place that the ring has come to.
func (f *output) writeRing(p []byte) bool {
	f.at += uint64(len(p))
	f.written += uint64(len(p))
	return f.write(p)
}

// length is how long the file is.
func (f *output) length() uint64 {
	switch {
	case f.segments == 0:
		return f.size
	case f.wrapped:
		return ringStart + uint64(f.segments)*f.segmentSize + f.appended
	}
	return f.at
}

// toRing is chunk for a ring. A chunk lies in one segment.
func (f *output) toRing(kind byte, data []byte, steps uint32, first, low uint64) {
	// A chunk that does not fit begins the next segment.
	if f.status == Good && f.at+uint64(len(data)) > f.end {
		f.nextSegment()
	}
	if f.status != Good {
		return
	}
	f.fillRing(data)
	fill(data, headRoom, kind, steps, first, low)
	f.writeRing(data)
	f.chunks++
	f.steps += uint64(steps)
}

// fillRing fills in the part of a chunk's header that only rings have.
func (f *output) fillRing(data []byte) {
	put64(data[36:], f.chunks)
	put64(data[44:], f.stateFrom)
	put64(data[52:], f.steps)
}

var zeros [4 << 10]byte

// nextSegment ends a segment, and begins the next one. The rest of the segment is filled with
// zeros, as the descriptor cannot skip it.
func (f *output) nextSegment() {
	for f.at < f.end && f.status == Good {
		f.writeRing(zeros[:min(f.end-f.at, uint64(len(zeros)))])
	}
	if f.segment++; f.segment == f.segments {
		f.segment = 0
		f.wrap()
	}
	f.end = ringStart + uint64(f.segment+1)*f.segmentSize
	f.beginEpoch()
}

// wrap goes back to the beginning of the file. The first time, the file gets its definitions at the
// end, before any is written over.
func (f *output) wrap() {
	if !f.wrapped {
		for b := f.keptFirst; !b.Nil() && f.status == Good; b = b.P().next {
			f.appendDefinitions(b.P().buf[:b.P().n])
		}
		f.wrapped = f.status == Good
	}
	if f.status != Good {
		return
	}
	fd, ok := host.Rewind(f.fd, f.path)
	if !ok {
		f.status = Failed
		recording.Store(0)
		return
	}
	f.fd = fd
	f.start()
}

// beginEpoch begins an epoch. No step is made meanwhile: each belongs to one epoch, by its number
// and by the State of its goroutine. The lock of the shard that is being written is held already.
func (f *output) beginEpoch() {
	for i := range shards {
		if s := &shards[i]; s != f.locked.P() {
			s.lock.Lock()
		}
	}
	// The epoch has 24 bits (lastStep), and 0 is for files that are no rings.
	epoch.Store(max(1, (epoch.Load()+1)&(1<<24-1)))
	f.stateFrom = next.Load()
	for i := range shards {
		if s := &shards[i]; s != f.locked.P() {
			s.lock.Unlock()
		}
	}
}

// definitions writes a chunk of definitions.
func (f *output) definitions(data []byte) {
	switch {
	case f.segments == 0:
		f.chunk(defining, data, 0, 0, 0)
	case f.wrapped:
		f.appendDefinitions(data)
	default:
		f.keepDefinitions(data) // the chunk may begin the second lap
		f.chunk(defining, data, 0, 0, 0)
	}
}

// appendDefinitions writes a chunk of definitions at the end of the file.
func (f *output) appendDefinitions(data []byte) {
	if f.status != Good {
		return
	}
	clear(data[headSize:headRoom])
	fill(data, headRoom, defining, 0, 0, 0)
	if !host.Write(f.tail, data) {
		f.status = Failed
		recording.Store(0)
		return
	}
	f.appended += uint64(len(data))
}

// keepDefinitions keeps definitions, to be appended when their place is needed.
func (f *output) keepDefinitions(data []byte) {
	data = data[headRoom:]
	// A block of definitions is as large as a chunk may be.
	if f.keptLast.Nil() || f.keptLast.P().n+len(data) > bufSize {
		b := offheap.To((*keptDefinitions)(host.Alloc(unsafe.Sizeof(keptDefinitions{}))))
		b.P().n = headRoom
		if f.keptLast.Nil() {
			f.keptFirst = b
		} else {
			f.keptLast.P().next = b
		}
		f.keptLast = b
	}
	b := f.keptLast.P()
	b.n += copy(b.buf[b.n:], data)
}

// writeState writes which goroutine t is, and what it is doing, before its first step in an epoch.
// The Origin is no step, and the State is one.
func (s *shard) writeState(t *Thread) {
	s.byte(byte(event.Origin))
	s.number(t.goid)
	s.number(uint64(t.parent))
	s.number(uint64(t.pos))
	// What follows is the state: whether suppressed, how deep in transactions, and in which.
	s.step(event.State, s.pos)
	hidden := uint64(0)
	if t.suppressed {
		hidden = 1
	}
	s.number(hidden)
	s.number(uint64(t.depth))
	s.number(uint64(t.section))
}
