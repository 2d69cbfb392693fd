// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package recorder

import (
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
)

// file is what is written. See the package's doc for the order of locks.
var file output

// An output is a file that is written: a plain one, or a ring.
type output struct {
	lock   offheap.Lock
	fd     uintptr
	size   uint64
	limit  uint64
	status Status
	ring

	swept    uint64 // progress at the last sweep
	sweptAt  uint64 // the next number, then
	interval uint64 // bytes until the next one
}

// A Status is what has become of the recording.
type Status int

const (
	Good   Status = iota
	Full          // the file has come to its limit, and what happened later isn't there
	Failed        // it could not be written
)

// State tells what has become of the recording, and how long the file is.
func State() (Status, uint64) {
	file.lock.Lock()
	status, size := file.status, file.length()
	file.lock.Unlock()
	return status, size
}

// flush writes s out if it has more than full bytes. Another thread may have done that already,
// while the caller had released the shard's lock.
func (s *shard) flush(full int) {
	file.lock.Lock()
	s.lock.Lock()
	if s.steps > 0 && s.n > full {
		file.emit(s)
	}
	s.lock.Unlock()
	if file.sweeps() {
		file.sweep()
	}
	file.lock.Unlock()
}

// emit writes out what s holds; the locks of both are held. The definitions go first: a reader must
// know what the steps refer to.
func (f *output) emit(s *shard) {
	f.locked = offheap.To(s)
	f.define()
	f.chunk(events, s.buf.P()[:s.n], s.steps, s.first, s.low())
	s.n, s.steps = 0, 0
	f.locked = offheap.Ref[shard]{}
}

// low is the number below which all steps are in the file or in s. The locks of both are held. A
// shard that is empty holds nothing back: its next step takes new numbers, which are greater.
func (s *shard) low() uint64 {
	low := next.Load()
	s.end = s.next // or the next chunk of s would begin below that
	// Other shards may have taken numbers that they have not written yet. Their first steps tell
	// from where on.
	for i := range shards {
		o := &shards[i]
		if o == s {
			continue
		}
		o.lock.Lock()
		if o.steps > 0 {
			low = min(low, o.first)
		}
		o.lock.Unlock()
	}
	return low
}

// progress is how many bytes of steps were written, or a little more.
func (f *output) progress() uint64 {
	if f.segments != 0 {
		return f.written
	}
	return f.size
}

// sweeps reports whether it is time to sweep. The file's lock is held.
func (f *output) sweeps() bool { return f.progress()-f.swept > f.interval }

// sweep writes out what shards have held back since the last sweep. Without it a processor that
// does little would keep low down, and a reader gives out only what is below low. A reader of a
// file would have to keep all other steps until then. A reader of a ring would get nothing once
// that has come round.
func (f *output) sweep() {
	used := uint64(1)
	for i := range shards {
		s := &shards[i]
		s.lock.Lock()
		if s.steps > 0 {
			used++
			// It was here at the last sweep already.
			if s.first < f.sweptAt {
				f.emit(s)
			}
		}
		s.lock.Unlock()
	}
	f.swept, f.sweptAt = f.progress(), next.Load()
	// With each shard in use about two chunks are written between sweeps: so sweeping adds
	// little.
	f.interval = 2 * bufSize * used
	if f.segments != 0 {
		f.interval = min(f.interval, uint64(f.segments)*f.segmentSize/8)
	}
}

// chunk writes a chunk; data has headRoom bytes, and then the payload.
func (f *output) chunk(kind byte, data []byte, steps uint32, first, low uint64) {
	if f.segments != 0 {
		f.toRing(kind, data, steps, first, low)
		return
	}
	data = data[headRoom-headSize:]
	// The chunk that goes beyond the limit is the last. What comes later is dropped.
	if f.limit != 0 && f.size > f.limit && f.status == Good {
		f.status = Full
		recording.Store(0)
	}
	if f.status != Good {
		return
	}
	fill(data, headSize, kind, steps, first, low)
	f.write(data)
}

// fill fills in the header of a chunk. What the header has beyond headSize is there already. The
// checksum covers all but itself.
func fill(data []byte, head int, kind byte, steps uint32, first, low uint64) {
	n := uint32(len(data) - head)
	data[0], data[1], data[2], data[3] = kind, 0, 0, 0
	put32(data[4:], n)
	put32(data[8:], n)
	put32(data[12:], steps)
	put64(data[16:], first)
	put64(data[24:], low)
	put32(data[32:], checksum(checksum(0, data[:headSize-4]), data[headSize:]))
}

// write writes to the file, and ends the recording if that fails.
func (f *output) write(p []byte) bool {
	if !host.Write(f.fd, p) {
		f.status = Failed
		recording.Store(0)
		return false
	}
	f.size += uint64(len(p))
	return true
}

// put32 stores 32 bits, the lowest first.
func put32(b []byte, v uint32) {
	for i := range 4 {
		b[i] = byte(v >> (8 * i))
	}
}

func put64(b []byte, v uint64) {
	put32(b, uint32(v))
	put32(b[4:], uint32(v>>32))
}

// tables are for CRC-32C, eight bytes at a time.
var tables [8][256]uint32

// makeTables fills the tables. Table 0 has the sum of each byte, and table k that of the byte with
// k zero bytes after it.
func makeTables() {
	const castagnoli = 0x82f63b78
	for i := range 256 {
		c := uint32(i)
		for range 8 {
			c = c>>1 ^ castagnoli&-(c&1)
		}
		tables[0][i] = c
	}
	for i := range 256 {
		for k := 1; k < 8; k++ {
			c := tables[k-1][i]
			tables[k][i] = tables[0][byte(c)] ^ c>>8
		}
	}
}

// checksum is the CRC-32C of p after data that has the sum c. The package hash/crc32 is out of
// reach for code that is compiled into Go's runtime.
func checksum(c uint32, p []byte) uint32 {
	c = ^c
	for len(p) >= 8 {
		c ^= uint32(p[0]) | uint32(p[1])<<8 | uint32(p[2])<<16 | uint32(p[3])<<24
		c = tables[7][byte(c)] ^ tables[6][byte(c>>8)] ^ tables[5][byte(c>>16)] ^ tables[4][c>>24] ^
			tables[3][p[4]] ^ tables[2][p[5]] ^ tables[1][p[6]] ^ tables[0][p[7]]
		p = p[8:]
	}
	for _, b := range p {
		c = tables[0][byte(c)^b] ^ c>>8
	}
	return ^c
}
