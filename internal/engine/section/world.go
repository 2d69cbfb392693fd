// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"sync/atomic"

	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
)

// A World is the state of the critical sections of one execution. The zero World has none and is
// ready for use; it must not be copied.
type World struct {
	on       atomic.Uint32 // 1 once sections are followed
	wanted   atomic.Uint32 // 1 once a function is registered
	threads  atomic.Uint64 // how many there were: they are numbered
	points   atomic.Int32  // how many points there are
	atomics  atomic.Uint32 // 1 if sections are followed, and a pair is of atomic operations
	awaited  atomic.Uint32 // 1 if a pair is
	linked   atomic.Uint32 // 1 if a pair is linked
	acts     atomic.Uint64 // how many acts were kept
	joins    atomic.Uint32 // how often a thread has joined all others
	perturb  atomic.Uint32 // 1 if goroutines are to be held up
	asked    atomic.Uint32 // how often it was asked whether one is, up to early
	seed     atomic.Uint64 // differs from run to run, as does what is held up
	tracked  tracked
	reported counters // findings of a pair, for there need not be many of each
	quiet    tags     // looks that no act followed, by pair and result
}

// Wanted reports whether there is any function with pairs.
func (w *World) Wanted() bool { return w.wanted.Load() != 0 }

// On reports whether sections are followed.
func (w *World) On() bool { return w.on.Load() != 0 }

// Reset makes w the world of another execution, which shares no memory with the first one. No
// thread of the first one may go on.
func (w *World) Reset() {
	w.on.Store(1) // else nothing was to be freed
	w.Freed(0, ^uintptr(0), nil)
	w.on.Store(0)
	w.perturb.Store(0)
	w.acts.Store(0)
	w.reported, w.quiet = counters{}, tags{}
}

// Atomics reports whether sections are followed, and some pair is of atomic operations.
func (w *World) Atomics() bool { return w.atomics.Load() != 0 }

// The values of SectionTouch.Hot.
const (
	cold     = iota
	recorded // its sections are recorded
	paired   // it is the check or the act of a pair
)

// Register starts the search for the pairs of f.
func (w *World) Register(f *compiled.SectionFunc) {
	w.Await(f)
	w.lookFor(f)
	if len(f.Pairs) > 0 {
		w.Begin()
	}
}

// Await notes that there is a function with pairs. HeatPackage starts the search for them.
func (w *World) Await(f *compiled.SectionFunc) {
	if len(f.Pairs) > 0 {
		w.wanted.Store(1)
	}
}

// lookFor has the pairs of f looked for.
func (w *World) lookFor(f *compiled.SectionFunc) {
	for i := range f.Pairs {
		f.Pairs[i].Check.Hot.Store(paired)
		f.Pairs[i].Act.Hot.Store(paired)
		if f.Pairs[i].Shape.Linked() {
			w.linked.Store(1)
		}
		if f.Pairs[i].Check.Atomic != compiled.NotAtomic {
			w.awaited.Store(1)
		}
	}
	if w.On() {
		w.atomics.Store(w.awaited.Load())
	}
}

// HeatPackage starts the search for the pairs of a package, and the recording of its touches. The
// caller calls it after Begin, and before the first activation of a function of the package.
// Earlier events cannot be part of a finding, which begins with a check in an activation.
//
// Code announces locks and touches once the first touch of its package is hot. So HeatPackage makes
// that touch hot last: then either all touches of a section are recorded, or the section is not
// announced.
func (w *World) HeatPackage(r *compiled.SectionRegistration) {
	w.heatAll(r.Touches)
	for _, touches := range r.Imported {
		w.heatAll(touches)
	}
	for i := range r.Funcs {
		w.lookFor(&r.Funcs[i])
	}
	for i := len(r.Funcs) - 1; i >= 0; i-- {
		r.Funcs[i].Hot.Store(1)
	}
}

// heatAll is Heat for all touches of a package.
func (w *World) heatAll(touches []compiled.SectionTouch) {
	for i := len(touches) - 1; i >= 0; i-- {
		w.Heat(&touches[i])
	}
}

// Begin starts to follow sections. The caller calls it before the first package is hot.
func (w *World) Begin() {
	w.on.Store(1)
	w.atomics.Store(w.awaited.Load()) // after on: Await looks at on after it has set awaited
}

// Heat makes a touch hot, so that it is recorded, if no pair names it but it may be in a section
// with a touch that a pair names.
func (w *World) Heat(p *compiled.SectionTouch) { p.Hot.CompareAndSwap(cold, recorded) }

// Perturb says whether to delay goroutines at places where an interleaving may show.
func (w *World) Perturb(on bool) {
	if on {
		w.seed.Store(host.Pid())
		w.perturb.Store(1)
	} else {
		w.perturb.Store(0)
	}
}

// counters count what has a hash, and sometimes take one thing for another.
type counters [1 << 10]atomic.Uint32

// at is the counter of a pair of f and another number.
func (c *counters) at(f *compiled.SectionFunc, pair int, n uint64) *atomic.Uint32 {
	return &c[hashOfPair(f, pair, n)%uint64(len(c))]
}

// tags are a set of what has a hash, of which they keep 32 bits: values may be addresses, so what
// is taken for another one would differ from run to run. What finds no room takes another's.
type tags [1 << 12]atomic.Uint32

const tagRoom = 4 // the places that a hash may have

// place is a place of a hash, and its tag, which is not zero.
func (s *tags) place(h uint64, i int) (at *atomic.Uint32, tag uint32) {
	return &s[(h+uint64(i))%uint64(len(s))], uint32(h>>32) | 1
}

func (s *tags) add(h uint64) {
	for i := range tagRoom {
		at, tag := s.place(h, i)
		if v := at.Load(); v == tag || v == 0 && at.CompareAndSwap(0, tag) {
			return
		}
	}
	at, tag := s.place(h, 0)
	at.Store(tag)
}

func (s *tags) has(h uint64) bool {
	for i := range tagRoom {
		if at, tag := s.place(h, i); at.Load() == tag {
			return true
		}
	}
	return false
}

// hashOfPair is a hash of a pair of f and another number. It is made of what a replay has, too: the
// end of the function's name.
func hashOfPair(f *compiled.SectionFunc, pair int, n uint64) uint64 {
	name, h := f.Code.Name, uint64(0)
	for i := max(0, len(name)-8); i < len(name); i++ {
		h = h<<8 | uint64(name[i])
	}
	return mix(mix(h, uint64(len(name)))+uint64(pair), n)
}

// mix is a hash of two words.
func mix(a, b uint64) uint64 {
	h := (a ^ b*0x9E3779B97F4A7C15) * 0xBF58476D1CE4E5B9
	h ^= h >> 29
	h *= 0x94D049BB133111EB
	return h ^ h>>32
}

var (
	lockSlab  offheap.Slab[lock]
	pointSlab offheap.Slab[point]
	actSlab   offheap.Slab[act]
	stateSlab offheap.Slab[state]
	runSlab   offheap.Slab[run]
)
