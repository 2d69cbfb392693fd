// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package source

import (
	"sync/atomic"
	"unsafe"

	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
)

// globals are the package-level variables that are registered. They are looked up by address,
// without a lock, in a table that is made when something is asked for the first time after one was
// registered.
var globals struct {
	lock   offheap.Guard
	n      atomic.Uint32 // those of registrations that are complete
	sorted offheap.AtomicRef[globalTable]
}

// A globalTable is the globals that are not empty, by address. They don't overlap.
type globalTable struct {
	all uint32 // globals, the empty ones included
	n   int
	at  offheap.Ref[global]
}

// A global is a variable, and the registration of its package.
type global struct {
	by offheap.Ref[compiled.Registration]
	of offheap.Ref[compiled.Global]
}

func (t *globalTable) list() []global { return unsafe.Slice(t.at.P(), t.n) }

func (g *global) addr() uintptr { return uintptr(g.of.P().Addr) }

// GlobalAt returns the declaration of the variable that addr is in.
func GlobalAt(addr uintptr) (d Declaration, ok bool) {
	t := globals.sorted.Load()
	if t == nil || t.all != globals.n.Load() {
		t = sortGlobals()
	}
	list := t.list()
	low, high := 0, len(list) // list[low-1].addr() <= addr < list[high].addr()
	for low < high {
		if mid := (low + high) / 2; list[mid].addr() <= addr {
			low = mid + 1
		} else {
			high = mid
		}
	}
	if low == 0 {
		return d, false
	}
	g := &list[low-1]
	v := g.of.P()
	if addr-g.addr() >= v.Size {
		return d, false
	}
	return Declaration{
		Kind: string(compiled.GlobalVar),
		Key:  Key{Known: true, Package: g.by.P().Path, Name: v.Name},
		Name: v.Name,
		Pos:  v.Pos,
	}, true
}

// sortGlobals makes the table of the globals that there are now. Who is still in the one before may
// be, so that is not used again: packages register all their globals when they begin, so there are
// few.
func sortGlobals() *globalTable {
	globals.lock.Lock()
	t := (*globalTable)(host.Alloc(unsafe.Sizeof(globalTable{})))
	t.all = globals.n.Load() // before the list, which may have more
	newest, room := Registered.first.Load(), uintptr(1)
	for r := newest; r != nil; r = r.next {
		room += uintptr(len(r.of.P().Globals))
	}
	t.at = offheap.To((*global)(host.Alloc(room * unsafe.Sizeof(global{}))))
	for r := newest; r != nil; r = r.next {
		t.add(r.of.P())
	}
	sortByAddr(t.list())
	globals.sorted.Store(t)
	globals.lock.Unlock()
	return t
}

// add adds the globals of a package.
func (t *globalTable) add(r *compiled.Registration) {
	for i := range r.Globals {
		if v := &r.Globals[i]; v.Size > 0 {
			t.n++
			t.list()[t.n-1] = global{offheap.To(r), offheap.To(v)}
		}
	}
}

// sortByAddr is heapsort, which needs no memory.
func sortByAddr(list []global) {
	for i := len(list)/2 - 1; i >= 0; i-- {
		sink(list, i)
	}
	for n := len(list) - 1; n > 0; n-- {
		list[0], list[n] = list[n], list[0]
		sink(list[:n], 0)
	}
}

// sink moves element i of a heap down to where no greater one is below it.
func sink(list []global, i int) {
	for {
		child := 2*i + 1
		if child >= len(list) {
			return
		}
		if child+1 < len(list) && list[child].addr() < list[child+1].addr() {
			child++
		}
		if list[i].addr() >= list[child].addr() {
			return
		}
		list[i], list[child] = list[child], list[i]
		i = child
	}
}
