// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package access

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/datarace"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/stack"
)

// A Walk finds the node of a function's return address. It is told the return addresses from there
// outwards, until there is one whose function's own node is known.
type Walk struct {
	frames offheap.Ref[Frames]
	at     uint32 // the ring's entry that was looked at last
	n      int    // how many return addresses pcs has
	pcs    [stack.MaxDepth]uintptr
	entry  [stack.MaxDepth + 1]offheap.Ref[frame] // of the functions that return there

	// Beyond MaxDepth: by turns a return address, and the entry of the function that returns there.
	// The entry of the function that was told of last is entry[MaxDepth].
	more    offheap.Ref[uintptr]
	nMore   int  // how many words of more are used
	logRest uint // more has 1<<logRest words; 0: none
	cut     bool // some return addresses are left out
	budget  int  // the steps beyond MaxDepth that may still be made
}

// farSteps is how many steps walks may make beyond MaxDepth. Each walk gives MaxDepth of them back.
// The limit is for a program that accesses memory while it returns from a deep recursion: each
// access would walk all that is left of its stack.
const farSteps = 1 << 20

// farArrays are the arrays for what walks keep beyond MaxDepth.
var farArrays offheap.Arrays

// Walk begins a walk at the function whose frame ends at off.
func (f *Frames) Walk(off uint32, instrumented bool) *Walk {
	w := &f.walk
	w.frames = offheap.To(f)
	w.start()
	w.entry[0] = offheap.To(f.find(off, instrumented))
	w.at = f.top
	if w.entry[0].Nil() {
		w.at++
	}
	return w
}

// start forgets the last walk.
func (w *Walk) start() {
	w.n, w.nMore, w.cut = 0, 0, false
	w.budget = min(w.budget+stack.MaxDepth, farSteps)
}

// WalkAll begins a walk for which nothing is known. It is told all return addresses, and 0 for the
// offsets.
func (f *Frames) WalkAll() *Walk {
	w := &f.walk
	w.frames = offheap.To(f)
	w.start()
	w.entry[0] = offheap.Ref[frame]{}
	w.at = f.top - (ring - 1)
	return w
}

// Up notes the next return address, and the offset of the function that it is in. It reports
// whether the walk is done.
func (w *Walk) Up(pc uintptr, off uint32) (done bool) {
	f := w.frames.P()
	if e := w.entry[w.n].P(); e != nil && e.node() != 0 {
		if datarace.PC(e.node()) == pc {
			return true
		}
		*e = *e >> 32 << 32 // of an earlier function at this offset
	}
	if w.n == stack.MaxDepth && !w.keepFar(pc) {
		return true
	}
	next := &w.entry[min(w.n+1, stack.MaxDepth)]
	if w.n < stack.MaxDepth {
		w.pcs[w.n] = pc
		w.n++
	}
	*next = offheap.Ref[frame]{}
	for f.top-w.at+1 < ring { // w.at is one after the top if the walk began at no entry
		e := &f.ring[(w.at-1)%ring]
		if e.off() < off {
			break
		}
		w.at--
		if e.off() == off {
			*next = offheap.To(e)
			break
		}
	}
	return false
}

// keepFar keeps a return address beyond the first MaxDepth ones. It reports false if that is too
// far.
func (w *Walk) keepFar(pc uintptr) bool {
	if w.budget == 0 {
		w.cut = true
		return false
	}
	w.budget--
	if w.logRest == 0 || w.nMore+2 > 1<<w.logRest {
		log := max(w.logRest+1, 9)
		more := (*uintptr)(farArrays.Get(log))
		copy(unsafe.Slice(more, 1<<log), w.rest())
		w.freeRest()
		w.more, w.logRest = offheap.To(more), log
	}
	w.nMore += 2
	rest := w.rest()
	rest[w.nMore-2] = pc
	*(*offheap.Ref[frame])(unsafe.Pointer(&rest[w.nMore-1])) = w.entry[stack.MaxDepth]
	return true
}

// rest is what keepFar has kept.
func (w *Walk) rest() []uintptr { return unsafe.Slice(w.more.P(), w.nMore) }

// freeRest gives the array of keepFar back.
func (w *Walk) freeRest() {
	if w.logRest != 0 {
		farArrays.Put(unsafe.Pointer(w.more.P()), w.logRest)
		w.more, w.logRest = offheap.Ref[uintptr]{}, 0
	}
}

// End returns the node, and fills in the nodes of the entries on the way.
func (w *Walk) End() uint32 {
	id := uint32(0)
	if w.cut {
		id = datarace.CutOff
	} else if e := w.entry[w.n].P(); e != nil {
		id = e.node()
	}
	rest := w.rest()
	for i := len(rest) - 2; i >= 0; i -= 2 {
		id = datarace.Context(id, rest[i])
		if e := (*offheap.Ref[frame])(unsafe.Pointer(&rest[i+1])).P(); e != nil {
			*e = *e>>32<<32 | frame(id)
		}
	}
	w.freeRest()
	for i := w.n - 1; i >= 0; i-- {
		id = w.frames.P().Site(id, w.pcs[i])
		if e := w.entry[i].P(); e != nil {
			*e = *e>>32<<32 | frame(id)
		}
	}
	return id
}
