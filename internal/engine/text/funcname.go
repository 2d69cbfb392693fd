// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package text

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
)

// printedNames has the printed names of generic functions, by the addresses of the whole ones.
var printedNames offheap.Memo

// A printedName is a name of n bytes, which follow.
type printedName struct{ n uintptr }

// PrintedName is a function's name as stack traces show it: the types of a generic function are
// dots, as in pkg.(*Set[...]).Add. The name must be one of the program's tables, which stay.
// Package runtime puts such a name together on Go's heap, where a hook must not allocate.
func PrintedName(name string) string {
	groups := cutTypes(nil, name)
	if groups == 0 {
		return name
	}
	key := uint64(uintptr(unsafe.Pointer(unsafe.StringData(name))))
	at, ok := printedNames.Get(key)
	if !ok {
		room := uintptr(len(name) + len("...")*groups)
		p := (*printedName)(host.Alloc(unsafe.Sizeof(printedName{}) + room))
		cutTypes(p, name)
		at = printedNames.Put(key, uint64(uintptr(unsafe.Pointer(p))))
	}
	word := uintptr(at)
	p := *(**printedName)(unsafe.Pointer(&word))
	return unsafe.String((*byte)(p.text()), int(p.n))
}

func (p *printedName) text() unsafe.Pointer {
	return unsafe.Add(unsafe.Pointer(p), unsafe.Sizeof(*p))
}

func (p *printedName) add(c byte) {
	*(*byte)(unsafe.Add(p.text(), p.n)) = c
	p.n++
}

// cutTypes returns how many outermost pairs of brackets a name has. If to is not nil, it writes the
// name there with dots between these.
func cutTypes(to *printedName, name string) (groups int) {
	depth := 0
	for i := range len(name) {
		c := name[i]
		if c == ']' && depth > 0 {
			depth--
		}
		if depth == 0 && to != nil {
			to.add(c)
		}
		if c != '[' {
			continue
		}
		if depth++; depth > 1 {
			continue
		}
		groups++
		for n := 0; n < len("...") && to != nil; n++ {
			to.add('.')
		}
	}
	return groups
}
