// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package runtime

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/atomicity"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
)

// marks has, for functions that are run as transactions, what the engine is told of them, by their
// first instruction.
var marks offheap.Memo

// BeginFunction is BeginAtomic for a function whose first instruction is at entry.
func (g *Transactor) BeginFunction(t *Transaction, entry uintptr) {
	n, ok := marks.Get(uint64(entry))
	if !ok {
		n = marks.Put(uint64(entry), uint64(uintptr(unsafe.Pointer(functionPlace(entry)))))
	}
	g.BeginAtomic(t, markAt(uintptr(n)))
}

// functionPlace describes a function as if it were marked.
func functionPlace(entry uintptr) *atomicity.AtomicCode {
	p := (*atomicity.AtomicCode)(host.Alloc(unsafe.Sizeof(atomicity.AtomicCode{})))
	var file string
	line := 0
	for i := 0; ; i++ { // the function itself is the outermost of those at its beginning
		name, f, l, ok := host.PlaceAt(entry+1, i)
		if !ok {
			break
		}
		p.Name, file, line = name, f, l
	}
	b := buffers.Get()
	b.reset()
	b.texts(file, ":")
	b.int(int64(line))
	p.Pos = b.kept()
	buffers.Put(b)
	return p
}
