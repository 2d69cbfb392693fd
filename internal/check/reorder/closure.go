// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package reorder

// A Cut is, for each thread, the number of its steps that were made.
type Cut []int32

// Begin is the cut at the beginning of the piece.
func (s *Segment) Begin() Cut {
	c := make(Cut, s.Threads)
	for i := range s.Before {
		c[s.Thread[i]]++
	}
	return c
}

// A Closer computes closures. It reuses its memory.
type Closer struct {
	*Segment
	cut   Cut
	want  []int32   // by thread
	todo  []int32   // threads of which more is wanted
	takes [][]int32 // by lock: sections, by their takings, that need not be whole so far
	alone []int32   // by lock: the last section in which it is held alone
}

// NewCloser makes a Closer.
func NewCloser(s *Segment) *Closer {
	return &Closer{Segment: s, cut: make(Cut, s.Threads), want: make([]int32, s.Threads),
		takes: make([][]int32, s.Locks), alone: make([]int32, s.Locks)}
}

// Closure is the least cut that has all wanted steps and that is a valid order when its steps are
// in the trace's order. It has the write that each of its reads saw, and all steps that each step
// needs. Of two sections of a lock, it has the earlier one as a whole. The cut is valid until the
// next call.
func (c *Closer) Closure(wanted Cut) Cut {
	clear(c.cut)
	copy(c.want, c.Begin())
	for l := range c.takes {
		c.takes[l], c.alone[l] = c.takes[l][:0], None
	}
	c.todo = c.todo[:0]
	for t := range wanted {
		c.want[t] = max(c.want[t], wanted[t])
		c.todo = append(c.todo, int32(t))
	}
	for len(c.todo) > 0 {
		t := c.todo[len(c.todo)-1]
		c.todo = c.todo[:len(c.todo)-1]
		for c.cut[t] < c.want[t] {
			i := c.Of[t][c.cut[t]]
			c.cut[t]++
			c.add(i)
		}
	}
	return c.cut
}

// include has a step wanted.
func (c *Closer) include(i int32) {
	t := c.Thread[i]
	if c.want[t] <= c.Pos[i] {
		c.want[t] = c.Pos[i] + 1
		c.todo = append(c.todo, t)
	}
}

// add adds what a step needs.
func (c *Closer) add(i int32) {
	if f := c.Source(i); f != None {
		c.include(f)
	}
	for _, j := range c.Needs(i) {
		c.include(j)
	}
	switch c.Steps[i].Op {
	case Join:
		if t := c.Target[i]; t != None {
			c.include(c.Of[t][len(c.Of[t])-1])
		}
	case Lock, RLock:
		c.take(i)
	}
}

// take adds a section. Of those of its lock all are whole that come before one with which they
// can't overlap.
func (c *Closer) take(i int32) {
	l := c.Target[i]
	shared := c.Steps[i].Op == RLock
	whole, rest := c.alone[l] > i, c.takes[l][:0]
	if !shared {
		c.alone[l] = max(c.alone[l], i)
	}
	for _, j := range c.takes[l] {
		if shared && c.Steps[j].Op == RLock {
			rest = append(rest, j)
			continue
		}
		if j > i {
			whole = true
			rest = append(rest, j)
		} else {
			c.include(c.Mate[j]) // which is there, for the lock was taken again
		}
	}
	c.takes[l] = append(rest, i)
	if whole {
		c.include(c.Mate[i])
	}
}
