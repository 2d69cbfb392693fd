// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package reorder

import (
	"fmt"
	"slices"

	"github.com/commutego/commute/internal/event"
)

// Validate returns nil if the program that made the trace could have made the steps in this order:
// see the package comment. All that is reported rests on it, so it is simple: it goes through the
// piece as it was, and through the order, notes what each step observes, and compares. O(n), but
// for the points that conflict with one. It shares no code with what looks for orders.
func (p *Piece) Validate(relation *event.Relation, order []int32) error {
	observed := make([]observation, len(p.Steps))
	was := newWorld(p, relation)
	var threads = make(map[uint32][]int32) // the steps of each
	for i := range p.Steps {
		observed[i] = was.observe(int32(i))
		was.do(int32(i))
		t := p.Steps[i].Thread
		threads[t] = append(threads[t], int32(i))
	}
	last := make(map[uint32]int32) // the last step of each thread in the order
	for _, i := range order {
		if i < 0 || int(i) >= len(p.Steps) {
			return fmt.Errorf("there is no step %d", i)
		}
		last[p.Steps[i].Thread] = i
	}
	w := newWorld(p, relation)
	w.joinable = func(t uint32) bool {
		return len(threads[t]) == 0 || !w.broken[t] && w.done[t] == int32(len(threads[t]))
	}
	for n, i := range order {
		s := &p.Steps[i]
		if n < p.Before && int(i) != n {
			return fmt.Errorf("step %d: it was before the piece", n)
		}
		if next := threads[s.Thread][w.done[s.Thread]]; next != i {
			return fmt.Errorf("step %d: its thread comes to step %d first", i, next)
		}
		if err := w.excluded(s); err != nil {
			return fmt.Errorf("step %d: %w", i, err)
		}
		if w.observe(i) != observed[i] {
			if s.Op != Read || last[s.Thread] != i || !w.forked(s.Thread) {
				return fmt.Errorf("step %d: it observes something else", i)
			}
			w.broken[s.Thread] = true
		}
		w.do(i)
	}
	if len(order) < p.Before {
		return fmt.Errorf("what was before the piece is missing")
	}
	return nil
}

// An observation is what a step sees of other threads.
type observation struct {
	forked  bool
	a, b, c int32
}

// A world is what steps see.
type world struct {
	*Piece
	relation *event.Relation
	done     map[uint32]int32 // by thread: the number of steps
	broken   map[uint32]bool
	children map[uint32]bool // threads that are forked in the piece
	forks    map[uint32]bool // those whose fork was made
	writes   map[uint32]int32
	objects  map[uint32]*[Release + 1]int32 // how often there was each operation
	touches  map[[2]uint32]int32
	writer   map[uint32]bool
	readers  map[uint32]int32
	count    int32 // of all steps
	greatest int32
	joinable func(thread uint32) bool // nil: any
}

func newWorld(p *Piece, relation *event.Relation) *world {
	w := &world{
		Piece: p, relation: relation, done: make(map[uint32]int32), broken: make(map[uint32]bool),
		children: make(map[uint32]bool), forks: make(map[uint32]bool),
		writes: make(map[uint32]int32), objects: make(map[uint32]*[Release + 1]int32),
		touches: make(map[[2]uint32]int32), writer: make(map[uint32]bool),
		readers: make(map[uint32]int32), greatest: -1,
	}
	for i := range p.Steps {
		if s := &p.Steps[i]; s.Op == Fork {
			w.children[s.Target] = true
		}
	}
	return w
}

// forked reports whether a thread may run.
func (w *world) forked(thread uint32) bool { return w.forks[thread] || !w.children[thread] }

// excluded is an error if a step can't be made now, whatever it observes.
func (w *world) excluded(s *Step) error {
	switch {
	case s.Op == Lock && (w.writer[s.Target] || w.readers[s.Target] > 0),
		s.Op == RLock && w.writer[s.Target]:
		return fmt.Errorf("lock %d is held", s.Target)
	case s.Op == Unlock && !w.writer[s.Target], s.Op == RUnlock && w.readers[s.Target] == 0:
		return fmt.Errorf("lock %d is not held", s.Target)
	case s.Op == Join && !w.joinable(s.Target):
		return fmt.Errorf("thread %d has not ended", s.Target)
	}
	return nil
}

// observe is what step i would see now.
func (w *world) observe(i int32) observation {
	s := &w.Steps[i]
	o := observation{forked: w.forked(s.Thread)}
	var n [Release + 1]int32
	if x := w.objects[s.Target]; x != nil {
		n = *x
	}
	switch s.Op {
	case Read:
		o.a = w.writes[s.Target]
	case Acquire:
		o.a, o.b = n[Release], n[Merge]
	case Merge:
		o.a, o.b = n[Release], n[Acquire]
	case Release:
		o.a, o.b, o.c = n[Release], n[Merge], n[Acquire]
	case Touch:
		for _, q := range w.relation.Conflicts(s.Point) {
			o.a += w.touches[[2]uint32{s.Target, q}]
		}
	case Untold:
		o.a, o.b = w.count, w.greatest
	}
	return o
}

// do makes step i.
func (w *world) do(i int32) {
	s := &w.Steps[i]
	w.done[s.Thread]++
	w.count++
	w.greatest = max(w.greatest, i)
	switch s.Op {
	case Write:
		w.writes[s.Target] = i + 1
	case Lock, Unlock:
		w.writer[s.Target] = s.Op == Lock
	case RLock:
		w.readers[s.Target]++
	case RUnlock:
		w.readers[s.Target]--
	case Fork:
		w.forks[s.Target] = true
	case Acquire, Merge, Release:
		if w.objects[s.Target] == nil {
			w.objects[s.Target] = new([Release + 1]int32)
		}
		w.objects[s.Target][s.Op]++
	case Touch:
		w.touches[[2]uint32{s.Target, s.Point}]++
	}
}

// Broken are the reads of a valid order that see another write than in the trace.
func (p *Piece) Broken(order []int32) (list []int32) {
	saw := make([]int32, len(p.Steps))
	writes := make(map[uint32]int32)
	for i := range p.Steps {
		switch s := &p.Steps[i]; s.Op {
		case Read:
			saw[i] = writes[s.Target]
		case Write:
			writes[s.Target] = int32(i) + 1
		}
	}
	clear(writes)
	for _, i := range order {
		switch s := &p.Steps[i]; {
		case s.Op == Read && saw[i] != writes[s.Target]:
			list = append(list, i)
		case s.Op == Write:
			writes[s.Target] = i + 1
		}
	}
	slices.Sort(list)
	return list
}
