// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commrace

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
)

// A text of at most MaxText bytes is kept whole. Of a longer string its first bytes and its last
// MaxTail bytes are kept. So a report can tell two long strings apart that begin alike.
const (
	MaxText = 64
	MaxTail = 24
)

// MaxLen is the greatest length of a string that an Arg tells. A longer string has this length.
const MaxLen = 1 << 30

// An Arg is what is kept of an argument or result for reports: its type, and some bytes of its
// representation. A text longer than buf is kept outside of the record, and belongs to it: see
// [Action.OwnTexts] and [Arg.Drop].
type Arg struct {
	Type unsafe.Pointer
	Len  uint32 // of the value; for strings of the text
	buf  [20]byte
}

var texts offheap.Slab[[MaxText]byte]

// outside is the reference to a text that is kept outside. It lies in the buffer, which then has
// no other use.
func (a *Arg) outside() *offheap.Ref[[MaxText]byte] {
	const at = 4 // aligned as a word is
	return (*offheap.Ref[[MaxText]byte])(unsafe.Pointer(&a.buf[at]))
}

// long reports whether the text is kept outside.
func (a *Arg) long() bool { return a.Len > uint32(len(a.buf)) }

// Bytes are the kept bytes: of a string the text, of a pointer its value.
func (a *Arg) Bytes() []byte {
	if a.long() {
		return a.outside().P()[:min(a.Len, MaxText)]
	}
	return a.buf[:a.Len]
}

// Keep sets the bytes, to the beginning of a text that stands for the value.
func (a *Arg) Keep(text []byte) {
	a.Drop()
	a.Len = uint32(len(text))
	copy(a.room(), text)
}

// keepScalar sets the bytes to those of a scalar. Most have 1 or 8, which need no call.
func (a *Arg) keepScalar(p unsafe.Pointer, size uint32) {
	a.Len = size
	switch size {
	case 1:
		a.buf[0] = *(*byte)(p)
	case 8:
		*(*[8]byte)(a.buf[:]) = *(*[8]byte)(p)
	default:
		copy(a.buf[:], unsafe.Slice((*byte)(p), size))
	}
}

// keepString sets the bytes to those of a string: its beginning, and its end if it is too long.
func (a *Arg) keepString(s string) {
	a.Len = uint32(min(len(s), MaxLen))
	room := a.room()
	if copy(room, s) < len(s) {
		copy(room[MaxText-MaxTail:], s[len(s)-MaxTail:])
	}
}

// room is where to put a text of the length Len, which must be set. A long text gets a record of
// its own.
func (a *Arg) room() []byte {
	if !a.long() {
		return a.buf[:]
	}
	p := texts.Get()
	*a.outside() = offheap.To(p)
	return p[:]
}

// Drop gives back the text that is kept outside, if there is one.
func (a *Arg) Drop() {
	if a.long() {
		texts.Put(a.outside().P())
	}
	a.Len = 0
}

// Kinds of types, as in package reflect.
const (
	kindBool       = 1
	kindInt        = 2
	kindComplex128 = 16
	kindChan       = 18
	kindFunc       = 19
	kindMap        = 21
	kindPointer    = 22
	kindString     = 24
	kindUnsafe     = 26
)

// scalarSize is the size of the kinds from bool to complex128.
var scalarSize = [kindComplex128 + 1]uint8{
	kindBool: 1,
	kindInt:  uint8(wordSize), 1, 2, 4, 8, // int to int64
	uint8(wordSize), 1, 2, 4, 8, uint8(wordSize), // uint to uint64, uintptr
	4, 8, 8, 16, // float32 to complex128
}

const wordSize = unsafe.Sizeof(uintptr(0))

// keep copies what is kept of an interface value. The value of a scalar or a string lies behind
// the data word. A channel, function, map or pointer is the data word itself. Of other kinds only
// the type is kept. Nothing is kept outside of the record before.
func (a *Arg) keep(v *eface) {
	a.Type, a.Len = v.typ, 0
	if v.typ == nil {
		return
	}
	switch kind := host.Kind(v.typ); {
	case kind >= kindBool && kind <= kindComplex128:
		a.keepScalar(v.data, uint32(scalarSize[kind]))
	case kind == kindString:
		a.keepString(*(*string)(v.data))
	case kind == kindChan, kind == kindFunc, kind == kindMap,
		kind == kindPointer, kind == kindUnsafe:
		p := uintptr(v.data)
		a.keepScalar(unsafe.Pointer(&p), uint32(wordSize))
	}
}
