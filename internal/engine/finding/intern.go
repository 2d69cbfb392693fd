// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package finding

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/report"
)

// intern returns the finding that is kept for f, f itself if there is none.
func intern(f *report.Finding) *report.Finding {
	bucket := &Found.known[findingHash(f)%uint64(len(Found.known))]
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
	if Found.Last == nil {
		Found.first = k
	} else {
		Found.Last.Next = k
	}
	Found.Last = k
	Found.Reported++
	return k
}

// isSame reports whether f is to be counted as k.
func isSame(k *report.Finding, f *report.Finding) bool {
	return k.Seen == f.Seen && k.Table == f.Table && k.Decl.Key == f.Decl.Key &&
		(k.Code == f.Code && k.Method == f.Method || f.IsTwinOf(k))
}

// findingHash is the same for findings that are the same. Where one may be a twin, of those with a check,
// it goes by the check and act alone.
func findingHash(f *report.Finding) uint64 {
	h := f.Decl.Key.Hash()
	for _, v := range [...]uint64{uint64(uintptr(unsafe.Pointer(f.Table))), f.Seen, f.Code[0],
		uint64(f.Method[0])} {
		h = (h ^ v) * 0x9E3779B97F4A7C15
		h ^= h >> 31
	}
	if f.Seen == 0 {
		h = (h ^ f.Code[1] ^ uint64(f.Method[1])) * 0x9E3779B97F4A7C15
		h ^= h >> 31
	}
	return h
}
