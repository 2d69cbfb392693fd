// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commrace

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/vclock"
)

// pointLists is the touches of an object, in a list for each point that is active.
//
// The touches of keyed points are in a hash table with open addressing. Its cells are as long as
// the type has keyed points: a key's hash, then a list for each of them. So a call with one key
// finds all its lists with one look-up.
//
// A call asks for the lists of its key several times. So those that were asked for last are kept.
type pointLists struct {
	log    uint32 // there are 1<<log cells, none where cells is nil
	used   uint32 // cells that have a hash
	table  offheap.Ref[Table]
	cells  offheap.Ref[uint64] // of cellSize bytes each
	global offheap.Ref[list]   // [table.global]list: the touches of points without a key

	lastHash  uint64            // a key; 0 if there is none, or the cells have changed since
	lastLists offheap.Ref[list] // its lists
	world     offheap.Ref[vclock.World]
}

var arrays offheap.Arrays

// setTable makes l, of which nothing is in use, ready for a type.
func (l *pointLists) setTable(t *Table, w *vclock.World) {
	l.table, l.world = offheap.To(t), offheap.To(w)
	l.noCells()
	l.global = offheap.To((*list)(arrays.Get(globalWords(t))))
}

// noCells forgets the cells.
func (l *pointLists) noCells() {
	l.cells, l.log, l.used = offheap.Ref[uint64]{}, 0, 0
	l.lastHash = 0
}

// Table is the specification of the object's type.
func (l *pointLists) Table() *Table { return l.table.P() }

// cellSize is the size of a cell in bytes: a hash, then a list for each keyed point.
func (l *pointLists) cellSize() uintptr {
	return 8 + uintptr(l.Table().keyed)*unsafe.Sizeof(list{})
}

func (l *pointLists) cell(i uint32) *uint64 {
	return (*uint64)(unsafe.Add(unsafe.Pointer(l.cells.P()), uintptr(i)*l.cellSize()))
}

// listsOf is where the lists of a cell begin.
func listsOf(cell *uint64) unsafe.Pointer { return unsafe.Add(unsafe.Pointer(cell), 8) }

// listAt is the i-th of the lists that begin at base.
func listAt(base unsafe.Pointer, i int) *list {
	return (*list)(unsafe.Add(base, uintptr(i)*unsafe.Sizeof(list{})))
}

// findCell returns the cell of a hash, or a free one where there is none.
func (l *pointLists) findCell(hash uint64) *uint64 {
	mask, size := uint32(1)<<l.log-1, l.cellSize()
	for i := uint32(hash); ; i++ {
		c := (*uint64)(unsafe.Add(unsafe.Pointer(l.cells.P()), uintptr(i&mask)*size))
		if *c == hash || *c == 0 {
			return c
		}
	}
}

// keyLists returns the lists of a key, which are made where there are none. It is inlined.
func (l *pointLists) keyLists(hash uint64) unsafe.Pointer {
	if hash != 0 && hash == l.lastHash {
		return unsafe.Pointer(l.lastLists.P())
	}
	return l.lookUp(hash)
}

// known is keyLists for a key that has lists, else nil.
func (l *pointLists) known(hash uint64) unsafe.Pointer {
	if hash != 0 && hash == l.lastHash {
		return unsafe.Pointer(l.lastLists.P())
	}
	if hash = max(hash, 1); l.cells.Nil() {
		return nil
	}
	cell := l.findCell(hash)
	if *cell == 0 {
		return nil
	}
	at := listsOf(cell)
	l.lastHash, l.lastLists = hash, offheap.To((*list)(at))
	return at
}

// lookUp is keyLists for another key than the last one.
func (l *pointLists) lookUp(hash uint64) unsafe.Pointer {
	hash = max(hash, 1) // 0 marks a free cell
	if l.cells.Nil() {
		l.resize(3)
	}
	cell := l.findCell(hash)
	if *cell == 0 {
		if 4*(l.used+1) > 3<<l.log {
			l.makeRoom()
			cell = l.findCell(hash)
		}
		*cell = hash
		l.used++
	}
	at := listsOf(cell)
	l.lastHash, l.lastLists = hash, offheap.To((*list)(at))
	return at
}

// words is the k such that 2^log cells fit into an array of 2^k words.
func (l *pointLists) words(log uint32) uint {
	k := uint(log)
	for 8<<k < l.cellSize()<<log {
		k++
	}
	return k
}

// resize moves the cells that are in use to a table of 2^log cells. Cells whose lists are empty
// stay behind.
func (l *pointLists) resize(log uint32) {
	cells, size := unsafe.Pointer(l.cells.P()), l.log
	l.noCells()
	l.cells, l.log = offheap.To((*uint64)(arrays.Get(l.words(log)))), log
	if cells == nil {
		return
	}
	for i := range uintptr(1) << size {
		c := (*uint64)(unsafe.Add(cells, i*l.cellSize()))
		if *c == 0 || empty(listsOf(c), l.Table().keyed) {
			continue
		}
		to := l.findCell(*c)
		copy(unsafe.Slice((*byte)(unsafe.Pointer(to)), l.cellSize()),
			unsafe.Slice((*byte)(unsafe.Pointer(c)), l.cellSize()))
		l.used++
	}
	arrays.Put(cells, l.words(size))
}

// empty reports whether the n lists that begin at base have no touches, subsumed ones included.
func empty(base unsafe.Pointer, n int) bool {
	for i := range n {
		if !listAt(base, i).head.Nil() {
			return false
		}
	}
	return true
}

// makeRoom drops what every live thread knows and, where that doesn't free half of the cells,
// doubles the table. So dropping costs, over time, a bounded amount per cell. But taking the floor,
// the minimum of all threads' clocks, would dominate where there are many threads. There the table
// grows first.
func (l *pointLists) makeRoom() {
	log := l.log
	if w := l.world.P(); w.Live() <= 16+int(l.used/4) {
		f := w.TakeFloor()
		l.drop(&f)
		f.Drop()
	}
	kept := uint32(0)
	for i := range uint32(1) << l.log {
		if c := l.cell(i); *c != 0 && !empty(listsOf(c), l.Table().keyed) {
			kept++
		}
	}
	if 2*kept > 1<<log {
		log++
	}
	l.resize(log)
}

// drop removes the touches that the floor knows: every live thread does, so no race can be with
// them.
func (l *pointLists) drop(f *vclock.Floor) {
	gone := func(e *entry, at vclock.Epoch) bool { return e.is(subsumed) || f.Knows(at) }
	for i := range uint32(1) << l.log {
		if c := l.cell(i); *c != 0 {
			for k := range l.Table().keyed {
				listAt(listsOf(c), k).remove(nil, true, gone)
			}
		}
	}
	for g := range l.Table().global {
		listAt(unsafe.Pointer(l.global.P()), g).remove(nil, true, gone)
	}
}

// globalWords is the size class of the lists of points without a key. Where a type has no such
// point there is room for one list, as field global refers to a list.
func globalWords(t *Table) uint {
	k := uint(0)
	for 8<<k < uintptr(max(t.global, 1))*unsafe.Sizeof(list{}) {
		k++
	}
	return k
}

// dropAll forgets all touches, and gives back the lists.
func (l *pointLists) dropAll() {
	every := func(*entry, vclock.Epoch) bool { return true }
	if !l.cells.Nil() {
		for i := range uint32(1) << l.log {
			if c := l.cell(i); *c != 0 {
				for k := range l.Table().keyed {
					listAt(listsOf(c), k).remove(nil, true, every)
				}
			}
		}
		arrays.Put(unsafe.Pointer(l.cells.P()), l.words(l.log))
	}
	for g := range l.Table().global {
		listAt(unsafe.Pointer(l.global.P()), g).remove(nil, true, every)
	}
	arrays.Put(unsafe.Pointer(l.global.P()), globalWords(l.Table()))
	l.noCells()
}

// list returns the touches of a point.
func (l *pointLists) list(p uint8, key uint64) *list {
	pt := &l.Table().points[p]
	if pt.keyed {
		return listAt(l.keyLists(key), pt.index)
	}
	return listAt(unsafe.Pointer(l.global.P()), pt.index)
}
