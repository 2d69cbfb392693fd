// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build commute_patch && commute_explore

package runtime

// Hashes of pointers. The order of a map goes by the hashes of its keys, and addresses are others
// in each process: where an object is depends on the processor, and on what threads of the runtime
// allocate meanwhile. So a pointer is hashed by a number in place of its address: pointers have the
// numbers in the order in which they are hashed first.

import (
	"internal/abi"
	"unsafe"
)

var commute_ordinals commute_explore_Ordinals

// commute_pointerHash is the hash of a value of a type that may have pointers. Package
// internal/runtime/maps and those that hash as it does call it in place of the type's function.
//
//go:linkname commute_pointerHash
func commute_pointerHash(t *_type, p unsafe.Pointer, h uintptr) uintptr {
	if t.PtrBytes == 0 {
		return typehash(t, p, h)
	}
	switch t.Kind() {
	case abi.Pointer, abi.UnsafePointer, abi.Chan:
		return commute_addressHash(*(*uintptr)(p), h)
	case abi.Interface:
		return commute_interfaceHash((*interfacetype)(unsafe.Pointer(t)), p, h)
	case abi.Array:
		a := (*arraytype)(unsafe.Pointer(t))
		for i := range a.Len {
			h = commute_pointerHash(a.Elem, add(p, i*a.Elem.Size_), h)
		}
		return h
	case abi.Struct:
		for _, f := range (*structtype)(unsafe.Pointer(t)).Fields {
			if !f.Name.IsBlank() {
				h = commute_pointerHash(f.Typ, add(p, f.Offset), h)
			}
		}
		return h
	}
	return typehash(t, p, h) // a string, or what has no hash
}

// commute_interfaceHash is the hash of a value of an interface type.
func commute_interfaceHash(i *interfacetype, p unsafe.Pointer, h uintptr) uintptr {
	var t *_type
	if len(i.Methods) == 0 {
		t = (*eface)(p)._type
	} else if tab := (*iface)(p).tab; tab != nil {
		t = tab.Type
	}
	if t == nil || t.Equal == nil || t.PtrBytes == 0 {
		return typehash(&i.Type, p, h) // it may panic
	}
	data := (*eface)(p).data
	if t.IsDirectIface() {
		data = unsafe.Pointer(&(*eface)(p).data)
	}
	return trimHash(c1 * commute_pointerHash(t, data, h^c0))
}

// commute_addressHash is the hash of a pointer. What is on the current stack is in no map that
// others have: where it is makes no difference.
func commute_addressHash(addr, h uintptr) uintptr {
	gp := getg()
	n := uint64(1)
	if addr-gp.stack.lo >= gp.stack.hi-gp.stack.lo {
		mp := acquirem()
		n = commute_ordinals.Of(addr, commute_controlled(gp) && commute_explore.holder.ptr() == gp)
		releasem(mp)
	}
	return memhash(noescape(unsafe.Pointer(&n)), h, unsafe.Sizeof(n))
}
