// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package runtime

import (
	"unsafe"

	"github.com/commutego/commute/internal/host"
	"github.com/commutego/commute/internal/offheap"
)

// A buffer collects text of bounded length without allocating; what is over is cut off.
type buffer struct {
	n   int
	buf [16 << 10]byte
}

var buffers offheap.Slab[buffer]

func (b *buffer) text(s string) { b.n += copy(b.buf[b.n:], s) }

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
	copy(b.buf[n+2:b.n], b.buf[n+3:b.n])
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
func (b *buffer) string() string { return view(b.buf[:b.n]) }

// flush writes the text out and forgets it.
func (b *buffer) flush(fd uintptr) {
	host.Write(fd, b.buf[:b.n])
	b.n = 0
}

// view is b as a string, without copying.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// warn writes a line to stderr.
func warn(s ...string) {
	b := buffers.Get()
	b.n = 0
	b.text("commute: ")
	b.texts(s...)
	b.text("\n")
	b.flush(2)
	buffers.Put(b)
}

// fatal ends the program.
func fatal(s string) {
	warn(s)
	host.Exit(2)
}
