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

// A ring is a file that keeps the last steps, as package internal/trace/spec lays it out: segments that are written in turn, and over
// again, and after them the definitions. It is written by two descriptors that only go forward, one of which begins again at
// the start of the file, and the other appends; so it needs no more of a system than to open files and to write.
//
// Until the ring is full, the file just grows, and definitions are among the chunks of the segments. Before the first segment
// is written over they are appended all, from memory; later ones at once.
//
// When a segment begins, all processors stand still for a moment and an epoch begins. Of each goroutine the first step in an
// epoch takes a new number, and a State comes before it (introduce). So all steps from the number on that is then the next
// are made by goroutines whose state the ring tells, if it has that segment, and all earlier chunks have lower numbers.
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
	stateFrom uint64             // see spec
	steps     uint64             // steps in those chunks
	locked    offheap.Ref[shard] // whose lock the writer holds

	written uint64 // bytes to the ring
}

// A block is definitions that were written to the ring only.
type keptDefinitions struct {
	next offheap.Ref[keptDefinitions]
	n    int
	buf  buffer
}

const (
	ringHeader  = "commute trace 2\n"
	ringStart   = 32 // where the first segment begins
	segmentUnit = 256 << 10
	maxSegment  = 32 // so many segments at most; the more, the less is lost with the oldest
)

// epoch counts the segments that have begun; without a ring it is 0.
var epoch atomic.Uint32

func isRing() bool { return epoch.Load() != 0 }

// StartRing begins a file that keeps the last steps, in size bytes, a megabyte or more; definitions come on top. The file at
// path is open and empty. It reports whether it could be opened once more.
func StartRing(fd uintptr, path string, size uint64) bool {
	makeTables()
	f := &file
	tail, ok := host.Append(path)
	if !ok {
		return false
	}
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

// start writes what the file begins with, at its beginning.
func (f *output) start() bool {
	var head [ringStart]byte
	copy(head[:], ringHeader)
	put64(head[16:], f.segmentSize)
	put32(head[24:], f.segments)
	put32(head[28:], checksum(0, head[:28]))
	f.at = 0
	return f.writeRing(head[:])
}

// advance writes where the ring has come to.
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

// toRing is chunk for a ring.
func (f *output) toRing(kind byte, data []byte, steps uint32, first, low uint64) {
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

// extend fills in the part of a chunk's header that only rings have.
func (f *output) fillRing(data []byte) {
	put64(data[36:], f.chunks)
	put64(data[44:], f.stateFrom)
	put64(data[52:], f.steps)
}

var zeros [4 << 10]byte

// turn ends a segment, and begins the next one.
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

// lap goes back to the beginning of the file.
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

// begin begins an epoch. No step is made meanwhile: each is of one epoch, in its number and in what its goroutine has told.
func (f *output) beginEpoch() {
	for i := range shards {
		if s := &shards[i]; s != f.locked.P() {
			s.lock.Lock()
		}
	}
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

// append writes a chunk of definitions at the end of the file.
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

// keep keeps definitions, to be appended when their place is needed.
func (f *output) keepDefinitions(data []byte) {
	data = data[headRoom:]
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

// introduce tells who t is, and what it is doing.
func (s *shard) writeState(t *Thread) {
	s.byte(byte(event.Origin))
	s.number(t.goid)
	s.number(uint64(t.parent))
	s.number(uint64(t.pos))
	s.step(event.State, s.pos)
	hidden := uint64(0)
	if t.suppressed {
		hidden = 1
	}
	s.number(hidden)
	s.number(uint64(t.depth))
	s.number(uint64(t.section))
}
