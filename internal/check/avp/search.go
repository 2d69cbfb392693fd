// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package avp

import (
	"math"

	"github.com/commutego/commute/internal/check/reorder"
)

// A search goes through all orders of a segment, but for those that differ in the order of steps
// that don't depend on each other, until it finds a cycle.
//
// A state is a cut, the threads whose last read is broken, the last writes that may still be read,
// and the rows of the running transactions (package frontier). Edges into the next step follow from
// the cut. States have no cycles, for cuts grow, so each state is visited once.
type search struct {
	*reorder.Runner
	budget   int   // of states
	switches int   // that may still be made after the trace was left; below 0: any
	all      bool  // without ample sets
	target   int32 // the first step of the transaction that is to be on the cycle, or None

	rows    []int32 // by transaction's thread times Threads plus thread; the target's is the last
	running []bool  // by row: it counts
	start   []int32 // by row: the transaction's number, which is the position of its first step
	log     []change
	seen    seenSet
	read    []bool // by variable: there are reads of it
	over    bool   // the budget was used up
	untold  bool   // there are steps that only follow the trace
	last    int32  // the thread that made the last step
	writers key    // stands for the last writes
	states  key    // stands for the rows that count
}

// A change of a row, or of running, which has the indexes after those.
type change struct{ at, old int32 }

// infinite is a number that is greater than all.
const infinite = math.MaxInt32

func newSearch(s *reorder.Segment, budget int) *search {
	x := &search{
		Runner: reorder.NewRunner(s), budget: budget, switches: -1, target: reorder.None,
		rows: make([]int32, (s.Threads+1)*s.Threads), running: make([]bool, s.Threads+1),
		start: make([]int32, s.Threads+1), read: make([]bool, s.Vars), last: reorder.None,
	}
	for i := range s.Steps {
		step := &s.Steps[i]
		if step.Op == reorder.Read || step.Reads {
			x.read[s.Target[i]] = true
		}
		x.untold = x.untold || step.Fixed || step.Op == reorder.Untold
	}
	x.restart()
	return x
}

// restart goes back to the beginning, with nothing seen.
func (s *search) restart() {
	s.Reset()
	s.seen.reset()
	s.log, s.over, s.last = s.log[:0], false, reorder.None
	s.writers, s.states = key{}, key{}
	clear(s.running)
	for i := range s.Before {
		s.edges(int32(i))
	}
}

// find finds an order with a cycle: its steps are those that were made. If it finds none and over
// is not set, there is none.
func (s *search) find(target int32) bool {
	s.target = target
	s.restart()
	return s.visit()
}

// follow makes the steps of an order. It reports whether they close a cycle.
func (s *search) follow(order []int32) bool {
	for _, i := range order {
		j, breaks, ok := s.Step(s.Thread[i])
		if !ok || i != j {
			panic("avp: a step that can't be made")
		}
		s.make(i, breaks)
		s.last = s.Thread[i]
		if s.edges(i) {
			return true
		}
	}
	return false
}

func (s *search) visit() bool {
	if !s.seen.add(s.key()) {
		return false
	}
	if s.budget--; s.budget < 0 {
		s.over = true
		return false
	}
	if t := s.ample(); t != reorder.None {
		return s.try(t)
	}
	for t := range int32(s.Threads) {
		if s.try(t) {
			return true
		}
		if s.over {
			return false
		}
	}
	return false
}

// try makes the next step of a thread, if it can be made, and goes on from there.
func (s *search) try(t int32) bool {
	i, breaks, ok := s.Step(t)
	if !ok {
		return false
	}
	last, switches, writers, states := s.last, s.switches, s.writers, s.states
	if s.switches >= 0 && t != last && !s.Followed() {
		if s.switches == 0 {
			return false
		}
		s.switches--
	}
	mark := len(s.log)
	s.last = t
	s.make(i, breaks)
	if s.edges(i) || s.visit() {
		return true
	}
	for n := len(s.log) - 1; n >= mark; n-- {
		if c := s.log[n]; int(c.at) < len(s.rows) {
			s.rows[c.at] = c.old
		} else {
			s.running[int(c.at)-len(s.rows)] = c.old != 0
		}
	}
	s.log = s.log[:mark]
	s.Undo()
	s.last, s.switches, s.writers, s.states = last, switches, writers, states
	return false
}

// make makes a step.
func (s *search) make(i int32, breaks bool) {
	if s.Steps[i].Op == reorder.Write && s.read[s.Target[i]] {
		x := uint64(s.Target[i]) << 32
		for _, w := range [2]int32{s.Writer[s.Target[i]], i} {
			if w != reorder.None {
				s.writers.toggle(x | uint64(w))
			}
		}
	}
	s.Do(i, breaks)
}

// set changes a row's entry.
func (s *search) set(row, thread int, number int32) {
	at := row*s.Threads + thread
	if s.rows[at] != number {
		s.log = append(s.log, change{int32(at), s.rows[at]})
		if s.running[row] {
			s.states.toggle(entry(at, s.rows[at]))
			s.states.toggle(entry(at, number))
		}
		s.rows[at] = number
	}
}

// entry stands for an entry of a row.
func entry(at int, number int32) uint64 { return uint64(at+1)<<32 | uint64(uint32(number)) }

func (s *search) run(row int, running bool) {
	if s.running[row] != running {
		old := int32(0)
		if s.running[row] {
			old = 1
		}
		s.log = append(s.log, change{int32(len(s.rows) + row), old})
		s.running[row] = running
		for at := row * s.Threads; at < (row+1)*s.Threads; at++ {
			s.states.toggle(entry(at, s.rows[at]))
		}
	}
}

// begin begins a row.
func (s *search) begin(row, thread int, number int32) {
	s.start[row] = number
	s.run(row, true)
	for u := range s.Threads {
		s.set(row, u, infinite)
	}
	s.set(row, thread, number)
}

// edges adds the edges into a step that was made, and reports whether they close a cycle that is
// wanted.
func (s *search) edges(i int32) bool {
	t := int(s.Thread[i])
	switch s.Steps[i].Op {
	case reorder.Begin:
		s.begin(t, t, s.Pos[i])
		if i == s.target {
			s.begin(s.Threads, t, s.Pos[i])
		}
	case reorder.End:
		s.run(t, false)
		return false
	}
	for u := range int32(s.Threads) {
		if int(u) == t {
			continue
		}
		if j := s.Last(i, u, s.Made[u]); j != reorder.None {
			if s.edge(i, int(u), s.Start[s.Of[u][j]]) {
				return true
			}
		}
	}
	return false
}

// edge adds an edge from a transaction of thread u into step i.
func (s *search) edge(i int32, u int, number int32) bool {
	k, t := s.Threads, int(s.Thread[i])
	if s.closes(t, u, number) {
		return true
	}
	for b := range k + 1 {
		if b == t || !s.running[b] || s.rows[b*k+u] > number {
			continue
		}
		if s.running[t] {
			for v := range k {
				s.set(b, v, min(s.rows[b*k+v], s.rows[t*k+v]))
			}
		} else {
			s.set(b, t, min(s.rows[b*k+t], s.Start[i]))
		}
	}
	return false
}

// closes reports whether an edge from a transaction of u into the present one of t closes a cycle
// that is wanted.
func (s *search) closes(t, u int, number int32) bool {
	k := s.Threads
	if !s.running[t] || s.rows[t*k+u] > number && s.target == reorder.None {
		return false
	}
	if s.target == reorder.None {
		return true
	}
	if !s.running[k] || s.rows[k*k+u] > number {
		return false
	}
	of := int(s.Thread[s.target])
	return s.rows[t*k+of] <= s.Pos[s.target]
}

// key is that of the present state.
func (s *search) key() (k key) {
	for t, n := range s.Made {
		x := uint64(n) << 2
		if s.Broken[t] {
			x++
		}
		if s.Stopped[t] {
			x += 2
		}
		k.put(x)
	}
	if s.untold && s.Followed() {
		k.put(1)
	}
	k.put(s.writers[0])
	k.put(s.writers[1])
	k.put(s.states[0])
	k.put(s.states[1])
	if s.switches >= 0 {
		x := uint64(s.switches)<<33 | uint64(s.last+1)<<1
		if s.Followed() {
			x++
		}
		k.put(x)
	}
	return key{mix(k[0]), mix(k[1])}
}

// ample is a thread whose next step nothing that others may still do depends on, or None. It is
// enough to try that one.
func (s *search) ample() int32 {
	if s.switches >= 0 || s.untold || s.all {
		return reorder.None
	}
	for t := range int32(s.Threads) {
		if i, _, ok := s.Step(t); ok && s.alone(i) {
			return t
		}
	}
	return reorder.None
}

// alone reports whether nothing that other threads may still do depends on a step.
func (s *search) alone(i int32) bool {
	for u := range int32(s.Threads) {
		if u == s.Thread[i] || s.Broken[u] || s.Stopped[u] {
			continue
		}
		if s.Depends(i, u, s.Made[u]) || s.Opens(i, u, s.Made[u]) || s.meets(i, u) {
			return false
		}
	}
	return true
}

// meets reports whether another thread may still come into the block that a step is in.
func (s *search) meets(i, thread int32) bool {
	if !s.Recorded {
		return false
	}
	for at := s.BlockFrom[i]; at < s.Pos[i]; at++ {
		j := s.Of[s.Thread[i]][at]
		if op := s.Steps[j].Op; (op == reorder.Read || op == reorder.Write) &&
			s.Depends(j, thread, s.Made[thread]) {
			return true
		}
	}
	return false
}
