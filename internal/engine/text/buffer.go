// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package text

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
)

// A Buffer collects text of any length, outside of Go's heap. It grows by doubling, and keeps its
// room when it is used again.
type Buffer struct {
	N         int // the length of the text
	room      int // the length of Data
	Data      offheap.Ref[byte]
	Addresses offheap.Ref[Addresses] // those that the text is about; nil: ask now
}

// Buffers has the buffers that are not in use.
var Buffers offheap.Slab[Buffer]

// firstRoom is the room of a buffer that has text, at least.
const firstRoom = 1 << 10

// Reset forgets the text.
func (b *Buffer) Reset() { b.N, b.Addresses = 0, offheap.Ref[Addresses]{} }

// Text adds a string.
func (b *Buffer) Text(s string) {
	if len(s) > b.room-b.N {
		b.grow(len(s))
	}
	b.N += copy(b.all()[b.N:], s)
}

// all is the whole room.
func (b *Buffer) all() []byte { return unsafe.Slice(b.Data.P(), b.room) }

// Bytes is the text so far; it changes with the buffer.
func (b *Buffer) Bytes() []byte { return b.all()[:b.N] }

// grow makes room for n bytes more.
func (b *Buffer) grow(n int) {
	room := max(b.room, firstRoom/2)
	for room < b.N+n {
		room *= 2
	}
	data := (*byte)(host.Alloc(uintptr(room)))
	copy(unsafe.Slice(data, room), b.Bytes())
	b.Data, b.room = offheap.To(data), room
}

// Texts adds strings.
func (b *Buffer) Texts(s ...string) {
	for _, t := range s {
		b.Text(t)
	}
}

// Uint adds a number in decimal.
func (b *Buffer) Uint(v uint64) {
	var d [20]byte
	i := len(d)
	for {
		i--
		d[i] = byte('0' + v%10)
		if v /= 10; v == 0 {
			break
		}
	}
	b.Text(View(d[i:]))
}

// grouped adds a number with a comma before each three digits.
func (b *Buffer) grouped(v uint64) {
	if v < 1000 {
		b.Uint(v)
		return
	}
	b.grouped(v / 1000)
	n := b.N
	b.Uint(1000 + v%1000)
	b.Bytes()[n] = ',' // instead of the first digit
}

// Int adds a number in decimal.
func (b *Buffer) Int(v int64) {
	if v < 0 {
		b.Text("-")
		v = -v
	}
	b.Uint(uint64(v))
}

// Address adds an address as the race detector writes it, with 12 digits at least.
func (b *Buffer) Address(a uintptr) {
	if a>>48 != 0 {
		b.Hex(uint64(a))
		return
	}
	n := b.N
	b.Hex(uint64(a) | 1<<48)
	digits := b.Bytes()[n+2:]
	copy(digits, digits[1:]) // the first is that 1
	b.N--
}

// Hex adds a number in hexadecimal, with 0x before it.
func (b *Buffer) Hex(v uint64) {
	const digits = "0123456789abcdef"
	var d [18]byte
	i := len(d)
	for {
		i--
		d[i] = digits[v&15]
		if v >>= 4; v == 0 {
			break
		}
	}
	b.Text("0x")
	b.Text(View(d[i:]))
}

// String is the text so far; it changes with the buffer.
func (b *Buffer) String() string { return View(b.Bytes()) }

// Kept is a copy of the text that stays for ever.
func (b *Buffer) Kept() string {
	p := (*byte)(host.Alloc(uintptr(b.N + 1)))
	return View(unsafe.Slice(p, copy(unsafe.Slice(p, b.N), b.Bytes())))
}
