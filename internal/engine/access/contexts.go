// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package access

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/datarace"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/stack"
)

// Accesses to memory are too many to walk the stack at each. So a goroutine remembers the sites (see
// [datarace.Context]) of the functions that it is in.

// Frames remembers the callers of the instrumented functions that a goroutine is in: of the innermost
// ones, for it's a ring. A function is known by where its stack frame ends, counted from the end of the
// stack, which stays when the stack is moved. Functions that end by a panic leave their entry behind, until
// one begins that lies no deeper.
type Frames struct {
	top  uint32
	ring [ring]frame
	site [siteCache]struct {
		pc         uintptr
		node, site uint32
	}
	walk Walk
}

const (
	ring      = 128
	siteCache = 64
)

// A frame is the frame of a function: its distance from the stack's end in the high half, the node of its
// return address in the low one, 0 if that hasn't been asked for.
type frame uint64

func (e frame) off() uint32 { return uint32(e >> 32) }

func (e frame) node() uint32 { return uint32(e) }

var framesSlab offheap.Slab[Frames]

// Frames returns g's.
func (g *Accessor) Frames() *Frames { return g.frames.P() }

// NewFrames makes g's.
func (g *Accessor) NewFrames() *Frames {
	f := framesSlab.Get()
	f.top = 0
	clear(f.ring[:])
	f.walk.budget = farSteps
	g.frames = offheap.To(f)
	return f
}

// Enter tells that a function begins whose frame ends there.
func (f *Frames) Enter(off uint32) {
	if f.ring[f.top%ring].off() >= off {
		f.drop(off)
	}
	f.top++
	f.ring[f.top%ring] = frame(off) << 32
}

// drop forgets functions from that frame on.
func (f *Frames) drop(off uint32) {
	for n := 0; n < ring && f.ring[f.top%ring].off() >= off; n++ {
		f.top--
	}
}

// Exit tells that a function ends.
func (f *Frames) Exit() { f.top-- }

// Site is Context, but remembers.
func (f *Frames) Site(node uint32, pc uintptr) uint32 {
	s := &f.site[siteSlot(node, pc)]
	if s.pc != pc || s.node != node {
		s.pc, s.node, s.site = pc, node, datarace.Context(node, pc)
	}
	return s.site
}

func siteSlot(node uint32, pc uintptr) uintptr { return (pc>>2 ^ pc>>8 ^ uintptr(node)) % siteCache }

// Quick returns the nodes of an access at pc, by the function whose frame ends there, and of that function's return
// address; 0 if they are not remembered.
//
//go:nosplit
func (f *Frames) Quick(off uint32, pc uintptr) (site, node uint32) {
	e := f.ring[f.top%ring]
	node = e.node()
	s := &f.site[siteSlot(node, pc)]
	if e.off() != off || node == 0 || s.pc != pc || s.node != node {
		return 0, 0
	}
	return s.site, node
}

// Callers returns the node of the return address of a function, all functions that it called having ended;
// 0 if that has not been asked for before.
func (f *Frames) Callers(off uint32) uint32 {
	if e := f.ring[f.top%ring]; e.off() == off {
		return e.node()
	}
	return 0
}

// In reports whether the function whose frame ends there is the instrumented one that was entered last.
func (f *Frames) In(off uint32) bool { return f.ring[f.top%ring].off() == off }

// find returns the entry of a function, all functions that it called having ended. It is nil if there is
// none; then it's made if the function is instrumented.
func (f *Frames) find(off uint32, instrumented bool) *frame {
	f.drop(off + 1)
	e := &f.ring[f.top%ring]
	if e.off() == off {
		return e
	}
	if !instrumented {
		return nil
	}
	f.top++
	e = &f.ring[f.top%ring]
	*e = frame(off) << 32
	return e
}

// A Walk finds the node of a function's return address: it is told the return addresses upwards from
// there, until there is one whose function's own callers are known.
type Walk struct {
	frames offheap.Ref[Frames]
	at     uint32 // the ring's entry that was looked at last
	n      int
	pcs    [stack.MaxDepth]uintptr
	entry  [stack.MaxDepth + 1]offheap.Ref[frame] // of the functions that return there

	// Further out: the return addresses, and the entries of the functions that return there, by
	// turns; the entry of the function that was told of last is entry[MaxDepth].
	more   offheap.Ref[uintptr]
	nMore  int
	log    uint // 1<<log words are there, 0 for none
	cut    bool // there are more
	budget int  // so many more steps out there can be made
}

// Walks that go beyond MaxDepth make that many steps there, and then no more than they do up to
// there: a program that returns from a deep recursion, with accesses on the way, would walk all of
// what is left each time.
const farSteps = 1 << 20

var farther offheap.Arrays

// Walk begins a walk at the function whose frame ends there. A goroutine makes one at a time.
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

func (w *Walk) start() {
	w.n, w.nMore, w.cut = 0, 0, false
	w.budget = min(w.budget+stack.MaxDepth, farSteps)
}

// Anew begins a walk for which nothing is known: it is told all return addresses, and 0 in place of
// where frames end.
func (f *Frames) Anew() *Walk {
	w := &f.walk
	w.frames = offheap.To(f)
	w.start()
	w.entry[0] = offheap.Ref[frame]{}
	w.at = f.top - (ring - 1)
	return w
}

// Up tells of the next return address, and where the frame ends of the function that it is in. It reports
// whether there is nothing more to tell.
func (w *Walk) Up(pc uintptr, off uint32) (done bool) {
	f := w.frames.P()
	if e := w.entry[w.n].P(); e != nil && e.node() != 0 {
		if datarace.PC(e.node()) == pc {
			return true
		}
		*e = *e >> 32 << 32 // it was another's
	}
	if w.n == stack.MaxDepth && !w.far(pc) {
		return true
	}
	next := &w.entry[min(w.n+1, stack.MaxDepth)]
	if w.n < stack.MaxDepth {
		w.pcs[w.n] = pc
		w.n++
	}
	*next = offheap.Ref[frame]{}
	for f.top-w.at < ring-1 {
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

// far keeps a return address beyond the first MaxDepth ones. It reports false where that is too
// far.
func (w *Walk) far(pc uintptr) bool {
	if w.budget == 0 {
		w.cut = true
		return false
	}
	w.budget--
	if w.log == 0 || w.nMore+2 > 1<<w.log {
		log := max(w.log+1, 9)
		more := (*uintptr)(farther.Get(log))
		copy(unsafe.Slice(more, 1<<log), w.rest())
		w.giveBack()
		w.more, w.log = offheap.To(more), log
	}
	w.nMore += 2
	rest := w.rest()
	rest[w.nMore-2] = pc
	*(*offheap.Ref[frame])(unsafe.Pointer(&rest[w.nMore-1])) = w.entry[stack.MaxDepth]
	return true
}

// rest is what far has kept.
func (w *Walk) rest() []uintptr { return unsafe.Slice(w.more.P(), w.nMore) }

func (w *Walk) giveBack() {
	if w.log != 0 {
		farther.Put(unsafe.Pointer(w.more.P()), w.log)
		w.more, w.log = offheap.Ref[uintptr]{}, 0
	}
}

// End returns the node.
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
	w.giveBack()
	for i := w.n - 1; i >= 0; i-- {
		id = w.frames.P().Site(id, w.pcs[i])
		if e := w.entry[i].P(); e != nil {
			*e = *e>>32<<32 | frame(id)
		}
	}
	return id
}

// Seek returns the node of the return address of a function, 0 if that has not been asked for, and whether it is an
// instrumented one that g is in; what it calls may be too.
func (f *Frames) Seek(off uint32) (node uint32, in bool) {
	for i := uint32(0); i < ring; i++ {
		if e := f.ring[(f.top-i)%ring]; e.off() <= off {
			return e.node(), e.off() == off
		}
	}
	return 0, false
}
