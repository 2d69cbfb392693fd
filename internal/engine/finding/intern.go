// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package finding

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/report"
)

// intern returns the finding that is kept for f, and keeps f if there is none.
func intern(f *report.Finding) *report.Finding {
	bucket := &found.byHash[findingHash(f)%uint64(len(found.byHash))]
	var k *report.Finding
	for old := *bucket; old != nil; old = old.Same { // of several, the first that was found
		if isSame(old, f) {
			k = old
		}
	}
	if k != nil {
		return k
	}
	k = (*report.Finding)(host.Alloc(unsafe.Sizeof(report.Finding{})))
	*k = *f
	k.Next, k.Same = nil, *bucket
	*bucket = k
	if found.last == nil {
		found.first = k
	} else {
		found.last.Next = k
	}
	found.last = k
	found.number++
	return k
}

// isSame reports whether f is to be counted as k.
func isSame(k *report.Finding, f *report.Finding) bool {
	return k.CheckCode == f.CheckCode && k.Table == f.Table && k.Decl.Key == f.Decl.Key &&
		(k.Code == f.Code && k.Method == f.Method || f.IsSymmetricTo(k))
}

// findingHash is equal for findings that are the same. Of findings with a check it is a hash of
// check and act alone, as one of two may be symmetric.
func findingHash(f *report.Finding) uint64 {
	h := f.Decl.Key.Hash()
	for _, v := range [...]uint64{uint64(uintptr(unsafe.Pointer(f.Table))), f.CheckCode, f.Code[0],
		uint64(f.Method[0])} {
		h = (h ^ v) * 0x9E3779B97F4A7C15
		h ^= h >> 31
	}
	if f.CheckCode == 0 {
		h = (h ^ f.Code[1] ^ uint64(f.Method[1])) * 0x9E3779B97F4A7C15
		h ^= h >> 31
	}
	return h
}
