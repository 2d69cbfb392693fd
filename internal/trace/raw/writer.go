// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package raw

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/commutego/commute/internal/trace/spec"
	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
)

// A Writer writes chunks.
type Writer struct {
	w      io.Writer
	buf    []byte
	zstd   *zstd.Encoder
	ring   bool
	number uint64 // of the next chunk of a ring
}

// NewWriter begins a file.
func NewWriter(w io.Writer) (*Writer, error) {
	if _, err := io.WriteString(w, spec.Header); err != nil {
		return nil, err
	}
	return &Writer{w: w}, nil
}

// NewRing begins a file that is a ring of one segment, which has room for all that is written. It
// is for copies of rings: the From and Past of the chunks say what was lost in the original.
func NewRing(w io.Writer) (*Writer, error) {
	head := []byte(spec.RingHeader)
	head = binary.LittleEndian.AppendUint64(head, maxSegment)
	head = binary.LittleEndian.AppendUint32(head, 1)
	head = binary.LittleEndian.AppendUint32(head, crc32.Checksum(head, castagnoli))
	_, err := w.Write(head)
	return &Writer{w: w, ring: true}, err
}

// Write writes a chunk. Its Offset and Stored are ignored.
func (w *Writer) Write(c *Chunk) error {
	if len(c.Payload) > spec.MaxChunk {
		return fmt.Errorf("a chunk of %d bytes; it may have %d", len(c.Payload), spec.MaxChunk)
	}
	head := spec.ChunkSize
	if w.ring {
		head = spec.RingChunkSize
	}
	w.buf = append(w.buf[:0], make([]byte, head)...)
	switch c.Codec {
	case spec.Plain:
		w.buf = append(w.buf, c.Payload...)
	case spec.S2:
		w.buf = sized(w.buf, head+s2.MaxEncodedLen(len(c.Payload)))
		n := len(s2.Encode(w.buf[head:], c.Payload))
		w.buf = w.buf[:head+n]
	case spec.Zstd:
		if w.zstd == nil {
			var err error
			w.zstd, err = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1),
				zstd.WithEncoderCRC(false))
			if err != nil {
				return err
			}
		}
		w.buf = w.zstd.EncodeAll(c.Payload, w.buf)
	default:
		return fmt.Errorf("there is no codec %d", c.Codec)
	}
	h := w.buf[:head]
	clear(h)
	h[0], h[1] = c.Kind, c.Codec
	if c.Ordered {
		h[2] = spec.Ordered
	}
	binary.LittleEndian.PutUint32(h[4:], uint32(len(w.buf)-head))
	binary.LittleEndian.PutUint32(h[8:], uint32(len(c.Payload)))
	binary.LittleEndian.PutUint32(h[12:], c.Steps)
	binary.LittleEndian.PutUint64(h[16:], c.First)
	binary.LittleEndian.PutUint64(h[24:], c.Low)
	if w.ring {
		binary.LittleEndian.PutUint64(h[36:], w.number)
		binary.LittleEndian.PutUint64(h[44:], c.From)
		binary.LittleEndian.PutUint64(h[52:], c.Past)
		w.number++
	}
	binary.LittleEndian.PutUint32(h[32:], checksum(h, w.buf[spec.ChunkSize:]))
	_, err := w.w.Write(w.buf)
	return err
}
