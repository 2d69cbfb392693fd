// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package text

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/host"
)

// A Kept is a value of the program of which reports show as much as was kept: a number, the
// beginning of a string, or a pointer. The zero Kept is that of no value.
type Kept struct {
	typ   unsafe.Pointer
	bytes int // how many the string has, or the value
	buf   [40]byte
}

// Keep keeps the value of a type at p. Of a type with parts nothing is kept.
func (k *Kept) Keep(typ, p unsafe.Pointer) {
	*k = Kept{}
	if typ == nil || p == nil {
		return
	}
	switch kind := host.Kind(typ); {
	case kind == KindString:
		s := *(*string)(p)
		k.bytes = len(s)
		copy(k.buf[:], s)
	case kind <= KindFloat64 && kind > 0:
		k.bytes = int(scalarSizes[kind])
		copy(k.buf[:], unsafe.Slice((*byte)(p), k.bytes))
	case kind == KindPointer, kind == KindChan, kind == KindMap, kind == KindFunc:
		k.bytes = int(unsafe.Sizeof(uintptr(0)))
		copy(k.buf[:], unsafe.Slice((*byte)(p), k.bytes))
	default:
		return
	}
	k.typ = typ
}

// scalarSizes are the sizes of the kinds from bool to float64.
var scalarSizes = [KindFloat64 + 1]uint8{
	KindBool: 1,
	kindInt:  uint8(unsafe.Sizeof(0)), kindInt8: 1, kindInt16: 2, kindInt32: 4, kindInt64: 8,
	kindUint: uint8(unsafe.Sizeof(0)), kindUint8: 1, kindUint16: 2, kindUint32: 4, kindUint64: 8,
	kindUintptr: uint8(unsafe.Sizeof(uintptr(0))),
	KindFloat32: 4, KindFloat64: 8,
}

// Known reports whether there is a value.
func (k *Kept) Known() bool { return k.typ != nil }

// Print writes the value.
func (k *Kept) Print(b *Buffer) {
	switch kind := host.Kind(k.typ); kind {
	case KindString:
		quote(b, k.buf[:min(k.bytes, len(k.buf))], k.bytes)
	case KindPointer, KindChan, KindMap, KindFunc:
		if p := *(*uintptr)(unsafe.Pointer(&k.buf)); p == 0 {
			b.Text("nil")
		} else {
			b.Hex(uint64(p))
		}
	default:
		scalar(b, kind, unsafe.Pointer(&k.buf))
	}
}
