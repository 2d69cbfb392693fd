// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
)

// A Did says what a deed is.
type Did uint8

// What the holder of the token does, in order, up to where its step is over.
const (
	Makes   Did = iota // the task ID, whose name is Value
	Readies            // the task ID, which is pending now
	Changes            // the object ID, or does what depends on others that use it
	Reads              // the object ID
	Comes              // to a point: the step is over; ID is the ordinal, 0 for none
	Waits              // or yields, or is over, and with it the step
	// of a step's end, Value is how many operations it has passed that were no points
	Goes // the task ID does: it has got the token
)

// A Deed is one thing that a run's goroutines have done.
type Deed struct {
	Value uint64
	ID    uint32
	Did   Did
	Kind  Kind // of an operation, with Comes
	Hot   bool // with Comes; see Choice
}

// Objects that are none: what goroutines share besides.
const (
	Numbers  uintptr = 1 + iota // the order of those that the program draws
	Outside                     // what system calls look at
	Pools                       // what is in a sync.Pool
	All                         // each step reads it
	sharings                    // real addresses are greater
)

// mostDeeds is how many deeds of a run are written down: 256 kB.
const mostDeeds = 1 << 14

// Steps are the steps of a run by policy First or Forced: all that the holders of the token have
// done that others may notice. If something else may have made a difference, such as the time,
// they are broken, and nothing is told of them.
type Steps struct {
	p       offheap.Ref[[mostDeeds]Deed]
	n       uint32
	on      bool
	broken  bool
	Passed  uint32 // operations that were no points, in this step
	drawn   uint64 // numbers, when the last step was over
	objects table
	used    table // in this step
}

// begin begins a run. What earlier runs have left pending would be in it.
func (s *Steps) begin(c *Control, id uint32) {
	s.n, s.drawn, s.Passed = 0, 0, 0
	s.objects.clear()
	s.used.clear()
	p := c.spec.Policy
	s.on = id != 0 && (p == First || p == Forced)
	s.broken = c.pending.n > 0 || c.Arrivals.here.n > 0
	if s.on {
		s.add(Deed{Did: Makes, ID: id, Value: c.tasks.at(id).Name})
	}
}

// On reports whether steps are written down.
func (s *Steps) On() bool { return s.on && !s.broken }

// Break notes that something else makes a difference.
//
//go:nosplit
func (s *Steps) Break() { s.broken = true }

// end is the end of a run.
func (s *Steps) end() {
	s.broken = s.broken || !s.on
	s.on = false
}

// Len is how many deeds a run that is over has, 0 if they are broken.
func (s *Steps) Len() int {
	if s.broken {
		return 0
	}
	return int(s.n)
}

// At is the deed at an index.
func (s *Steps) At(i int) Deed { return s.p.P()[i] }

func (s *Steps) add(d Deed) {
	switch {
	case !s.On():
		return
	case s.n == mostDeeds:
		s.broken = true
		return
	case s.p.Nil():
		s.p = offheap.To((*[mostDeeds]Deed)(host.Alloc(unsafe.Sizeof([mostDeeds]Deed{}))))
	}
	s.p.P()[s.n] = d
	s.n++
}

// Use notes that the holder uses what is at an address, and whether that may change it. It does so
// once in a step.
func (s *Steps) Use(addr uintptr, changes bool) {
	if !s.On() || s.used.find(uint64(addr)<<1|1, false) != nil {
		return
	}
	known, key := s.used.n, uint64(addr)<<1
	if changes {
		key++
	}
	if s.used.find(key, true); s.used.n == known {
		return
	}
	id := uint32(addr)
	if addr >= sharings {
		id = uint32(sharings) + *s.objects.find(uint64(addr), true)
	}
	if changes {
		s.add(Deed{Did: Changes, ID: id})
	} else {
		s.add(Deed{Did: Reads, ID: id})
	}
}

// made notes a task that another one has made; 0 if none has.
func (s *Steps) made(t *Task, id, parent uint32) {
	if parent == 0 {
		s.broken = true
	}
	s.add(Deed{Did: Makes, ID: id, Value: t.Name})
}

// come notes that the holder has come to a point, and its step is over.
func (s *Steps) come(c *Control, t *Task) {
	if !s.On() {
		return
	}
	if t.kind == None { // how long the library has gone on is of all goroutines
		s.broken = true
	}
	s.share(c)
	s.add(Deed{Did: Comes, Value: uint64(s.Passed), ID: t.object, Kind: t.kind,
		Hot: c.choices.again || t.depth > 0})
}

// choose comes before the next holder is chosen, after come or where the last one can't go on.
func (s *Steps) choose(c *Control, holder uint32, again bool) {
	if again || c.Pace.Due() {
		s.broken = true // others have come in between
	}
	if holder == 0 && s.On() {
		s.share(c)
		s.add(Deed{Did: Waits, Value: uint64(s.Passed)})
	}
}

// share notes whether the step has drawn numbers, or made system calls.
func (s *Steps) share(c *Control) {
	if c.Arrivals.calls > 0 {
		s.Use(Outside, true)
	}
	if c.random != s.drawn {
		s.drawn = c.random
		s.Use(Numbers, true)
	}
}

// goes notes who goes on; 0 if none can.
func (s *Steps) goes(id uint32) {
	if id == 0 {
		s.broken = true
	}
	s.used.clear()
	s.Passed = 0
	s.add(Deed{Did: Goes, ID: id})
}
