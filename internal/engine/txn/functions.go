// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package txn

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/atomicity"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/report"
	"github.com/commutego/commute/internal/engine/text"
)

// functions has the atomic code of functions that are run as transactions, by their first
// instruction.
var functions offheap.Memo

// BeginFunction is BeginAtomic for a function whose first instruction is at entry.
func (g *Transactor) BeginFunction(t *Transaction, entry uintptr) {
	n, ok := functions.Get(uint64(entry))
	if !ok {
		n = functions.Put(uint64(entry), uint64(uintptr(unsafe.Pointer(functionCode(entry)))))
	}
	g.BeginAtomic(t, report.CodeOf(uintptr(n)))
}

// functionCode describes a function as if it were marked.
func functionCode(entry uintptr) *atomicity.AtomicCode {
	p := (*atomicity.AtomicCode)(host.Alloc(unsafe.Sizeof(atomicity.AtomicCode{})))
	var file string
	line := 0
	for i := 0; ; i++ { // the function is the outermost of those there
		name, f, l, ok := host.PlaceAt(entry+1, i)
		if !ok {
			break
		}
		p.Name, file, line = name, f, l
	}
	b := text.Buffers.Get()
	b.Reset()
	b.Texts(file, ":")
	b.Int(int64(line))
	p.Pos = b.Kept()
	text.Buffers.Put(b)
	return p
}
