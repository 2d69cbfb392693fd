// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package text

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/host"
)

// The kinds of types, as package reflect numbers them.
const (
	KindBool = iota + 1
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
	KindFloat32
	KindFloat64
	KindArray     = 17
	KindChan      = 18
	KindFunc      = 19
	kindInterface = 20
	KindMap       = 21
	KindPointer   = 22
	KindString    = 24
	KindStruct    = 25
	KindUnsafe    = 26
)

// Value writes an argument or result, as far as it was kept.
func Value(b *Buffer, a *commrace.Arg) {
	if a.Type == nil {
		b.Text("nil")
		return
	}
	kind, name := host.Kind(a.Type), host.TypeName(a.Type)
	open, end := name, ""
	switch kind {
	case KindStruct, KindArray: // the text is in braces
	case KindChan, KindFunc, KindMap, KindPointer, KindUnsafe:
		b.Text("(")
		open, end = ")(", ")"
		b.Text(name)
	default:
		switch name {
		case "int", "bool", "string", "float64":
			open = ""
		default:
			open, end = "(", ")"
			b.Text(name)
		}
	}
	b.Text(open)
	switch kind {
	case KindString:
		kept := a.Bytes()
		if length := int(a.Len); length > len(kept) {
			head := len(kept) - commrace.MaxTail
			shortened(b, kept[:head], kept[head:], length)
		} else {
			quote(b, kept, length)
		}
	case KindStruct, KindArray:
		b.Text(View(whole(a.Bytes(), int(a.Len))))
		if int(a.Len) > len(a.Bytes()) {
			b.Text("...")
		}
	default:
		scalar(b, kind, unsafe.Pointer(unsafe.SliceData(a.Bytes())))
	}
	b.Text(end)
}

// Compound writes the parts of a struct or array, in Go's syntax, up to somewhat more than is kept
// of it. Depth limits how far it goes into structs in structs.
func Compound(b *Buffer, typ, p unsafe.Pointer, depth int) {
	const most = 64 // elements; more than are kept
	b.Text("{")
	for i := 0; i < most && b.N <= commrace.MaxText; i++ {
		part, offset, ok := host.Part(typ, i)
		if !ok {
			break
		}
		if i > 0 {
			b.Text(", ")
		}
		at := unsafe.Add(p, offset)
		switch kind := host.Kind(part); {
		case kind == KindString:
			s := *(*string)(at)
			quote(b, unsafe.Slice(unsafe.StringData(s), min(len(s), 40)), len(s))
		case (kind == KindStruct || kind == KindArray) && depth > 0:
			Compound(b, part, at, depth-1)
		case kind == KindPointer || kind == KindChan || kind == KindUnsafe:
			b.Hex(uint64(*(*uintptr)(at)))
		case kind <= KindFloat64:
			scalar(b, kind, at)
		default:
			b.Text("...")
		}
	}
	b.Text("}")
}

// Keep keeps the text of those arguments of a call that are structs and arrays.
func Keep(a *commrace.Action, values unsafe.Pointer) {
	args := a.Args()
	for i := range args {
		t := args[i].Type
		if t == nil {
			continue
		}
		if kind := host.Kind(t); kind != KindStruct && kind != KindArray {
			continue
		}
		KeepCompound(&args[i], commrace.Value(values, i))
	}
}

// KeepCompound keeps the text of a struct or array, which is at p.
func KeepCompound(a *commrace.Arg, p unsafe.Pointer) {
	b := Buffers.Get()
	b.Reset()
	Compound(b, a.Type, p, 2)
	a.Keep(b.Bytes())
	Buffers.Put(b)
}

// IsZero reports whether a value is zero, as far as it was kept: of structs and the like that isn't
// known.
func IsZero(a *commrace.Arg) bool {
	switch kind := host.Kind(a.Type); {
	case kind == KindString:
		return a.Len == 0
	case kind > KindFloat64 && kind < KindChan, kind == KindStruct:
		return false
	}
	for _, c := range a.Bytes() {
		if c != 0 {
			return false
		}
	}
	return a.Len > 0
}

// scalar writes a value of a basic kind.
func scalar(b *Buffer, kind uint8, p unsafe.Pointer) {
	switch kind {
	case KindBool:
		if *(*bool)(p) {
			b.Text("true")
		} else {
			b.Text("false")
		}
	case kindInt:
		b.Int(int64(*(*int)(p)))
	case kindInt8:
		b.Int(int64(*(*int8)(p)))
	case kindInt16:
		b.Int(int64(*(*int16)(p)))
	case kindInt32:
		b.Int(int64(*(*int32)(p)))
	case kindInt64:
		b.Int(*(*int64)(p))
	case kindUint:
		b.Uint(uint64(*(*uint)(p)))
	case kindUint8:
		b.Uint(uint64(*(*uint8)(p)))
	case kindUint16:
		b.Uint(uint64(*(*uint16)(p)))
	case kindUint32:
		b.Uint(uint64(*(*uint32)(p)))
	case kindUint64:
		b.Uint(*(*uint64)(p))
	case kindUintptr, KindChan, KindFunc, KindMap, KindPointer, KindUnsafe:
		b.Hex(uint64(*(*uintptr)(p)))
	case KindFloat32:
		float(b, float64(*(*float32)(p)))
	case KindFloat64:
		float(b, *(*float64)(p))
	default:
		b.Text("...")
	}
}

// float writes a number to three decimals; it is meant for the eye.
func float(b *Buffer, v float64) {
	switch {
	case v != v:
		b.Text("NaN")
		return
	case v > 1e15 || v < -1e15:
		b.Text("...")
		return
	case v <= -0.001:
		b.Text("-")
		v = -v
	case v < 0:
		v = 0 // no sign of what is too small to show
	}
	n := uint64(v)
	b.Uint(n)
	if frac := uint64((v - float64(n)) * 1000); frac != 0 {
		b.Text(".")
		b.Uint(frac / 100)
		b.Uint(frac / 10 % 10)
		b.Uint(frac % 10)
	}
}

// quote writes a string's kept bytes between quotes.
func quote(b *Buffer, kept []byte, length int) {
	if length > len(kept) {
		kept = whole(kept, length)
	}
	b.Text(`"`)
	for i, c := range kept {
		switch {
		case c == '"' || c == '\\':
			b.Text(`\`)
			b.Text(View(kept[i : i+1]))
		case c == '\n':
			b.Text(`\n`)
		case c < ' ' || c == 0x7f:
			b.Text(`\x`)
			b.Text("0123456789abcdef"[c>>4 : c>>4+1])
			b.Text("0123456789abcdef"[c&15 : c&15+1])
		default:
			b.Text(View(kept[i : i+1]))
		}
	}
	b.Text(`"`)
	if length > len(kept) {
		b.Text("...")
	}
}

// shortened writes the beginning and the end of a string, and the length that it has.
func shortened(b *Buffer, head, tail []byte, length int) {
	for range 3 {
		if tail[0]&0xc0 == 0x80 {
			tail = tail[1:] // part of a character whose beginning is not kept
		}
	}
	quote(b, head, length)
	quote(b, tail, len(tail))
	b.Text(Pick(length == commrace.MaxLen, " (at least ", " ("))
	b.grouped(uint64(length))
	b.Text(" bytes)")
}

// whole cuts off a character that is kept in part, at the end of a text that was cut.
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
