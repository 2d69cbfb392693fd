// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commrace

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/vclock"
)

// An Object is what is known of one object of the program: the points that are active, with their
// last touches. The zero Object, given its table by Init, is one that was never called.
//
// The touches of keyed points are in a hash table with open addressing. Its cells are as long as
// the type has keyed points: a key's hash, then a list for each of them. So a call with one key
// finds all its lists with one look-up.
type Object struct {
	lock    offheap.Lock
	log     uint32 // there are 1<<log cells, none where cells is nil
	used    uint32 // cells that have a hash
	noted   uint32 // see Noted
	gen     uint32 // moves on whenever a call that is under way could have something to join
	world   offheap.Ref[vclock.World]
	table   offheap.Ref[Table]
	cells   offheap.Ref[uint64] // of cellSize bytes each
	global  offheap.Ref[list]   // [table.global]list: the touches of points without a key
	pending offheap.Ref[pending]
}

var arrays offheap.Arrays

// Init makes o ready for calls of a type's methods by threads of w.
func (o *Object) Init(t *Table, w *vclock.World) {
	o.table, o.world = offheap.To(t), offheap.To(w)
	o.cells, o.log, o.used, o.pending = offheap.Ref[uint64]{}, 0, 0, offheap.Ref[pending]{}
	o.gen++
	o.global = offheap.To((*list)(arrays.Get(globalWords(t))))
}

// Table is the specification of the object's type.
func (o *Object) Table() *Table { return o.table.P() }

// cellSize is the size of a cell in bytes: a hash, then a list for each keyed point.
func (o *Object) cellSize() uintptr { return 8 + uintptr(o.Table().keyed)*unsafe.Sizeof(list{}) }

func (o *Object) cell(i uint32) *uint64 {
	return (*uint64)(unsafe.Add(unsafe.Pointer(o.cells.P()), uintptr(i)*o.cellSize()))
}

// listsOf is where the lists of a cell begin.
func listsOf(cell *uint64) unsafe.Pointer { return unsafe.Add(unsafe.Pointer(cell), 8) }

// listAt is the i-th of the lists that begin at base.
func listAt(base unsafe.Pointer, i int) *list {
	return (*list)(unsafe.Add(base, uintptr(i)*unsafe.Sizeof(list{})))
}

// findCell returns the cell of a hash, or a free one where there is none.
func (o *Object) findCell(hash uint64) *uint64 {
	mask := uint32(1)<<o.log - 1
	for i := uint32(hash); ; i++ {
		c := o.cell(i & mask)
		if *c == hash || *c == 0 {
			return c
		}
	}
}

// keyLists returns the lists of a key, which are made where there are none.
func (o *Object) keyLists(hash uint64) unsafe.Pointer {
	if hash == 0 {
		hash = 1 // 0 marks a free cell
	}
	if o.cells.Nil() {
		o.resize(3)
	}
	cell := o.findCell(hash)
	if *cell == 0 {
		if 4*(o.used+1) > 3<<o.log {
			o.makeRoom()
			cell = o.findCell(hash)
		}
		*cell = hash
		o.used++
	}
	return listsOf(cell)
}

// words is the k such that 2^log cells fit into an array of 2^k words.
func (o *Object) words(log uint32) uint {
	k := uint(log)
	for 8<<k < o.cellSize()<<log {
		k++
	}
	return k
}

// resize moves the cells that are in use to a table of 2^log cells. Cells whose lists are empty
// stay behind.
func (o *Object) resize(log uint32) {
	cells, size := unsafe.Pointer(o.cells.P()), o.log
	o.cells, o.log, o.used = offheap.To((*uint64)(arrays.Get(o.words(log)))), log, 0
	if cells == nil {
		return
	}
	for i := range uintptr(1) << size {
		c := (*uint64)(unsafe.Add(cells, i*o.cellSize()))
		if *c == 0 || empty(listsOf(c), o.Table().keyed) {
			continue
		}
		to := o.findCell(*c)
		copy(unsafe.Slice((*byte)(unsafe.Pointer(to)), o.cellSize()),
			unsafe.Slice((*byte)(unsafe.Pointer(c)), o.cellSize()))
		o.used++
	}
	arrays.Put(cells, o.words(size))
}

// empty reports whether the n lists that begin at base are empty.
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
func (o *Object) makeRoom() {
	log := o.log
	if w := o.world.P(); w.Live() <= 16+int(o.used/4) {
		f := w.TakeFloor()
		o.drop(&f)
		f.Drop()
	}
	kept := uint32(0)
	for i := range uint32(1) << o.log {
		if c := o.cell(i); *c != 0 && !empty(listsOf(c), o.Table().keyed) {
			kept++
		}
	}
	if 2*kept > 1<<log {
		log++
	}
	o.resize(log)
}

// drop removes the touches that the floor knows: every live thread does, so no race can be with
// them.
func (o *Object) drop(f *vclock.Floor) {
	for i := range uint32(1) << o.log {
		if c := o.cell(i); *c != 0 {
			for k := range o.Table().keyed {
				listAt(listsOf(c), k).remove(func(e *entry) bool { return f.Knows(e.epoch) })
			}
		}
	}
	for g := range o.Table().global {
		listAt(unsafe.Pointer(o.global.P()), g).remove(
			func(e *entry) bool { return f.Knows(e.epoch) })
	}
}

func globalWords(t *Table) uint {
	k := uint(0)
	for 8<<k < uintptr(t.global)*unsafe.Sizeof(list{}) {
		k++
	}
	return k
}

// Drop forgets everything about the object, whose memory the program uses anew.
func (o *Object) Drop() {
	o.lock.Lock()
	every := func(*entry) bool { return true }
	if !o.cells.Nil() {
		for i := range uint32(1) << o.log {
			if c := o.cell(i); *c != 0 {
				for k := range o.Table().keyed {
					listAt(listsOf(c), k).remove(every)
				}
			}
		}
		arrays.Put(unsafe.Pointer(o.cells.P()), o.words(o.log))
	}
	for g := range o.Table().global {
		listAt(unsafe.Pointer(o.global.P()), g).remove(every)
	}
	arrays.Put(unsafe.Pointer(o.global.P()), globalWords(o.Table()))
	o.cells, o.log, o.used = offheap.Ref[uint64]{}, 0, 0
	o.lock.Unlock()
}
