// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commrace

import (
	"sync/atomic"
	"unsafe"

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/vclock"
)

// An Object is what is known of one object of the program: the points that are active, with their
// last touches. The zero Object, given its table, is one that was never called.
type Object struct {
	lock    offheap.Lock
	log     uint32 // there are 1<<log cells, none where cells is nil
	used    uint32 // cells that have a hash
	gen     uint32 // counts what a call that is under way could have to learn
	world   offheap.Ref[vclock.World]
	table   offheap.Ref[Table]
	cells   offheap.Ref[uint64] // of cellSize bytes each
	global  offheap.Ref[list]   // [table.global]list
	pending offheap.Ref[pending]
}

// A list is the touches of one point, the latest first.
type list struct {
	head  offheap.Ref[entry]
	n     uint32
	prune uint32 // when n reaches this, the list is searched for touches that can go
}

// An entry is a touch: the moment, and the action that made it.
type entry struct {
	epoch vclock.Epoch
	act   offheap.Ref[Action]
	next  offheap.Ref[entry]
}

// A pending call is one that has begun, may change the object, and has not ended.
type pending struct {
	next   offheap.Ref[pending]
	thread offheap.Ref[vclock.Thread]
	method uint32
	nEarly uint32
	keys   [maxKeys]uint64
	early  [maxEarly]early
	start  start
	began  uint32 // the object's generation when it was begun

	pinned atomic.Uint64 // the moment that its thread holds for it, while it calls back
	nLater uint32
	later  [maxLater]offheap.Ref[Action] // calls that ended meanwhile, and come after it
}

// maxAfter is the number of calls that one call is remembered to come before. Who comes later is
// taken for one of them.
const maxLater = 4

// maxEarly is the number of early touches that are kept for one call.
const maxEarly = 16

// early is a touch that a call had not heard of when it called back into the program, which then learned
// of it, or when an open call began: they race all the same, if they turn out not to commute.
// Or it was superseded while the call was under way (see hide): then it races unless its moment is known in the end.
type early struct {
	act        offheap.Ref[Action]
	key        uint64
	subsumedAt vclock.Epoch // that moment, 0 if it was not superseded
	point      uint8
}

var (
	entries  offheap.Slab[entry]
	pendings offheap.Slab[pending]
	arrays   offheap.Arrays
)

func newPending(c *Call, t *vclock.Thread) *pending {
	p := pendings.Get()
	p.thread, p.method, p.keys, p.nEarly, p.nLater = offheap.To(t), c.Method, c.Keys, 0, 0
	host.Publish64(&p.pinned, 0)
	c.Priv[0] = uintptr(unsafe.Pointer(p))
	return p
}

// keep adds an early touch of a point.
func (p *pending) keepEarly(e early) {
	if p.nEarly < maxEarly {
		e.act.P().ref()
		p.early[p.nEarly] = e
		p.nEarly++
	}
}

// Table is the specification of the object's type.
func (o *Object) Table() *Table { return o.table.P() }

// cellSize is the size of a cell in bytes: a hash, then a list for each keyed point.
func (o *Object) cellSize() uintptr { return 8 + uintptr(o.Table().keyed)*unsafe.Sizeof(list{}) }

func (o *Object) cell(i uint32) *uint64 {
	return (*uint64)(unsafe.Add(unsafe.Pointer(o.cells.P()), uintptr(i)*o.cellSize()))
}

func listsOf(cell *uint64) unsafe.Pointer { return unsafe.Add(unsafe.Pointer(cell), 8) }

func listAt(base unsafe.Pointer, i int) *list {
	return (*list)(unsafe.Add(base, uintptr(i)*unsafe.Sizeof(list{})))
}

// find returns the cell of a hash: one that is free where there is none.
func (o *Object) findCell(hash uint64) *uint64 {
	mask := uint32(1)<<o.log - 1
	for i := uint32(hash); ; i++ {
		c := o.cell(i & mask)
		if *c == hash || *c == 0 {
			return c
		}
	}
}

// get returns the lists of a key, which are made where there are none.
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

// resize moves the cells that are in use to a table of 2^log cells.
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
		copy(unsafe.Slice((*byte)(unsafe.Pointer(to)), o.cellSize()), unsafe.Slice((*byte)(unsafe.Pointer(c)), o.cellSize()))
		o.used++
	}
	arrays.Put(cells, o.words(size))
}

func empty(base unsafe.Pointer, n int) bool {
	for i := range n {
		if !listAt(base, i).head.Nil() {
			return false
		}
	}
	return true
}

// makeRoom drops what every live thread knows of and, where that doesn't free half of the cells,
// doubles the table. So dropping costs, over time, a bounded amount per cell; but where there are
// many threads, taking their floor would dominate, and the table grows first.
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

// drop removes the touches that the floor knows.
func (o *Object) drop(f *vclock.Floor) {
	for i := range uint32(1) << o.log {
		if c := o.cell(i); *c != 0 {
			for k := range o.Table().keyed {
				listAt(listsOf(c), k).remove(func(e *entry) bool { return f.Knows(e.epoch) })
			}
		}
	}
	for g := range o.Table().global {
		listAt(unsafe.Pointer(o.global.P()), g).remove(func(e *entry) bool { return f.Knows(e.epoch) })
	}
}

// remove takes out the touches for which gone is true.
func (l *list) remove(gone func(*entry) bool) {
	for at := &l.head; !at.Nil(); {
		e := at.P()
		if !gone(e) {
			at = &e.next
			continue
		}
		*at = e.next
		l.n--
		e.act.P().unref()
		entries.Put(e)
	}
}

// push adds a touch.
func (l *list) push(epoch vclock.Epoch, a *Action) {
	e := entries.Get()
	*e = entry{epoch, offheap.To(a.ref()), l.head}
	l.head = offheap.To(e)
	l.n++
}

// Init makes o ready for calls of a type's methods by threads of w.
func (o *Object) Init(t *Table, w *vclock.World) {
	o.table, o.world = offheap.To(t), offheap.To(w)
	o.cells, o.log, o.used, o.pending = offheap.Ref[uint64]{}, 0, 0, offheap.Ref[pending]{}
	o.gen++
	o.global = offheap.To((*list)(arrays.Get(globalWords(t))))
}

func globalWords(t *Table) uint {
	k := uint(0)
	for 8<<k < uintptr(t.global)*unsafe.Sizeof(list{}) {
		k++
	}
	return k
}

// Drop forgets everything about the object, whose memory is used anew.
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
