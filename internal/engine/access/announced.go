// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package access

import (
	"github.com/commutego/commute/internal/engine/datarace"
	"github.com/commutego/commute/internal/engine/offheap"
)

// The library and the runtime announce accesses that they make for the program: of locks, of maps,
// of atomic variables. Between the program's function and the hook there are a few frames then,
// which are nearly always the same. So a goroutine remembers the sites of such accesses by the way
// from the hook out to the program's function.

// An announced is the site of an access that was announced, and the way to it: from the hook to
// where an instrumented function returns whose node was known. That was the innermost one, or
// functions further in had just begun.
type announced struct {
	in    [noted]frame // the innermost ones that had just begun, with nodes
	outer frame        // the one whose node was known
	fresh uint32       // how many had just begun
	steps uint32       // how many return addresses there are on the way
	way   Way
	site  uint32
	vain  uint32 // how many more times it is not noted, as the way was too long
}

// An announcedRow has the sites for which one place would be the same: four, as a section of a lock
// has some ten such accesses, and two that put each other out would each walk the stack.
type announcedRow struct {
	key  [announcedWays]uint32 // 0 if there is none
	next uint32                // the way that is taken next
	ways [announcedWays]announced
}

const (
	announcedRows = 16
	announcedWays = 4
	noted         = 2
	maxFresh      = 6
	maxVain       = 100
	maxSteps      = 12 // return addresses on a way
)

// FirstSteps is how many steps of a way tell which place it has. Two calls by one function of the
// library often have three or four in common.
const FirstSteps = 6

// A Way stands for the return addresses that were met on a walk of the stack. It is a hash of 64
// bits: two ways that have the same one would have a report show the wrong one of two stacks.
type Way uint64

// To is the way with one more return address.
func (w Way) To(ret uintptr) Way { return (w ^ Way(ret)) * 0x9E3779B97F4A7C15 }

// announcedAt is where the site of an access at pc by a function of the runtime may be, and the
// key of it there. At tells where the hook's frame is in the stack: what a function of the library
// does for several callers comes by other ways, mostly from other depths. Two hooks that one
// function calls are at one depth, so the first steps of the way count besides.
func (f *Frames) announcedAt(pc uintptr, first Way, at uint32) (row *announcedRow, key uint32) {
	h := (uint64(pc^uintptr(first)<<8) ^ uint64(at)<<32) * 0x9E3779B97F4A7C15
	return &f.announced[h>>60%announcedRows], uint32(h>>28) | 1
}

// of is what there is for a key, nil if there is nothing.
func (r *announcedRow) of(key uint32) *announced {
	for i := range r.key {
		if r.key[i] == key {
			return &r.ways[i]
		}
	}
	return nil
}

// take is what there is for a key from now on.
func (r *announcedRow) take(key uint32) *announced {
	if a := r.of(key); a != nil {
		return a
	}
	i := r.next % announcedWays
	r.next++
	r.key[i], r.ways[i] = key, announced{}
	return &r.ways[i]
}

// inner is the entry that is n further out than the innermost one.
func (f *Frames) inner(n uint32) *frame { return &f.ring[(f.top-n)%ring] }

// Fresh is how many of the innermost instrumented functions have no node yet.
func (f *Frames) Fresh() (n uint32) {
	for n <= maxFresh && f.inner(n).node() == 0 {
		n++
	}
	return n
}

// Announced is the site of an access to which a way leads whose first steps are given, up to
// FirstSteps of them. It's 0 if that is not known: the goroutine is in other functions than when
// the last such access was made, or the way has so many more steps, for AnnouncedBy to answer.
// Functions that have just begun get their nodes.
func (f *Frames) Announced(pc uintptr, first Way, at uint32) (site, more uint32) {
	row, key := f.announcedAt(pc, first, at)
	a := row.of(key)
	if a == nil || a.steps == 0 || *f.inner(a.fresh) != a.outer {
		return 0, 0
	}
	for i := range min(a.fresh, noted) {
		if e := *f.inner(i); e != a.in[i] && e != a.in[i]>>32<<32 {
			return 0, 0
		}
	}
	if a.steps > FirstSteps {
		return 0, a.steps - FirstSteps
	}
	return f.take(a, first), 0
}

// AnnouncedBy is Announced where there are more steps, with the whole way.
func (f *Frames) AnnouncedBy(pc uintptr, first Way, at uint32, way Way) uint32 {
	row, key := f.announcedAt(pc, first, at)
	if a := row.of(key); a != nil {
		return f.take(a, way)
	}
	return 0
}

// take is the site of a, if a is of a way; else 0. Then functions that have just begun get their
// nodes.
func (f *Frames) take(a *announced, way Way) uint32 {
	if a.way != way {
		return 0
	}
	for i := range min(a.fresh, noted) {
		*f.inner(i) = a.in[i]
	}
	return a.site
}

// A Keeper follows a way from the hook outwards, to note the site of an access.
type Keeper struct {
	frames     offheap.Ref[Frames]
	at         offheap.Ref[announced]
	met, fresh uint32 // how many instrumented functions were met, and how many come before the last
	steps      uint32
	way        Way
}

// Keep begins to note the site of an access, which was made while so many functions had no node.
// First is the way's first steps. It reports whether that is worth the while.
func (f *Frames) Keep(k *Keeper, pc uintptr, first Way, at, fresh, site uint32) bool {
	row, key := f.announcedAt(pc, first, at)
	a := row.take(key)
	if a.vain > 0 || fresh > maxFresh || site == 0 {
		a.vain -= min(a.vain, 1)
		return false
	}
	*a = announced{site: site, vain: maxVain} // unless it is noted
	*k = Keeper{frames: offheap.To(f), at: offheap.To(a), fresh: fresh, way: first}
	return true
}

// Up takes one step: a function whose frame ends at off returns to ret. It reports whether it was
// the last one.
func (k *Keeper) Up(off uint32, ret uintptr) (done bool) {
	if k.steps++; k.steps > FirstSteps {
		k.way = k.way.To(ret)
	}
	e := *k.frames.P().inner(k.met)
	if e.off() == off && e.node() != 0 && datarace.PC(e.node()) == ret {
		a := k.at.P()
		if k.met == k.fresh {
			a.outer, a.fresh, a.steps, a.way, a.vain = e, k.fresh, k.steps, k.way, 0
			return true
		}
		if k.met < noted {
			a.in[k.met] = e
		}
		k.met++
	}
	return k.steps == maxSteps
}
