// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package source

import (
	"sync/atomic"
	"unsafe"

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/text"
)

// A global is a package-level variable that is or contains an object of a specified type.
type global struct {
	next       *global
	addr, size uintptr
	text       string // pkg, name, file:line
}

// globals are looked up without a lock: by address in sorted, which is made when something is asked
// for the first time after one was told of, and by package.
var globals struct {
	lock      offheap.Lock
	first     *global
	n         atomic.Uint32
	sorted    offheap.AtomicRef[globalTable]
	byPackage offheap.Memo // by hash: a global of the package
}

// A globalTable is the globals that are not empty, by address. They don't overlap.
type globalTable struct {
	all uint32 // globals, the empty ones included
	n   int
	at  offheap.Ref[offheap.Ref[global]]
}

func (t *globalTable) list() []offheap.Ref[global] { return unsafe.Slice(t.at.P(), t.n) }

// Global tells of the variable at addr. text, which is not copied, has its package, name and
// file:line, separated by tabs.
func Global(addr, size uintptr, text string) {
	g := (*global)(host.Alloc(unsafe.Sizeof(global{})))
	g.addr, g.size, g.text = addr, size, text
	globals.lock.Lock()
	g.next = globals.first
	globals.first = g
	globals.n.Add(1)
	globals.lock.Unlock()
	globals.byPackage.Put(globalKey(g.pkg()), uint64(uintptr(unsafe.Pointer(g))))
}

func (g *global) pkg() string {
	pkg, _ := text.Cut(g.text, '\t')
	return pkg
}

func globalKey(pkg string) uint64 {
	k := lineKey{kind: "global", pkg: pkg}
	return k.hash()
}

// hasGlobals reports whether a package, by its path in a function's name, has told of a variable.
func hasGlobals(pkg string) bool {
	addr, ok := globals.byPackage.Get(globalKey(pkg))
	p := uintptr(addr)
	return ok && samePackage((*(**global)(unsafe.Pointer(&p))).pkg(), pkg)
}

// GlobalAt returns the declaration of the variable that addr is in.
func GlobalAt(addr uintptr) (d Declaration, ok bool) {
	t := globals.sorted.Load()
	if t == nil || t.all != globals.n.Load() {
		t = sortGlobals()
	}
	list := t.list()
	low, high := 0, len(list) // list[low-1].addr <= addr < list[high].addr
	for low < high {
		if mid := (low + high) / 2; list[mid].P().addr <= addr {
			low = mid + 1
		} else {
			high = mid
		}
	}
	if low == 0 {
		return d, false
	}
	g := list[low-1].P()
	if addr-g.addr >= g.size {
		return d, false
	}
	pkg, f := text.Cut(g.text, '\t')
	name, pos := text.Cut(f, '\t')
	key := g.text[:len(pkg)+1+len(name)]
	return Declaration{Kind: "global", Key: key, Name: name, Pos: pos}, true
}

// sortGlobals makes the table of the globals that there are now. Who is still in the one before may
// be, so that is not used again: packages tell of all their globals when they begin, so there are
// few.
func sortGlobals() *globalTable {
	globals.lock.Lock()
	t := (*globalTable)(host.Alloc(unsafe.Sizeof(globalTable{})))
	t.all = globals.n.Load()
	size := uintptr(t.all+1) * unsafe.Sizeof(offheap.Ref[global]{})
	t.at = offheap.To((*offheap.Ref[global])(host.Alloc(size)))
	for g := globals.first; g != nil; g = g.next {
		if g.size > 0 {
			t.n++
			t.list()[t.n-1] = offheap.To(g)
		}
	}
	sortByAddr(t.list())
	globals.sorted.Store(t)
	globals.lock.Unlock()
	return t
}

// sortByAddr is heapsort, which needs no memory.
func sortByAddr(list []offheap.Ref[global]) {
	for i := len(list)/2 - 1; i >= 0; i-- {
		sink(list, i)
	}
	for n := len(list) - 1; n > 0; n-- {
		list[0], list[n] = list[n], list[0]
		sink(list[:n], 0)
	}
}

// sink moves element i of a heap down to where no greater one is below it.
func sink(list []offheap.Ref[global], i int) {
	for {
		child := 2*i + 1
		if child >= len(list) {
			return
		}
		if child+1 < len(list) && list[child].P().addr < list[child+1].P().addr {
			child++
		}
		if list[i].P().addr >= list[child].P().addr {
			return
		}
		list[i], list[child] = list[child], list[i]
		i = child
	}
}
