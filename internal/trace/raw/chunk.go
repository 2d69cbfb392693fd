// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package raw

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/commutego/commute/internal/trace/spec"
	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
)

// A Chunk is one chunk of a file, with its payload before compression. Package spec describes the
// fields.
type Chunk struct {
	Kind    byte
	Codec   byte
	Steps   uint32
	First   uint64
	Low     uint64
	Ordered bool
	Payload []byte

	From, Past uint64 // of a ring: see spec

	Offset int64 // of its header in the file
	Stored int   // its length in the file
}

// An Error is an error at a byte of a binary trace.
type Error struct {
	Offset int64
	Text   string
}

func (e *Error) Error() string { return fmt.Sprintf("byte %d: %s", e.Offset, e.Text) }

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// checksum is that of a header up to the place of the checksum, and of what comes after that.
func checksum(header, rest []byte) uint32 {
	return crc32.Update(crc32.Checksum(header[:spec.ChunkSize-4], castagnoli), castagnoli, rest)
}

// header is a chunk's header as the file has it.
type header struct {
	kind, codec   byte
	order, zero   byte
	stored, plain uint32
	steps         uint32
	first, low    uint64
	sum           uint32

	number, from, past uint64 // of a ring
}

// decodeHeader decodes what the headers of all files have.
func decodeHeader(b []byte) header {
	return header{
		kind: b[0], codec: b[1], order: b[2], zero: b[3],
		stored: binary.LittleEndian.Uint32(b[4:]), plain: binary.LittleEndian.Uint32(b[8:]),
		steps: binary.LittleEndian.Uint32(b[12:]),
		first: binary.LittleEndian.Uint64(b[16:]), low: binary.LittleEndian.Uint64(b[24:]),
		sum: binary.LittleEndian.Uint32(b[32:]),
	}
}

// maxStored is the greatest length of a payload in the file. Data that doesn't compress may get a
// little longer. The limits keep a damaged header from making the reader allocate much memory.
const maxStored = spec.MaxChunk + spec.MaxChunk/8

// check returns the error in a header, "" if there is none.
func (h *header) check() string {
	switch {
	case h.kind != spec.Events && h.kind != spec.Definitions:
		return fmt.Sprintf("a chunk of kind %d, want %d or %d", h.kind, spec.Events,
			spec.Definitions)
	case h.codec > spec.Zstd:
		return fmt.Sprintf("a chunk compressed by codec %d, want %d, %d or %d", h.codec, spec.Plain,
			spec.S2, spec.Zstd)
	case h.zero != 0 || h.order > spec.Ordered:
		return fmt.Sprintf("a chunk whose header has bytes %d and %d where order and a zero belong",
			h.order, h.zero)
	case h.plain > spec.MaxChunk, h.stored > maxStored:
		return fmt.Sprintf("a chunk of %d bytes, %d in the file; it may have %d", h.plain, h.stored,
			spec.MaxChunk)
	case h.codec == spec.Plain && h.plain != h.stored:
		return fmt.Sprintf("a chunk of %d bytes that has %d in the file though it is not "+
			"compressed", h.plain, h.stored)
	case uint64(h.steps) > uint64(h.plain):
		return fmt.Sprintf("a chunk of %d bytes with %d steps", h.plain, h.steps)
	}
	return ""
}

// A Reader reads chunks. Its buffers are used again for each chunk.
type Reader struct {
	r      io.Reader
	offset int64
	cut    int64 // bytes after the last whole chunk, or the last step that counts
	over   bool  // the file ended in a chunk that counts as far as it goes
	head   [spec.ChunkSize]byte
	stored []byte
	plain  []byte
	chunk  Chunk
	zstd   *zstd.Decoder
	ring   *ring // nil if the file is not a ring
}

// NewReader reads a file from its beginning.
func NewReader(r io.Reader) (*Reader, error) {
	head := make([]byte, len(spec.Header))
	n, err := io.ReadFull(r, head)
	if n < len(head) && (err == io.ErrUnexpectedEOF || err == io.EOF) {
		return nil, &Error{0, fmt.Sprintf("%q, want %q (it is no binary trace of commute)",
			head[:n], spec.Header)}
	} else if err != nil {
		return nil, err
	}
	if string(head) == spec.RingHeader {
		ring, err := readRing(r)
		return &Reader{r: r, offset: spec.RingStart, ring: ring}, err
	}
	if string(head) != spec.Header {
		if before, ok := bytes.CutSuffix([]byte(spec.Header), []byte("1\n")); ok &&
			bytes.HasPrefix(head, before) {
			return nil, &Error{0, fmt.Sprintf("version %q, want 1 or 2 (it was written by a "+
				"newer commute: take that)", bytes.TrimSpace(head[len(before):]))}
		}
		return nil, &Error{0, fmt.Sprintf("%q, want %q (it is no binary trace of commute)", head,
			spec.Header)}
	}
	return &Reader{r: r, offset: int64(len(head))}, nil
}

// Cut is, after Next has returned [io.EOF], the number of bytes that are in no chunk. For a ring it
// is the number of those in chunks that were left out: see longest.
func (r *Reader) Cut() int64 { return r.cut }

// Ring reports whether the file is a ring.
func (r *Reader) Ring() bool { return r.ring != nil }

// Next is the next chunk, which is good until the next call; or [io.EOF].
func (r *Reader) Next() (*Chunk, error) {
	if r.ring != nil {
		return r.nextOfRing()
	}
	if r.over {
		return nil, io.EOF
	}
	at := r.offset
	n, err := io.ReadFull(r.r, r.head[:])
	if err != nil {
		return nil, r.ended(int64(n), err)
	}
	if r.head == [spec.ChunkSize]byte{} { // a file may end in zeros after a crash of the system
		rest, err := io.Copy(io.Discard, r.r)
		if err != nil {
			return nil, err
		}
		return nil, r.ended(int64(n)+rest, io.EOF)
	}
	h := decodeHeader(r.head[:])
	if wrong := h.check(); wrong != "" {
		return nil, &Error{at, wrong + damaged}
	}
	r.stored = sized(r.stored, int(h.stored))
	m, err := io.ReadFull(r.r, r.stored)
	if err != nil {
		err = r.ended(int64(n+m), err)
		if err == io.EOF && r.begun(&h, at, m) {
			return &r.chunk, nil
		}
		return nil, err
	}
	if sum := checksum(r.head[:], r.stored); sum != h.sum {
		return nil, &Error{at, fmt.Sprintf("a chunk with checksum %08x, want %08x%s", sum, h.sum,
			damaged)}
	}
	r.offset += int64(n + m)
	payload, err := r.expand(&h)
	if err != nil {
		return nil, &Error{at, fmt.Sprintf("a chunk that does not decompress: %v%s", err, damaged)}
	}
	r.chunk = h.chunk(at, n+m)
	r.chunk.Payload = payload
	return &r.chunk, nil
}

// chunk is the chunk of a header at an offset, without its payload.
func (h *header) chunk(at int64, stored int) Chunk {
	return Chunk{
		Kind: h.kind, Codec: h.codec, Steps: h.steps, First: h.first, Low: h.low,
		Ordered: h.order != 0, From: h.from, Past: h.past,
		Offset: at, Stored: stored,
	}
}

const damaged = " (the file is damaged)"

// ended makes the end of the file, after n bytes of a chunk that is not whole, an [io.EOF].
func (r *Reader) ended(n int64, err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		r.cut = n
		return io.EOF
	}
	return err
}

// begun makes a chunk of what is there, m bytes, of one of events that is not whole. It returns
// false if no step is left. The chunk has no checksum that counts, and is read as far as it makes
// sense. Its last step is left out: more that belongs to it may be missing. The steps that are
// missing have greater numbers, as the chunk is one buffer.
func (r *Reader) begun(h *header, at int64, m int) bool {
	if h.kind != spec.Events || h.codec != spec.Plain {
		return false
	}
	c := h.chunk(at, len(r.head))
	c.Payload = r.stored[:m]
	records := c.Records()
	var x Record
	end, steps, seen, last := 0, uint32(0), uint32(0), uint64(0)
	for start := 0; records.Next(&x) == nil; start = records.at {
		if !spec.InfoOf(x.Kind).IsStep() {
			continue
		}
		if seen > 0 && x.Seq <= last {
			return false
		}
		end, steps, c.Low, last = start, seen, min(h.low, x.Seq), x.Seq
		seen++
	}
	if steps == 0 {
		return false
	}
	c.Payload, c.Steps, c.Stored = c.Payload[:end], steps, c.Stored+end
	r.chunk, r.over = c, true
	r.cut -= int64(c.Stored)
	r.offset += int64(c.Stored)
	return true
}

// sized is b with length n, or a new slice if b is too short.
func sized(b []byte, n int) []byte {
	if cap(b) < n {
		return make([]byte, n)
	}
	return b[:n]
}

// expand decompresses r.stored.
func (r *Reader) expand(h *header) (payload []byte, err error) {
	switch h.codec {
	case spec.Plain:
		return r.stored, nil
	case spec.S2:
		if n, err := s2.DecodedLen(r.stored); err != nil {
			return nil, err
		} else if n != int(h.plain) {
			return nil, errLength
		}
		r.plain = sized(r.plain, int(h.plain))
		return s2.Decode(r.plain, r.stored)
	}
	if r.zstd == nil {
		r.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1),
			zstd.WithDecoderMaxMemory(spec.MaxChunk))
		if err != nil {
			return nil, err
		}
	}
	r.plain, err = r.zstd.DecodeAll(r.stored, r.plain[:0])
	if err == nil && len(r.plain) != int(h.plain) {
		err = errLength
	}
	return r.plain, err
}

var errLength = errors.New("it has another length than its header says")

// An Index has the headers of a file's chunks.
type Index struct {
	Version int
	Chunks  []Chunk // without payloads
	Steps   uint64
	Cut     int64 // the bytes after the last whole chunk; of a ring, as of [Reader.Cut]
}

// Scan reads the headers of the chunks in the size bytes of r.
func Scan(r io.ReaderAt, size int64) (*Index, error) {
	if x, err := scanRing(r, size); x != nil || err != nil {
		return x, err
	}
	x := &Index{Version: 1}
	var head [spec.ChunkSize]byte
	at := int64(len(spec.Header))
	for at < size {
		if _, err := r.ReadAt(head[:], at); err != nil && err != io.EOF {
			return nil, err
		}
		h := decodeHeader(head[:])
		end := at + spec.ChunkSize + int64(h.stored)
		if size-at < spec.ChunkSize || head == [spec.ChunkSize]byte{} || end > size {
			break
		}
		if wrong := h.check(); wrong != "" {
			return nil, &Error{at, wrong + damaged}
		}
		x.Chunks = append(x.Chunks, h.chunk(at, int(end-at)))
		x.Steps += uint64(h.steps)
		at = end
	}
	x.Cut = max(size-at, 0)
	return x, nil
}
