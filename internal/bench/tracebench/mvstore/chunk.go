// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"sync"
	"sync/atomic"
)

// A position is where a page is in the file: the number of a chunk, which is not 0, and that of a
// page in it. 0 is nowhere.
type position uint64

func at(chunk, index uint32) position { return position(chunk)<<32 | position(index) }

func (p position) chunk() uint32 { return uint32(p >> 32) }
func (p position) index() uint32 { return uint32(p) }

// A chunk is a part of the file that has been read. Its pages are decoded when they are needed.
type chunk struct {
	bytes [][]byte // of each page
	pages []atomic.Pointer[page]
}

// page is one of the chunk's pages. The first client that needs it decodes it, and keeps it for
// others.
func (c *chunk) page(i uint32) (*page, error) {
	if i >= uint32(len(c.pages)) {
		return nil, errCorrupt
	}
	if p := c.pages[i].Load(); p != nil {
		return p, nil
	}
	p, err := decodePage(c.bytes[i])
	if err != nil {
		return nil, err
	}
	if !c.pages[i].CompareAndSwap(nil, p) {
		p = c.pages[i].Load()
	}
	return p, nil
}

// encodeChunk makes the bytes of a chunk: a check sum, and each page with its length.
func encodeChunk(pages []*page) []byte {
	b := make([]byte, 4, 4+len(pages)*512)
	var one []byte
	for _, p := range pages {
		one = p.encode(one[:0])
		b = binary.AppendUvarint(b, uint64(len(one)))
		b = append(b, one...)
	}
	binary.LittleEndian.PutUint32(b, crc32.ChecksumIEEE(b[4:]))
	return b
}

var errSum = errors.New("mvstore: a chunk with a wrong check sum")

// decodeChunk reads what encodeChunk has made. The chunk keeps b.
func decodeChunk(b []byte) (*chunk, error) {
	if len(b) < 4 || binary.LittleEndian.Uint32(b) != crc32.ChecksumIEEE(b[4:]) {
		return nil, errSum
	}
	c := new(chunk)
	for b = b[4:]; len(b) > 0; {
		n, size := binary.Uvarint(b)
		if size <= 0 || n > uint64(len(b)-size) {
			return nil, errCorrupt
		}
		c.bytes = append(c.bytes, b[size:size+int(n)])
		b = b[size+int(n):]
	}
	c.pages = make([]atomic.Pointer[page], len(c.bytes))
	return c, nil
}

// errGone is the error for a chunk that has been removed from the file, as it was dead.
var errGone = errors.New("mvstore: the chunk is gone")

// A file keeps encoded chunks. It is in memory, so that a benchmark doesn't wait for a disk.
type file struct {
	mu    sync.RWMutex
	blobs map[uint32]*blob
	// how often one was read that had been read before, of the chunks that were removed
	twice uint64
}

// A blob is the bytes of a chunk.
type blob struct {
	bytes []byte
	reads atomic.Uint64
}

func (f *file) write(id uint32, b []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.blobs[id] = &blob{bytes: b}
}

func (f *file) read(id uint32) (*chunk, error) {
	f.mu.RLock()
	b := f.blobs[id]
	f.mu.RUnlock()
	if b == nil {
		return nil, errGone
	}
	b.reads.Add(1)
	return decodeChunk(b.bytes)
}

func (f *file) remove(id uint32) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.twice += again(f.blobs[id])
	delete(f.blobs, id)
}

// again is the number of times that a blob was read though it had been read before.
func again(b *blob) uint64 { return max(b.reads.Load(), 1) - 1 }

// forget has the next reading of each chunk be the first one.
func (f *file) forget() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, b := range f.blobs {
		b.reads.Store(0)
	}
	f.twice = 0
}

// readAgain counts the readings of chunks that were not needed.
func (f *file) readAgain() uint64 {
	f.mu.RLock()
	defer f.mu.RUnlock()
	n := f.twice
	for _, b := range f.blobs {
		n += again(b)
	}
	return n
}
