// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/engine/offheap"
)

// Activation is the memory of instrumented code for a run of a function with pairs. Its layout is
// that of compiled.Transaction.
type Activation struct {
	owner uintptr // the state of the thread, 0 when the run has ended
	depth uintptr
	_     [2]uintptr
}

// The injected code declares as much.
const _ = -(unsafe.Sizeof(Activation{}) - unsafe.Sizeof(compiled.Transaction{}))

// A run is one activation of a function with pairs.
type run struct {
	outer  offheap.Ref[run] // the activation that it is in
	of     offheap.Ref[compiled.SectionFunc]
	depth  uintptr
	lost   uint64 // the last section whose reads are not all in the log
	hidden bool   // an opaque section has read something, which the log lacks
	in     uint64 // the complete section in which it was entered, 0 if there is none
	nLooks int
	looks  [maxLooks]look
	nLog   int
	log    [maxLog]logged
}

// A look is a check that the run has made.
type look struct {
	pair    int
	section uint64
	place   seen // of the check's point
	wide    uint64
	acted   bool // an act has followed
	told    bool // the goroutine has learned since that another has changed the point
	linked  bool // the pair is: see link.go
	knew    bool // the goroutine knows of the point's last change by other means than the section
	// The version of the point that the goroutine knows of by a section of its own alone, which was
	// in conflict with the one that made it. Nobody has told.
	found uint64
	// The points that the activation has written since, from the check's section on: a bit for
	// each. If a later section reads one, another activation, which writes them, too, reads
	// something else there.
	wrote   uint64
	spoiled bool
	event   Event
}

// A logged is a point that a section of the run has read.
type logged struct {
	section uint64
	place   seen
	differs bool // it is another lock's, and was found to have changed since
}

// A seen is a point with the version and value that a section has seen.
type seen struct {
	lock    offheap.Ref[lock]
	addr    uintptr // of the lock
	point   offheap.Ref[point]
	class   class
	key     uint64
	created uint64
	version uint64
	value   uint64
	mixed   uint64                             // as in an entry
	site    offheap.Ref[compiled.SectionTouch] // where it was read
}

const (
	maxLooks = 8
	maxLog   = 24
	maxRuns  = 4 // activations that a touch may be a check or an act of
)

// alive reports whether the point is the one that was seen. The lock is locked, and is its.
func (v *seen) alive() bool { return v.point.P().created == v.created }

// Enter says that the goroutine enters a function with pairs.
func (t *Thread) Enter(a *Activation, f *compiled.SectionFunc) {
	s := t.ready()
	if s == nil || a.owner != 0 {
		return
	}
	depth := uintptr(1)
	if outer := s.run.P(); outer != nil {
		depth = outer.depth + 1
	}
	r := runSlab.Get()
	r.outer, r.of, r.depth, r.lost = s.run, offheap.To(f), depth, 0
	r.nLooks, r.nLog, r.hidden, r.in = 0, 0, false, 0
	if s.section.on {
		r.in = s.section.number
	}
	s.run, t.passing = offheap.To(r), 0
	a.owner, a.depth = uintptr(unsafe.Pointer(s)), depth
}

// Leave says that the goroutine leaves the function, by a return or a panic. It also leaves the
// activations that this one has called and that were not left.
func (t *Thread) Leave(a *Activation, sink Sink) {
	s := t.state.P()
	if s == nil || a.owner != uintptr(unsafe.Pointer(s)) {
		return
	}
	a.owner = 0
	for r := s.run.P(); r != nil && r.depth >= a.depth; r = s.run.P() {
		s.run = r.outer
		for i := range r.nLooks {
			if k := &r.looks[i]; !k.acted && k.event.Value != Unknown {
				t.world.P().quiet.add(hashOfPair(r.of.P(), k.pair, k.event.Value))
			}
		}
		runSlab.Put(r)
	}
	s.deliver(sink)
}

// Entered is the number of activations that the goroutine is in, up to activation a. It is 0 if the
// goroutine is not in a.
func (t *Thread) Entered(a *Activation) int {
	if s := t.state.P(); s == nil || a.owner != uintptr(unsafe.Pointer(s)) {
		return 0
	}
	return int(a.depth)
}

// unlook forgets what p has seen, as it looks again in a way that can't be followed.
func (s *state) unlook(p *compiled.SectionTouch) {
	for r := s.run.P(); r != nil; r = r.outer.P() {
		pairs := r.of.P().Pairs
		for i := 0; i < r.nLooks; i++ {
			if pairs[r.looks[i].pair].Check == p {
				r.remove(i)
				i--
			}
		}
	}
}

// remove forgets the i-th look.
func (r *run) remove(i int) {
	r.nLooks--
	for ; i < r.nLooks; i++ {
		r.looks[i] = r.looks[i+1]
	}
}

// note notes a look, in place of an earlier one of the pair at the point.
func (r *run) note(k *look) {
	for i := range r.nLooks {
		o := &r.looks[i]
		if o.pair == k.pair && o.place.point == k.place.point {
			if o.section != k.section {
				*o = *k
			}
			return
		}
	}
	if r.nLooks == maxLooks {
		r.remove(0)
	}
	r.looks[r.nLooks] = *k
	r.nLooks++
}

// lookedAgain reports whether the activation may have read the point of a look again in a later
// section than that of the look, and before another one.
func (r *run) lookedAgain(k *look, before uint64) bool {
	for i := range r.nLog {
		if g := &r.log[i]; g.section > k.section && g.section < before &&
			g.place.point == k.place.point {
			return true
		}
	}
	return r.hidden || r.lost > k.section
}

// noteRead adds to the log what a section has read.
func (r *run) noteRead(section uint64, v *seen) {
	if r.nLog == maxLog {
		r.trim()
	}
	if r.nLog == maxLog {
		r.lost = section
		return
	}
	r.log[r.nLog] = logged{section: section, place: *v}
	r.nLog++
}

// trim takes out of the log what came before all looks.
func (r *run) trim() {
	first := ^uint64(0)
	for i := range r.nLooks {
		first = min(first, r.looks[i].section)
	}
	n := 0
	for i := range r.nLog {
		if r.log[i].section >= first {
			r.log[n] = r.log[i]
			n++
		}
	}
	r.nLog = n
}

// hides reports whether a read is in an opaque section of some activation for which there was none
// before.
func hides(s *state) bool {
	for r := s.run.P(); r != nil && s.nHeld > 0; r = r.outer.P() {
		if !r.hidden {
			return true
		}
	}
	return false
}

// hide notes that an opaque section has read something. Whether an activation acts may depend on
// that, and it can't be compared with what another one has read.
func hide(s *state) {
	for r := s.run.P(); r != nil; r = r.outer.P() {
		r.hidden = true
	}
}

// saw is what a section of the run has seen of a point, nil if it has not read it.
func (r *run) saw(section uint64, p *point) *seen {
	for i := range r.nLog {
		if g := &r.log[i]; g.section == section && g.place.point.P() == p &&
			g.place.created == p.created {
			return &g.place
		}
	}
	return nil
}
