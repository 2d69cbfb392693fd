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
	lapped      bool    // the first segment was written over, and definitions are appended
	kept        offheap.Ref[block]
	last        offheap.Ref[block]

	chunks uint64             // that were written to the ring
	from   uint64             // see spec
	past   uint64             // steps in those chunks
	held   offheap.Ref[shard] // whose lock the writer holds

	written uint64 // bytes to the ring
}

// A block is definitions that were written to the ring only.
type block struct {
	next offheap.Ref[block]
	n    int
	buf  buffer
}

const (
	ringHeader = "commute trace 2\n"
	ringStart  = 32 // where the first segment begins
	minSegment = 256 << 10
	maxSegment = 32 // so many segments at most; the more, the less is lost with the oldest
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
	f.segments = uint32(min(size/minSegment, maxSegment))
	f.segmentSize = size / uint64(f.segments) &^ 4095
	f.end, f.interval = ringStart+f.segmentSize, minSegment
	epoch.Store(1)
	begun(f.start())
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
	return f.advance(head[:])
}

// advance writes where the ring has come to.
func (f *output) advance(p []byte) bool {
	f.at += uint64(len(p))
	f.written += uint64(len(p))
	return f.write(p)
}

// length is how long the file is.
func (f *output) length() uint64 {
	switch {
	case f.segments == 0:
		return f.size
	case f.lapped:
		return ringStart + uint64(f.segments)*f.segmentSize + f.appended
	}
	return f.at
}

// toRing is chunk for a ring.
func (f *output) toRing(kind byte, data []byte, steps uint32, first, low uint64) {
	if f.status == Good && f.at+uint64(len(data)) > f.end {
		f.turn()
	}
	if f.status != Good {
		return
	}
	f.extend(data)
	fill(data, headRoom, kind, steps, first, low)
	f.advance(data)
	f.chunks++
	f.past += uint64(steps)
}

// extend fills in the part of a chunk's header that only rings have.
func (f *output) extend(data []byte) {
	put64(data[36:], f.chunks)
	put64(data[44:], f.from)
	put64(data[52:], f.past)
}

var zeros [4 << 10]byte

// turn ends a segment, and begins the next one.
func (f *output) turn() {
	for f.at < f.end && f.status == Good {
		f.advance(zeros[:min(f.end-f.at, uint64(len(zeros)))])
	}
	if f.segment++; f.segment == f.segments {
		f.segment = 0
		f.lap()
	}
	f.end = ringStart + uint64(f.segment+1)*f.segmentSize
	f.begin()
}

// lap goes back to the beginning of the file.
func (f *output) lap() {
	if !f.lapped {
		for b := f.kept; !b.Nil() && f.status == Good; b = b.P().next {
			f.append(b.P().buf[:b.P().n])
		}
		f.lapped = f.status == Good
	}
	if f.status != Good {
		return
	}
	fd, ok := host.Rewind(f.fd, f.path)
	if !ok {
		f.status = Failed
		on.Store(0)
		return
	}
	f.fd = fd
	f.start()
}

// begin begins an epoch. No step is made meanwhile: each is of one epoch, in its number and in what its goroutine has told.
func (f *output) begin() {
	for i := range shards {
		if s := &shards[i]; s != f.held.P() {
			s.lock.Lock()
		}
	}
	epoch.Store(max(1, (epoch.Load()+1)&(1<<24-1)))
	f.from = next.Load()
	for i := range shards {
		if s := &shards[i]; s != f.held.P() {
			s.lock.Unlock()
		}
	}
}

// definitions writes a chunk of definitions.
func (f *output) definitions(data []byte) {
	switch {
	case f.segments == 0:
		f.chunk(defining, data, 0, 0, 0)
	case f.lapped:
		f.append(data)
	default:
		f.keep(data) // the chunk may begin the second lap
		f.chunk(defining, data, 0, 0, 0)
	}
}

// append writes a chunk of definitions at the end of the file.
func (f *output) append(data []byte) {
	if f.status != Good {
		return
	}
	clear(data[headSize:headRoom])
	fill(data, headRoom, defining, 0, 0, 0)
	if !host.Write(f.tail, data) {
		f.status = Failed
		on.Store(0)
		return
	}
	f.appended += uint64(len(data))
}

// keep keeps definitions, to be appended when their place is needed.
func (f *output) keep(data []byte) {
	data = data[headRoom:]
	if f.last.Nil() || f.last.P().n+len(data) > bufSize {
		b := offheap.To((*block)(host.Alloc(unsafe.Sizeof(block{}))))
		b.P().n = headRoom
		if f.last.Nil() {
			f.kept = b
		} else {
			f.last.P().next = b
		}
		f.last = b
	}
	b := f.last.P()
	b.n += copy(b.buf[b.n:], data)
}

// introduce tells who t is, and what it is doing.
func (s *shard) introduce(t *Thread) {
	s.byte(byte(event.Origin))
	s.number(t.goid)
	s.number(uint64(t.parent))
	s.number(uint64(t.pos))
	s.step(event.State, s.pos)
	hidden := uint64(0)
	if t.hidden {
		hidden = 1
	}
	s.number(hidden)
	s.number(uint64(t.depth))
	s.number(uint64(t.section))
}
