// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build commute_patch

package runtime

// Values of arguments and results: their hashes, equality, and what package host promises of types.
//
// A key of an action is a hash, so that the engine needs no values of the program. Two equal keys
// must have the same hash. Two different keys with the same hash would make calls conflict that
// don't. So numbers and pointers are hashed one to one, and other values with 64 bits.

import (
	"internal/abi"
	"unsafe"
)

// commute_hashSeed spreads the hash of a type over all bits.
const commute_hashSeed = 0x9E3779B97F4A7C15

// commute_hash is the hash of a key. It panics where a map would. Unlike the hash of a map, it
// depends on the type: int(1) and int64(1) are different keys. For numbers and pointers of one type
// it is one to one.
//
//go:linkname commute_hash
func commute_hash(v any) uint64 {
	e := (*eface)(noescape(unsafe.Pointer(&v)))
	t := e._type
	if t == nil {
		return 0
	}
	seed := uint64(t.Hash) * commute_hashSeed
	switch {
	case t.Kind() == abi.String:
		return commute_hashString(e.data, seed)
	case t.IsDirectIface() && t.Kind() != abi.Struct && t.Kind() != abi.Array:
		if t.Equal == nil {
			break // a func or map: it panics
		}
		return commute_text_Mix(uint64(uintptr(e.data)) ^ seed)
	case t.TFlag&abi.TFlagRegularMemory != 0 && t.Size_ == 8:
		return commute_text_Mix(*(*uint64)(e.data) ^ seed)
	case t.TFlag&abi.TFlagRegularMemory != 0 && t.Size_ == 4:
		return commute_text_Mix(uint64(*(*uint32)(e.data)) ^ seed)
	}
	p := e.data
	if t.IsDirectIface() {
		p = noescape(unsafe.Pointer(&e.data))
	}
	return commute_deephash(t, p, seed, true)
}

// commute_key is the hash of a value that a call of c's method is keyed by. A value that can't be a
// key has no hash, and the method is going to panic. The call then counts as one that did not
// return.
//
//go:linkname commute_key
func commute_key(v any, c *commute_commrace_Call) uint64 {
	e := (*eface)(noescape(unsafe.Pointer(&v)))
	if t := e._type; t != nil && t.Kind() == abi.String {
		return commute_hashString(e.data, uint64(t.Hash)*commute_hashSeed) // as commute_hash
	}
	if e._type != nil && !commute_hashable(e._type, commute_host_Data(unsafe.Pointer(e._type),
		&e.data)) {
		c.State = 2
		return 0
	}
	return commute_hash(v)
}

// commute_dynamic looks into the interface value of type t at p. It returns the type of the value
// in it, nil for none, and where that value is.
func commute_dynamic(t *_type, p unsafe.Pointer) (dyn *_type, data unsafe.Pointer) {
	dyn = efaceOf((*any)(p))._type
	if len((*interfacetype)(unsafe.Pointer(t)).Methods) > 0 {
		if tab := (*iface)(p).tab; tab != nil {
			dyn = tab.Type
		}
	}
	data = add(p, unsafe.Sizeof(uintptr(0)))
	if dyn != nil && !dyn.IsDirectIface() {
		data = *(*unsafe.Pointer)(data)
	}
	return dyn, data
}

// commute_hashable reports whether the value of type t at p can be the key of a map. For interfaces
// that depends on the value, not only on the type.
func commute_hashable(t *_type, p unsafe.Pointer) bool {
	if t.Equal == nil {
		return false
	}
	switch t.Kind() {
	case abi.Struct:
		s := (*structtype)(unsafe.Pointer(t))
		for i := range s.Fields {
			if f := &s.Fields[i]; !commute_hashable(f.Typ, add(p, f.Offset)) {
				return false
			}
		}
	case abi.Array:
		a := (*arraytype)(unsafe.Pointer(t))
		for i := uintptr(0); i < a.Len; i++ {
			if !commute_hashable(a.Elem, add(p, i*a.Elem.Size_)) {
				return false
			}
		}
	case abi.Interface:
		dyn, data := commute_dynamic(t, p)
		return dyn == nil || commute_hashable(dyn, data)
	}
	return true
}

// commute_deephash is a hash of the value of type t at p that depends on the dynamic types of
// interfaces inside. The runtime's typehash does not. If the type of a part has no ==, must says
// whether it panics, as typehash does, or takes the representation of that part.
func commute_deephash(t *_type, p unsafe.Pointer, h uint64, must bool) uint64 {
	switch t.Kind() {
	case abi.Struct:
		s := (*structtype)(unsafe.Pointer(t))
		for i := range s.Fields {
			if f := &s.Fields[i]; !f.Name.IsBlank() {
				h = commute_deephash(f.Typ, add(p, f.Offset), h, must)
			}
		}
		return h
	case abi.Array:
		a := (*arraytype)(unsafe.Pointer(t))
		for i := uintptr(0); i < a.Len; i++ {
			h = commute_deephash(a.Elem, add(p, i*a.Elem.Size_), h, must)
		}
		return h
	case abi.Interface:
		dyn, data := commute_dynamic(t, p)
		if dyn == nil {
			return commute_text_Mix(h)
		}
		return commute_deephash(dyn, data, commute_text_Mix(h^uint64(dyn.Hash)), must)
	}
	if t.Equal == nil && !must {
		return commute_text_Mix(h ^ uint64(memhash(p, uintptr(h), t.Size_)))
	}
	return commute_text_Mix(h ^ uint64(typehash(t, p, uintptr(h))))
}

// commute_hash64 makes 64 bits of a hash that has as many as a word.
func commute_hash64(hash func(unsafe.Pointer, uintptr) uintptr, p unsafe.Pointer,
	seed uint64) uint64 {
	h := uint64(hash(p, uintptr(seed)))
	if unsafe.Sizeof(uintptr(0)) == 4 {
		h |= uint64(hash(p, uintptr(seed>>32))) << 32
	}
	return h
}

// commute_hashString is the hash of a string. Of a short one, as most keys are, it takes less time
// than by the processor's instructions for hashing.
func commute_hashString(p unsafe.Pointer, seed uint64) uint64 {
	if s := *(*string)(p); len(s) <= commute_text_ShortLen {
		return commute_text_HashShort(s, seed)
	}
	return commute_hash64(strhash, p, seed)
}

// commute_equal is a == b. Values whose type has no == are compared by representation, where ==
// would panic: a specification may compare any results.
//
//go:linkname commute_equal
func commute_equal(a, b any) bool {
	x, y := (*eface)(noescape(unsafe.Pointer(&a))), (*eface)(noescape(unsafe.Pointer(&b)))
	if x._type != y._type {
		return false
	}
	switch {
	case x._type == nil:
		return true
	case x._type.IsDirectIface():
		return x.data == y.data
	case commute_comparable(x._type):
		return x._type.Equal(x.data, y.data)
	}
	return memequal(x.data, y.data, x._type.Size_)
}

// commute_host_Hash hashes any value, and never panics.
func commute_host_Hash(v any) uint64 {
	e := (*eface)(noescape(unsafe.Pointer(&v)))
	if e._type == nil {
		return 0
	}
	p := e.data
	if e._type.IsDirectIface() {
		p = noescape(unsafe.Pointer(&e.data))
	}
	return commute_deephash(e._type, p, uint64(e._type.Hash)*commute_hashSeed, false)
}

// commute_comparable reports whether values of t can be compared whatever they are. Interfaces
// can't be: one might hold a value whose type has no ==.
func commute_comparable(t *_type) bool {
	switch t.Kind() {
	case abi.Func, abi.Map, abi.Slice, abi.Interface:
		return false
	case abi.Array:
		return commute_comparable((*arraytype)(unsafe.Pointer(t)).Elem)
	case abi.Struct:
		for i := range (*structtype)(unsafe.Pointer(t)).Fields {
			if !commute_comparable((*structtype)(unsafe.Pointer(t)).Fields[i].Typ) {
				return false
			}
		}
	}
	return true
}

func commute_host_TypeName(typ unsafe.Pointer) string { return toRType((*_type)(typ)).string() }

func commute_host_Kind(typ unsafe.Pointer) uint8 { return uint8((*_type)(typ).Kind()) }

// commute_host_Data is where the value is whose interface value has that type and data word:
// pointers are in the word itself.
func commute_host_Data(typ unsafe.Pointer, word *unsafe.Pointer) unsafe.Pointer {
	if (*_type)(typ).IsDirectIface() {
		return unsafe.Pointer(word)
	}
	return *word
}

// commute_host_Part is the type and offset of the i-th field or element.
func commute_host_Part(typ unsafe.Pointer, i int) (part unsafe.Pointer, offset uintptr, ok bool) {
	switch t := (*_type)(typ); t.Kind() {
	case abi.Struct:
		if s := (*structtype)(typ); i < len(s.Fields) {
			return unsafe.Pointer(s.Fields[i].Typ), s.Fields[i].Offset, true
		}
	case abi.Array:
		if a := (*arraytype)(typ); uintptr(i) < a.Len {
			return unsafe.Pointer(a.Elem), uintptr(i) * a.Elem.Size_, true
		}
	}
	return nil, 0, false
}

// commute_keyWord is commute_hash for the key of a type at p.
func commute_keyWord(t *_type, p unsafe.Pointer) uint64 {
	if t.Kind() == abi.Interface {
		if t, p = commute_dynamic(t, p); t == nil {
			return 0
		}
	}
	var v any
	e := efaceOf(&v)
	e._type, e.data = t, p
	if t.IsDirectIface() {
		e.data = *(*unsafe.Pointer)(p)
	}
	return commute_hash(v)
}

// commute_valueWord is a word for the value of a type at p, which is the same for equal values. It
// is never 0: that is for what is absent.
func commute_valueWord(t *_type, p unsafe.Pointer) uint64 {
	room := uintptr(64)
	h := commute_valueHash(t, p, uint64(t.Hash)*0x9E3779B97F4A7C15, &room)
	if h == 0 || h == commute_section_Unknown {
		return 1
	}
	return h
}

// commute_valueHash is a hash of the first bytes of a value, as many as there is room for. Strings
// count by their contents, pointers by their words.
func commute_valueHash(t *_type, p unsafe.Pointer, h uint64, room *uintptr) uint64 {
	switch t.Kind() {
	case abi.Struct, abi.Array:
		if t.TFlag&abi.TFlagRegularMemory != 0 { // one region, with nothing between fields
			n := min(t.Size_, *room)
			*room -= n
			return commute_bytesHash(p, n, h)
		}
	}
	switch t.Kind() {
	case abi.String:
		s := *(*string)(p)
		n := min(uintptr(len(s)), 64)
		h = commute_text_Mix(h ^ uint64(len(s)))
		return commute_bytesHash(unsafe.Pointer(unsafe.StringData(s)), n, h)
	case abi.Struct:
		s := (*structtype)(unsafe.Pointer(t))
		for i := range s.Fields {
			if f := &s.Fields[i]; !f.Name.IsBlank() && *room > 0 {
				h = commute_valueHash(f.Typ, add(p, f.Offset), h, room)
			}
		}
		return h
	case abi.Array:
		a := (*arraytype)(unsafe.Pointer(t))
		for i := uintptr(0); i < a.Len && *room > 0; i++ {
			h = commute_valueHash(a.Elem, add(p, i*a.Elem.Size_), h, room)
		}
		return h
	}
	n := min(t.Size_, *room)
	*room -= n
	return commute_bytesHash(p, n, h)
}

// commute_bytesHash is a hash of n bytes.
func commute_bytesHash(p unsafe.Pointer, n uintptr, h uint64) uint64 {
	for ; n >= 8; n, p = n-8, add(p, 8) {
		h = commute_text_Mix(h ^ readUnaligned64(p))
	}
	for ; n > 0; n, p = n-1, add(p, 1) {
		h = commute_text_Mix(h ^ uint64(*(*byte)(p)))
	}
	return h
}
