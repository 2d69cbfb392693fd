// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package reorder

import (
	"fmt"
	"slices"

	"github.com/commutego/commute/internal/event"
)

// Validate returns nil if the program that made the trace could have made the steps in this order:
// see the package comment. All reports depend on it, so it is simple: it goes through the piece in
// the trace's order, and in the given order, notes what each step observes, and compares. It takes
// O(n), apart from the points that conflict with one. It shares no code with the searches.
func (p *Piece) Validate(relation *event.Relation, order []int32) error {
	return NewValidator(p, relation).Validate(order)
}

// A Validator validates orders of one piece.
type Validator struct {
	*Piece
	relation *event.Relation
	observed []observation      // what each step observed in the trace
	earlier  []int32            // by step: what the thread in After had done by then
	threads  map[uint32][]int32 // the steps of each
}

// NewValidator makes a Validator.
func NewValidator(p *Piece, relation *event.Relation) *Validator {
	v := &Validator{p, relation, make([]observation, len(p.Steps)), make([]int32, len(p.Steps)),
		make(map[uint32][]int32)}
	was := newWorld(p, relation)
	for i := range p.Steps {
		v.observed[i] = was.observe(int32(i))
		if u := p.Steps[i].After; u != 0 {
			v.earlier[i] = was.done[u-1]
		}
		was.do(int32(i))
		t := p.Steps[i].Thread
		v.threads[t] = append(v.threads[t], int32(i))
	}
	return v
}

// Validate is [Piece.Validate].
func (v *Validator) Validate(order []int32) error {
	p, observed, threads := v.Piece, v.observed, v.threads
	for _, i := range order {
		if i < 0 || int(i) >= len(p.Steps) {
			return fmt.Errorf("there is no step %d", i)
		}
	}
	w := newWorld(p, v.relation)
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
		if w.broken[s.Thread] && !(p.Recorded && s.letsGo()) {
			return fmt.Errorf("step %d: it isn't known what its thread does", i)
		}
		if err := w.excluded(s); err != nil {
			return fmt.Errorf("step %d: %w", i, err)
		}
		if s.After != 0 && w.done[s.After-1] < v.earlier[i] {
			return fmt.Errorf("step %d: thread %d has not come as far as it had", i, s.After-1)
		}
		seen := w.observe(i)
		if s.fixed() && !(w.followed && int(i) == n) {
			return fmt.Errorf("step %d: not all was as before", i)
		}
		if w.spoilt(s.Thread) && !s.fixed() {
			return fmt.Errorf("step %d: another thread has come into its block", i)
		}
		if s.object() && p.Recorded && w.overtaken(i) && !s.fixed() {
			return fmt.Errorf("step %d: a later operation was before", i)
		}
		if !s.fixed() && (seen != observed[i] || seen.partial) { // a read may be broken
			rest := seen
			rest.a, rest.partial = observed[i].a, observed[i].partial
			if s.Op != Read || rest != observed[i] {
				return fmt.Errorf("step %d: it observes something else", i)
			}
			w.broken[s.Thread] = true
		}
		w.followed = w.followed && int(i) == n
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
	partial bool // another thread is still writing
	a, b, c int32
	others  int32 // other ways in which a variable was accessed, or its accesses
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
	joinable func(thread uint32) bool // nil: any
	followed bool                     // the steps so far are those of the trace

	// Of recorded traces:
	last     [Release + 1]int32 // the greatest operation of each kind, and 1
	unknown  [Release + 1]int32 // the same of those on objects that aren't known
	blocks   map[uint32]*block  // by thread: that which is open
	writing  map[uint32]*block  // by variable: that of the last write
	words    map[uint32]int32   // by variable: other ways in which it was accessed
	accesses map[uint32]int32   // by such a variable
}

// A block is what a thread does between two places where it hands on what it has done.
type block struct {
	thread        uint32
	reads, writes map[uint32]bool
	spoilt, over  bool
}

func newWorld(p *Piece, relation *event.Relation) *world {
	w := &world{
		Piece: p, relation: relation, done: make(map[uint32]int32), broken: make(map[uint32]bool),
		children: make(map[uint32]bool), forks: make(map[uint32]bool),
		writes: make(map[uint32]int32), objects: make(map[uint32]*[Release + 1]int32),
		touches: make(map[[2]uint32]int32), writer: make(map[uint32]bool),
		readers: make(map[uint32]int32), followed: true,
		blocks: make(map[uint32]*block), writing: make(map[uint32]*block),
		words: make(map[uint32]int32), accesses: make(map[uint32]int32),
	}
	for i := range p.Steps {
		s := &p.Steps[i]
		if s.Op == Fork {
			w.children[s.Target] = true
		}
		if s.Also != 0 {
			w.words[s.Also-1] = 0
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
	if s.Also != 0 {
		o.others = w.accesses[s.Also-1]
	}
	switch s.Op {
	case Read, Write:
		if s.Op == Read || s.Reads {
			o.a = w.writes[s.Target]
			o.partial = w.partial(s)
		}
		o.b = w.words[s.Target]
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
	}
	return o
}

// letsGo reports whether a step is the release of a lock.
func (s *Step) letsGo() bool { return s.Op == Unlock || s.Op == RUnlock }

// partial reports whether another thread has written a variable last, and its block isn't over.
func (w *world) partial(s *Step) bool {
	b := w.writing[s.Target]
	return b != nil && b.thread != s.Thread && !b.over
}

// spoilt reports whether another thread has come into the block in which a thread is.
func (w *world) spoilt(thread uint32) bool {
	b := w.blocks[thread]
	return b != nil && b.spoilt
}

// overtaken reports whether an operation was made that came later in the trace, and with which this
// one can't change places: it isn't known whether they are on one object. If both are, the later
// one has seen that this one was not made.
func (w *world) overtaken(i int32) bool {
	op, last := w.Steps[i].Op, &w.last
	if w.Steps[i].Named {
		last = &w.unknown
	}
	return op != Acquire && last[Acquire] > i || op != Merge && last[Merge] > i || last[Release] > i
}

// doRecorded is do for what only recorded traces have.
func (w *world) doRecorded(i int32) {
	s := &w.Steps[i]
	if s.object() {
		w.last[s.Op] = max(w.last[s.Op], i+1)
		if !s.Named {
			w.unknown[s.Op] = max(w.unknown[s.Op], i+1)
		}
	}
	b := w.blocks[s.Thread]
	if b == nil {
		b = &block{thread: s.Thread, reads: make(map[uint32]bool), writes: make(map[uint32]bool)}
		w.blocks[s.Thread] = b
	}
	if s.plain() {
		for u, x := range w.blocks {
			if u != s.Thread && (x.writes[s.Target] || s.Op == Write && x.reads[s.Target]) {
				x.spoilt = true
			}
		}
		if s.Op == Write {
			b.writes[s.Target] = true
			w.writing[s.Target] = b
		} else {
			b.reads[s.Target] = true
		}
	}
	if s.Closes {
		b.over = !w.broken[s.Thread]
		delete(w.blocks, s.Thread)
	}
}

// do makes step i.
func (w *world) do(i int32) {
	s := &w.Steps[i]
	w.done[s.Thread]++
	if w.Recorded {
		w.doRecorded(i)
	}
	if s.Also != 0 {
		w.words[s.Also-1]++
	}
	if _, ok := w.words[s.Target]; ok && (s.Op == Read || s.Op == Write) {
		w.accesses[s.Target]++
	}
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

// Broken lists the reads of a valid order that see another write than in the trace, or may see one
// since the write's block isn't over.
func (p *Piece) Broken(order []int32) (list []int32) {
	was, now := newWorld(p, nil), newWorld(p, nil)
	saw := make([]int32, len(p.Steps))
	for i := range p.Steps {
		saw[i] = was.writes[p.Steps[i].Target]
		was.see(int32(i))
	}
	for _, i := range order {
		s := &p.Steps[i]
		if s.Op == Read && !s.Fixed && (saw[i] != now.writes[s.Target] || now.partial(s)) {
			list = append(list, i)
			now.broken[s.Thread] = true
		}
		now.see(i)
	}
	slices.Sort(list)
	return list
}

// see makes a step, for those that read.
func (w *world) see(i int32) {
	if w.Recorded {
		w.doRecorded(i)
	}
	if s := &w.Steps[i]; s.Op == Write {
		w.writes[s.Target] = i + 1
	}
}
