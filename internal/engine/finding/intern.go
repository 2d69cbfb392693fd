// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package finding

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/report"
)

// One bug is one finding. Of a check and act there is one, whichever call comes in between. The
// other races of the same two functions on that declaration belong to it: they are of the same
// lines. If no check and act is broken, the races of two functions on a declaration are one
// finding.

// intern returns the finding that is kept for f, and keeps f if there is none.
func intern(f *report.Finding) *report.Finding {
	f.Functions = [2]string{f.At[0].Func, f.At[1].Func}
	if k := find(f); k != nil {
		if f.CheckCode != 0 && f.Violation > k.Violation { // the other call of the worst is shown
			k.Code, k.Method, k.At = f.Code, f.Method, f.At
		}
		return k
	}
	k := (*report.Finding)(host.Alloc(unsafe.Sizeof(report.Finding{})))
	*k = *f
	k.Next, k.Into = nil, nil
	if k.CheckCode != 0 && k.Decl.Name != "" {
		takeOver(k)
	}
	bucket := &found.byHash[findingHash(k)%uint64(len(found.byHash))]
	k.Same, *bucket = *bucket, k
	bucket = &found.byFunctions[functionsHash(k)%uint64(len(found.byFunctions))]
	k.Near, *bucket = *bucket, k
	if found.last == nil {
		found.first = k
	} else {
		found.last.Next = k
	}
	found.last = k
	found.number++
	return k
}

// find returns the finding that f belongs to, nil if there is none; of several the first.
func find(f *report.Finding) (known *report.Finding) {
	for k := found.byHash[findingHash(f)%uint64(len(found.byHash))]; k != nil; k = k.Same {
		if isSame(k, f) {
			known = k
		}
	}
	if known == nil && f.CheckCode == 0 && f.Decl.Name != "" {
		for k := found.byFunctions[functionsHash(f)%uint64(len(found.byFunctions))]; k != nil; {
			if k.Into == nil && isNear(k, f) {
				known = k
			}
			k = k.Near
		}
	}
	return known
}

// takeOver makes the races of k's functions, which were found before, part of k.
func takeOver(k *report.Finding) {
	for o := found.byFunctions[functionsHash(k)%uint64(len(found.byFunctions))]; o != nil; {
		if o.Into == nil && o.CheckCode == 0 && isNear(o, k) {
			o.Into = k
			k.Count += o.Count
			found.number--
		}
		o = o.Near
	}
}

// isSame reports whether f is to be counted as k: they are of the same check and act, or, where the
// declaration isn't known, of the same lines.
func isSame(k *report.Finding, f *report.Finding) bool {
	if k.CheckCode != f.CheckCode || k.Table != f.Table || k.Decl.Key != f.Decl.Key ||
		(k.Decl.Name == "") != (f.Decl.Name == "") {
		return false
	}
	if f.CheckCode != 0 {
		return k.Code[0] == f.Code[0] && k.Method[0] == f.Method[0]
	}
	return f.Decl.Name == "" && k.Code == f.Code && k.Method == f.Method
}

// isNear reports whether two findings are of the same two functions, on one declaration.
func isNear(k *report.Finding, f *report.Finding) bool {
	a, b := &k.Functions, &f.Functions
	return k.Table == f.Table && k.Decl.Key == f.Decl.Key &&
		(k.Decl.Name == "") == (f.Decl.Name == "") &&
		(a[0] == b[0] && a[1] == b[1] || a[0] == b[1] && a[1] == b[0])
}

// findingHash is equal for findings that are the same.
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

// functionsHash is equal for findings that are near.
func functionsHash(f *report.Finding) uint64 {
	h := f.Decl.Key.Hash() ^ uint64(uintptr(unsafe.Pointer(f.Table)))
	for _, name := range f.Functions { // in either order
		one := uint64(0xCBF29CE484222325)
		for i := range len(name) {
			one = (one ^ uint64(name[i])) * 0x100000001B3
		}
		h += one * 0x9E3779B97F4A7C15
	}
	return h ^ h>>31
}
