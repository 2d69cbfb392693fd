// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package runtime

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
)

// A buffer collects text of any length, outside of Go's heap. It grows by doubling, and keeps what
// room it has when it is used again.
type buffer struct {
	n    int
	room int
	data offheap.Ref[byte]
	mem  offheap.Ref[memory] // what was known of the memory that the text is of, nil: ask now
}

var buffers offheap.Slab[buffer]

const firstRoom = 1 << 10

// reset forgets the text.
func (b *buffer) reset() { b.n, b.mem = 0, offheap.Ref[memory]{} }

func (b *buffer) text(s string) {
	if len(s) > b.room-b.n {
		b.grow(len(s))
	}
	b.n += copy(b.all()[b.n:], s)
}

// all is the whole room.
func (b *buffer) all() []byte { return unsafe.Slice(b.data.P(), b.room) }

// bytes is the text so far; it changes with the buffer.
func (b *buffer) bytes() []byte { return b.all()[:b.n] }

// grow makes room for n bytes more.
func (b *buffer) grow(n int) {
	room := max(b.room, firstRoom/2)
	for room < b.n+n {
		room *= 2
	}
	data := (*byte)(host.Alloc(uintptr(room)))
	copy(unsafe.Slice(data, room), b.bytes())
	b.data, b.room = offheap.To(data), room
}

func (b *buffer) texts(s ...string) {
	for _, t := range s {
		b.text(t)
	}
}

func (b *buffer) uint(v uint64) {
	var d [20]byte
	i := len(d)
	for {
		i--
		d[i] = byte('0' + v%10)
		if v /= 10; v == 0 {
			break
		}
	}
	b.text(view(d[i:]))
}

// grouped writes a number with a comma before each three digits.
func (b *buffer) grouped(v uint64) {
	if v < 1000 {
		b.uint(v)
		return
	}
	b.grouped(v / 1000)
	n := b.n
	b.uint(1000 + v%1000)
	b.bytes()[n] = ',' // instead of the first digit
}

func (b *buffer) int(v int64) {
	if v < 0 {
		b.text("-")
		v = -v
	}
	b.uint(uint64(v))
}

// address writes an address as the race detector does, with 12 digits at least.
func (b *buffer) address(a uintptr) {
	if a>>48 != 0 {
		b.hex(uint64(a))
		return
	}
	n := b.n
	b.hex(uint64(a) | 1<<48)
	digits := b.bytes()[n+2:]
	copy(digits, digits[1:]) // the first is that 1
	b.n--
}

func (b *buffer) hex(v uint64) {
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
	b.text("0x")
	b.text(view(d[i:]))
}

// string is the text so far; it changes with the buffer.
func (b *buffer) string() string { return view(b.bytes()) }

// kept is a copy of the text, for ever.
func (b *buffer) kept() string {
	p := (*byte)(host.Alloc(uintptr(b.n + 1)))
	return view(unsafe.Slice(p, copy(unsafe.Slice(p, b.n), b.bytes())))
}
