// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package runtime

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/host"
)

// Kinds, as package reflect numbers them.
const (
	kindBool = iota + 1
	kindInt
	kindInt8
	kindInt16
	kindInt32
	kindInt64
	kindUint
	kindUint8
	kindUint16
	kindUint32
	kindUint64
	kindUintptr
	kindFloat32
	kindFloat64
	kindArray     = 17
	kindChan      = 18
	kindFunc      = 19
	kindInterface = 20
	kindMap       = 21
	kindPointer   = 22
	kindString    = 24
	kindStruct    = 25
	kindUnsafe    = 26
)

// value writes an argument or result, as far as it was kept.
func value(b *buffer, a *commrace.Arg) {
	if a.Type == nil {
		b.text("nil")
		return
	}
	kind, name := host.Kind(a.Type), host.TypeName(a.Type)
	open, end := name, ""
	switch kind {
	case kindStruct, kindArray: // the text is in braces
	case kindChan, kindFunc, kindMap, kindPointer, kindUnsafe:
		b.text("(")
		open, end = ")(", ")"
		b.text(name)
	default:
		switch name {
		case "int", "bool", "string", "float64":
			open = ""
		default:
			open, end = "(", ")"
			b.text(name)
		}
	}
	b.text(open)
	switch kind {
	case kindString:
		kept := a.Bytes()
		if length := int(a.Len); length > len(kept) {
			head := len(kept) - commrace.MaxTail
			shortened(b, kept[:head], kept[head:], length)
		} else {
			quote(b, kept, length)
		}
	case kindStruct, kindArray:
		b.text(view(whole(a.Bytes(), int(a.Len))))
		if int(a.Len) > len(a.Bytes()) {
			b.text("...")
		}
	default:
		scalar(b, kind, unsafe.Pointer(unsafe.SliceData(a.Bytes())))
	}
	b.text(end)
}

// compound writes what is in a struct or array, in Go's syntax, up to somewhat more than is kept of
// it. Depth bounds how far it goes into structs in structs.
func compound(b *buffer, typ, p unsafe.Pointer, depth int) {
	const most = 64 // elements; more than are kept
	b.text("{")
	for i := 0; i < most && b.n <= commrace.MaxText; i++ {
		part, offset, ok := host.Part(typ, i)
		if !ok {
			break
		}
		if i > 0 {
			b.text(", ")
		}
		at := unsafe.Add(p, offset)
		switch kind := host.Kind(part); {
		case kind == kindString:
			s := *(*string)(at)
			quote(b, unsafe.Slice(unsafe.StringData(s), min(len(s), 40)), len(s))
		case (kind == kindStruct || kind == kindArray) && depth > 0:
			compound(b, part, at, depth-1)
		case kind == kindPointer || kind == kindChan || kind == kindUnsafe:
			b.hex(uint64(*(*uintptr)(at)))
		case kind <= kindFloat64:
			scalar(b, kind, at)
		default:
			b.text("...")
		}
	}
	b.text("}")
}

// keep keeps the text of those arguments of a call that are structs and arrays.
func keep(a *commrace.Action, values unsafe.Pointer) {
	args := a.Args()
	for i := range args {
		t := args[i].Type
		if t == nil {
			continue
		}
		if kind := host.Kind(t); kind != kindStruct && kind != kindArray {
			continue
		}
		keepCompound(&args[i], commrace.Value(values, i))
	}
}

// keepCompound keeps the text of a struct or array, which is at p.
func keepCompound(a *commrace.Arg, p unsafe.Pointer) {
	b := buffers.Get()
	b.reset()
	compound(b, a.Type, p, 2)
	a.Keep(b.bytes())
	buffers.Put(b)
}

// scalar writes a value of a basic kind.
func scalar(b *buffer, kind uint8, p unsafe.Pointer) {
	switch kind {
	case kindBool:
		if *(*bool)(p) {
			b.text("true")
		} else {
			b.text("false")
		}
	case kindInt:
		b.int(int64(*(*int)(p)))
	case kindInt8:
		b.int(int64(*(*int8)(p)))
	case kindInt16:
		b.int(int64(*(*int16)(p)))
	case kindInt32:
		b.int(int64(*(*int32)(p)))
	case kindInt64:
		b.int(*(*int64)(p))
	case kindUint:
		b.uint(uint64(*(*uint)(p)))
	case kindUint8:
		b.uint(uint64(*(*uint8)(p)))
	case kindUint16:
		b.uint(uint64(*(*uint16)(p)))
	case kindUint32:
		b.uint(uint64(*(*uint32)(p)))
	case kindUint64:
		b.uint(*(*uint64)(p))
	case kindUintptr, kindChan, kindFunc, kindMap, kindPointer, kindUnsafe:
		b.hex(uint64(*(*uintptr)(p)))
	case kindFloat32:
		float(b, float64(*(*float32)(p)))
	case kindFloat64:
		float(b, *(*float64)(p))
	default:
		b.text("...")
	}
}

// float writes a number to three decimals; it is meant for the eye.
func float(b *buffer, v float64) {
	switch {
	case v != v:
		b.text("NaN")
		return
	case v > 1e15 || v < -1e15:
		b.text("...")
		return
	case v <= -0.001:
		b.text("-")
		v = -v
	case v < 0:
		v = 0 // no sign of what is too small to show
	}
	n := uint64(v)
	b.uint(n)
	if frac := uint64((v - float64(n)) * 1000); frac != 0 {
		b.text(".")
		b.uint(frac / 100)
		b.uint(frac / 10 % 10)
		b.uint(frac % 10)
	}
}

// quote writes a string's kept bytes between quotes.
func quote(b *buffer, kept []byte, length int) {
	if length > len(kept) {
		kept = whole(kept, length)
	}
	b.text(`"`)
	for i, c := range kept {
		switch {
		case c == '"' || c == '\\':
			b.text(`\`)
			b.text(view(kept[i : i+1]))
		case c == '\n':
			b.text(`\n`)
		case c < ' ' || c == 0x7f:
			b.text(`\x`)
			b.text("0123456789abcdef"[c>>4 : c>>4+1])
			b.text("0123456789abcdef"[c&15 : c&15+1])
		default:
			b.text(view(kept[i : i+1]))
		}
	}
	b.text(`"`)
	if length > len(kept) {
		b.text("...")
	}
}

// shortened writes the beginning and the end of a string, and the length that it has.
func shortened(b *buffer, head, tail []byte, length int) {
	for range 3 {
		if tail[0]&0xc0 == 0x80 {
			tail = tail[1:] // part of a character whose beginning is not kept
		}
	}
	quote(b, head, length)
	quote(b, tail, len(tail))
	b.text(pick(length == commrace.MaxLen, " (at least ", " ("))
	b.grouped(uint64(length))
	b.text(" bytes)")
}

// whole cuts a character off that is at the end of kept in part, where more than kept was the text.
func whole(kept []byte, length int) []byte {
	if length <= len(kept) {
		return kept
	}
	for i := 1; i <= min(3, len(kept)); i++ {
		switch c := kept[len(kept)-i]; {
		case c < 0x80:
			return kept
		case c >= 0xf0 && i < 4, c >= 0xe0 && i < 3, c >= 0xc0 && i < 2: // it has 4, 3, 2 bytes
			return kept[:len(kept)-i]
		case c >= 0xc0:
			return kept
		}
	}
	return kept
}
