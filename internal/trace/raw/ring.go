// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package raw

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"slices"

	"github.com/commutego/commute/internal/trace/spec"
)

// A ring is a file of version 2. It is read whole first, as the oldest chunk may be anywhere.
type ring struct {
	data   []byte      // the file after its first line
	chunks []ringChunk // those to read, in order
	next   int         // the next of them
	cut    int64       // bytes of chunks that are left out
}

const ringOffset = int64(len(spec.RingHeader)) // of data in the file

// A ringChunk is a whole chunk of a ring.
type ringChunk struct {
	header
	offset int64
}

// length is the chunk's length in the file, with its header.
func (c *ringChunk) length() int { return spec.RingChunkSize + int(c.stored) }

// readRing reads a ring after its first line. Each segment may be whole, empty, or partly replaced,
// as the program may have ended at any point. The chunks of all segments are put in order, and of
// those the longest sequence without a gap is the trace.
func readRing(r io.Reader) (*ring, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	x := &ring{data: data}
	size, count, err := x.layout()
	if err != nil {
		return nil, err
	}
	var runs [][]ringChunk
	for i := range count {
		start := spec.RingStart + int64(i)*size
		if start >= x.end() {
			break
		}
		if s := x.segment(start, min(start+size, x.end())); len(s) > 0 {
			runs = append(runs, s)
		}
	}
	definitions := x.definitions(spec.RingStart + int64(count)*size)
	run, cut := longest(runs)
	if len(run) > 0 && run[0].number > 0 && len(definitions) == 0 {
		return nil, &Error{x.end(), "the end of the file, where definitions should be" + damaged}
	}
	x.chunks, x.cut = append(definitions, run...), cut
	return x, nil
}

// end is the length of the file.
func (x *ring) end() int64 { return ringOffset + int64(len(x.data)) }

// layout is the length of the segments and their number, from the header.
func (x *ring) layout() (size int64, count uint32, err error) {
	n := int(spec.RingStart - ringOffset)
	if len(x.data) < n {
		return 0, 0, &Error{ringOffset, "the file ends within its header" + damaged}
	}
	length := binary.LittleEndian.Uint64(x.data)
	count = binary.LittleEndian.Uint32(x.data[8:])
	sum := crc32.Update(crc32.Checksum([]byte(spec.RingHeader), castagnoli), castagnoli,
		x.data[:n-4])
	if sum != binary.LittleEndian.Uint32(x.data[n-4:]) {
		return 0, 0, &Error{ringOffset, "a header with a wrong checksum" + damaged}
	}
	if length < spec.RingChunkSize || length%256 != 0 || length > maxSegment || count == 0 ||
		count > maxSegments {
		return 0, 0, &Error{ringOffset, fmt.Sprintf("%d segments of %d bytes", count, length) +
			damaged}
	}
	return int64(length), count, nil
}

// maxSegments and maxSegment bound the number and the length of segments, so that offsets don't
// overflow.
const (
	maxSegments = 1 << 16
	maxSegment  = 1 << 40
)

// at is the bytes of the file from one offset to another.
func (x *ring) at(from, to int64) []byte { return x.data[from-ringOffset : to-ringOffset] }

// chunk is the chunk at an offset, if there is a whole one before end.
func (x *ring) chunk(offset, end int64) (c ringChunk, ok bool) {
	if end-offset < spec.RingChunkSize {
		return c, false
	}
	head := x.at(offset, offset+spec.RingChunkSize)
	c = ringChunk{decodeHeader(head), offset}
	c.number = binary.LittleEndian.Uint64(head[spec.ChunkSize:])
	c.from = binary.LittleEndian.Uint64(head[spec.ChunkSize+8:])
	c.past = binary.LittleEndian.Uint64(head[spec.ChunkSize+16:])
	if c.check() != "" || int64(c.length()) > end-offset {
		return c, false
	}
	return c, checksum(head, x.at(offset+spec.ChunkSize, offset+int64(c.length()))) == c.sum
}

// segment is the chunks of a segment. They are followed by zeros, or by older chunks, which were
// partly replaced.
func (x *ring) segment(offset, end int64) (list []ringChunk) {
	for {
		c, ok := x.chunk(offset, end)
		if !ok || len(list) > 0 && c.number != list[len(list)-1].number+1 {
			return list
		}
		list = append(list, c)
		offset += int64(c.length())
	}
}

// definitions is the chunks from an offset to the end of the file: definitions come after the
// segments, and are never replaced.
func (x *ring) definitions(offset int64) (list []ringChunk) {
	for offset < x.end() {
		c, ok := x.chunk(offset, x.end())
		if !ok || c.kind != spec.Definitions {
			break
		}
		list = append(list, c)
		offset += int64(c.length())
	}
	return list
}

// longest is the run of chunks with consecutive numbers that has the most bytes, the latest of
// several. It also returns the number of bytes of the other chunks.
func longest(segments [][]ringChunk) (run []ringChunk, cut int64) {
	slices.SortStableFunc(segments,
		func(a, b []ringChunk) int { return cmp.Compare(a[0].number, b[0].number) })
	var runs [][]ringChunk
	for _, s := range segments {
		if n := len(runs); n > 0 && runs[n-1][len(runs[n-1])-1].number+1 == s[0].number {
			runs[n-1] = append(runs[n-1], s...)
		} else {
			runs = append(runs, s)
		}
	}
	most, all := int64(-1), int64(0)
	for _, r := range runs {
		bytes := int64(0)
		for i := range r {
			bytes += int64(r[i].length())
		}
		all += bytes
		if bytes >= most {
			run, most = r, bytes
		}
	}
	return run, all - max(most, 0)
}

// nextOfRing is Next for a ring.
func (r *Reader) nextOfRing() (*Chunk, error) {
	x := r.ring
	if x.next == len(x.chunks) {
		r.cut = x.cut
		return nil, io.EOF
	}
	c := &x.chunks[x.next]
	x.next++
	r.stored = x.at(c.offset+spec.RingChunkSize, c.offset+int64(c.length()))
	payload, err := r.expand(&c.header)
	if err != nil {
		return nil, &Error{c.offset, fmt.Sprintf("a chunk that does not decompress: %v%s", err,
			damaged)}
	}
	r.chunk = c.chunk()
	r.chunk.Payload = payload
	return &r.chunk, nil
}

// chunk is the chunk, without its payload.
func (c *ringChunk) chunk() Chunk { return c.header.chunk(c.offset, c.length()) }

// scanRing is Scan for a ring; it returns nil for other files.
func scanRing(r io.ReaderAt, size int64) (*Index, error) {
	f := io.NewSectionReader(r, 0, size)
	head := make([]byte, len(spec.RingHeader))
	if _, err := io.ReadFull(f, head); err != nil || !bytes.Equal(head, []byte(spec.RingHeader)) {
		return nil, nil // Scan reports errors
	}
	ring, err := readRing(f)
	if err != nil {
		return nil, err
	}
	x := &Index{Version: 2, Cut: ring.cut}
	for i := range ring.chunks {
		x.Chunks = append(x.Chunks, ring.chunks[i].chunk())
		x.Steps += uint64(ring.chunks[i].steps)
	}
	return x, nil
}
