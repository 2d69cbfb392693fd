// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package access

import (
	"github.com/commutego/commute/internal/engine/datarace"
	"github.com/commutego/commute/internal/engine/offheap"
)

// Accesses to memory are too many to walk the stack at each. So a goroutine remembers the nodes of
// the functions that it is in, and the sites of their last accesses (see [datarace.Context]).

// Frames remembers the callers of the instrumented functions that a goroutine is in. It is a ring,
// so it has the innermost ones. A function is known by its offset, which stays when the stack is
// moved. A function that ends by a panic has its entry until the panic is recovered.
type Frames struct {
	top       uint32 // the innermost entry, modulo the ring's size
	last      uint32 // the last site that was asked for
	ring      [ring]frame
	site      [siteSets]siteSet
	announced [announcedRows]announcedRow
	walk      Walk // the goroutine's walk, one at a time
}

// A siteSet has the sites of two accesses, by node and return address: the one that was asked for
// first the last time that it was not there, and the one before. A section of a lock has some fifty
// sites. With one for each place, half of them would put each other out.
type siteSet [2]struct {
	pc         uintptr
	node, site uint32
}

const (
	ring     = 128
	siteSets = 64
)

// A frame is a function's entry. Its offset is the high half. The low half is the node of its
// return address, 0 if that was not asked for.
type frame uint64

func (e frame) off() uint32 { return uint32(e >> 32) }

func (e frame) node() uint32 { return uint32(e) }

var framesSlab offheap.Slab[Frames]

// Frames returns g's frames, nil if there are none.
func (g *Accessor) Frames() *Frames { return g.frames.P() }

// NewFrames makes g's frames.
func (g *Accessor) NewFrames() *Frames {
	f := framesSlab.Get()
	f.top = 0
	clear(f.ring[:])
	clear(f.announced[:])
	f.walk.budget = farSteps
	g.frames = offheap.To(f)
	return f
}

// Enter notes that a function begins whose frame ends at off.
func (f *Frames) Enter(off uint32) {
	if f.ring[f.top%ring].off() >= off {
		f.drop(off)
	}
	f.top++
	f.ring[f.top%ring] = frame(off) << 32
}

// drop removes the entries of functions whose frames end at off or further in.
func (f *Frames) drop(off uint32) {
	for n := 0; n < ring && f.ring[f.top%ring].off() >= off; n++ {
		f.top--
	}
}

// Exit notes that the innermost function ends.
func (f *Frames) Exit() { f.top-- }

// Recovered notes that a panic was recovered: the goroutine goes on in the function whose frame
// ends at off. Those that it called have ended.
func (f *Frames) Recovered(off uint32) { f.drop(off + 1) }

// Site is datarace.Context, but remembers.
func (f *Frames) Site(node uint32, pc uintptr) uint32 {
	s := &f.site[setOf(node, pc)]
	site := s.of(node, pc)
	if site == 0 {
		if site = datarace.ContextAfter(f.last, node, pc); site == 0 {
			site = datarace.Context(node, pc)
		}
		s.add(node, pc, site)
	}
	f.last = site
	return site
}

// setOf is where Frames.site has the site of an access.
func setOf(node uint32, pc uintptr) uintptr {
	return (pc>>2 ^ pc>>8 ^ uintptr(node)) % siteSets
}

// of is the site of an access, 0 if it is not there.
func (s *siteSet) of(node uint32, pc uintptr) uint32 {
	e := &s[0]
	if e.pc != pc || e.node != node {
		if e = &s[1]; e.pc != pc || e.node != node {
			return 0
		}
	}
	return e.site
}

// add puts a site in the place of the one that has been there for longest.
//
//go:nosplit
func (s *siteSet) add(node uint32, pc uintptr, site uint32) {
	s[1] = s[0]
	s[0].pc, s[0].node, s[0].site = pc, node, site
}

// Quick returns the site of an access at pc by the function whose frame ends at off, if that is the
// first of its set, else 0; and that function's node, 0 if it is not known. If only the node is,
// Second may know the site.
//
//go:nosplit
func (f *Frames) Quick(off uint32, pc uintptr) (site, node uint32) {
	e := f.ring[f.top%ring]
	if node = e.node(); e.off() != off {
		return 0, 0
	}
	if s := &f.site[setOf(node, pc)][0]; s.pc == pc && s.node == node && node != 0 {
		return s.site, node
	}
	return 0, node
}

// Second is the site of an access, if it is the second of its set, else 0. It is apart from Quick,
// so that hooks have both inlined.
//
//go:nosplit
func (f *Frames) Second(node uint32, pc uintptr) uint32 {
	if s := &f.site[setOf(node, pc)][1]; s.pc == pc && s.node == node {
		return s.site
	}
	return 0
}

// Known is Site for a site that is known, else 0. It takes little stack.
//
//go:nosplit
func (f *Frames) Known(node uint32, pc uintptr) uint32 {
	s := &f.site[setOf(node, pc)]
	site := s.of(node, pc)
	if site == 0 {
		if site = datarace.ContextAfter(f.last, node, pc); site == 0 {
			site = datarace.KnownContext(node, pc)
		}
		if site == 0 {
			return 0
		}
		s.add(node, pc, site)
	}
	f.last = site
	return site
}

// Outer returns the node of the function that is n entries outside of the innermost one, 0 if it's
// not known, and by how much further in than its frame a frame ends at off.
//
//go:nosplit
func (f *Frames) Outer(n, off uint32) (node uint32, by int) {
	e := f.ring[(f.top-n)%ring]
	return e.node(), int(off) - int(e.off())
}

// SetOuter notes the node of the function that is n entries outside of the innermost one.
//
//go:nosplit
func (f *Frames) SetOuter(n, node uint32) {
	e := &f.ring[(f.top-n)%ring]
	*e = *e>>32<<32 | frame(node)
}

// CallerNode returns the node of the innermost function, if its frame ends at off; 0 if that is not
// known.
func (f *Frames) CallerNode(off uint32) uint32 {
	if e := f.ring[f.top%ring]; e.off() == off {
		return e.node()
	}
	return 0
}

// IsInnermost reports whether the instrumented function that was entered last has its frame end at
// off.
func (f *Frames) IsInnermost(off uint32) bool { return f.ring[f.top%ring].off() == off }

// find returns the entry of the function whose frame ends at off; the functions that it called have
// ended. If there is none it is made for an instrumented function, and is nil otherwise.
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

// Seek returns the node of a function that g is in, 0 if that is not known. It also reports whether
// the function is an instrumented one; functions that it calls may be, too.
func (f *Frames) Seek(off uint32) (node uint32, in bool) {
	for i := uint32(0); i < ring; i++ {
		if e := f.ring[(f.top-i)%ring]; e.off() <= off {
			return e.node(), e.off() == off
		}
	}
	return 0, false
}
