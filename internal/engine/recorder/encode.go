// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package recorder

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/host"
)

// How the parts of a step are written to a buffer. A step is 160 bytes at most (maxStep), and begin
// makes sure that there is room for so many. So nothing here compares with the buffer's end.

func (s *shard) byte(b byte) {
	s.buf.P()[uint16(s.n)] = b // bufSize is 64 KB, so this needs no check
	s.n++
}

// number writes a varint, and up to 7 bytes after it that don't belong to it: there is room. A loop
// over the bytes would be slower, as it takes a branch for each that cannot be foretold.
func (s *shard) number(v uint64) {
	if v < 0x80 {
		s.byte(byte(v))
		return
	}
	// Of a long number, bytes go out until 8 of them hold the rest.
	for ; v >= 1<<56; v >>= 7 {
		s.byte(byte(v) | 0x80)
	}
	// The groups of 7 bits are spread to bytes by three shifts: halves, quarters, eighths.
	n := uint(host.Len64(v)+6) / 7
	v = v&0xfffffff | v>>28<<32 // 28 bits to each half, ...
	v = v&0x3fff_00003fff | v&0xfffc000_0fffc000<<2
	v = v&0x7f007f_007f007f | v&0x3f803f80_3f803f80<<1 // ... 7 to each byte
	// All bytes but the last have their top bit set.
	store(s.at(), v|(1<<(8*n-8)-1)&0x80808080_80808080)
	s.n += int(n)
}

// at is where the next eight bytes go.
func (s *shard) at() *[8]byte { return (*[8]byte)(unsafe.Pointer(&s.buf.P()[uint16(s.n)])) }

// store writes 64 bits, the lowest first. The compiler makes one instruction of it.
func store(b *[8]byte, v uint64) {
	b[0], b[1], b[2], b[3] = byte(v), byte(v>>8), byte(v>>16), byte(v>>24)
	b[4], b[5], b[6], b[7] = byte(v>>32), byte(v>>40), byte(v>>48), byte(v>>56)
}

// word writes 8 bytes.
func (s *shard) word(v uint64) {
	store(s.at(), v)
	s.n += 8
}

// signed writes a zigzag varint: small numbers of either sign are short.
func (s *shard) signed(v uint64) { s.number(v<<1 ^ uint64(int64(v)>>63)) }

// object writes the address of the object that is called.
func (s *shard) object(addr uint64) {
	s.signed(addr - s.obj)
	s.obj = addr
}
