// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package runtime

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/host"
)

// intern returns the finding that is kept for f, f itself if there is none.
func (f *finding) intern() *finding {
	bucket := &found.known[f.hash()%uint64(len(found.known))]
	var k *finding
	for old := *bucket; old != nil; old = old.same { // of several, the first that was found
		if old.isSame(f) {
			k = old
		}
	}
	if k != nil {
		return k
	}
	k = (*finding)(host.Alloc(unsafe.Sizeof(finding{})))
	*k = *f
	k.next, k.same = nil, *bucket
	*bucket = k
	if found.last == nil {
		found.first = k
	} else {
		found.last.next = k
	}
	found.last = k
	found.reported++
	return k
}

// isSame reports whether f is to be counted as k.
func (k *finding) isSame(f *finding) bool {
	return k.seen == f.seen && k.table == f.table && k.decl.key == f.decl.key &&
		(k.code == f.code && k.method == f.method || f.isTwinOf(k))
}

// hash is the same for findings that are the same. Where one may be a twin, of those with a check,
// it goes by the check and act alone.
func (f *finding) hash() uint64 {
	h := hashed(f.decl.key)
	for _, v := range [...]uint64{uint64(uintptr(unsafe.Pointer(f.table))), f.seen, f.code[0],
		uint64(f.method[0])} {
		h = (h ^ v) * 0x9E3779B97F4A7C15
		h ^= h >> 31
	}
	if f.seen == 0 {
		h = (h ^ f.code[1] ^ uint64(f.method[1])) * 0x9E3779B97F4A7C15
		h ^= h >> 31
	}
	return h
}

// hashed is a hash of a text.
func hashed(s string) uint64 {
	h := uint64(len(s))
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 0x100000001B3
	}
	return h
}
