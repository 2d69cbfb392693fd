// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package reorder

import "slices"

// Conflict reports whether steps of two threads conflict as those of transactions do: they access a
// variable or touch points of an object. Silent steps conflict with nothing.
func (s *Segment) Conflict(i, j int32) bool {
	a, b := &s.Steps[i], &s.Steps[j]
	if s.Thread[i] == s.Thread[j] || a.Silent || b.Silent || s.Target[i] != s.Target[j] {
		return false
	}
	switch a.Op {
	case Read:
		return b.Op == Write
	case Write:
		return b.Op == Write || b.Op == Read
	case Touch:
		return b.Op == Touch && slices.Contains(s.Relation.Conflicts(a.Point), b.Point)
	}
	return false
}

// Last is the position of the last step of another thread below a number of its steps that
// conflicts with step i, as a fork or a join too, or None.
func (s *Segment) Last(i, thread, below int32) int32 {
	step := &s.Steps[i]
	last := int32(None)
	if s.Pos[i] == 0 && s.Born[s.Thread[i]] != None {
		if f := s.Born[s.Thread[i]]; s.Thread[f] == thread && s.Pos[f] < below {
			last = s.Pos[f]
		}
	}
	x := s.Target[i]
	if step.Op == Join && x == thread && below > 0 {
		return below - 1
	}
	if step.Silent {
		return last
	}
	switch step.Op {
	case Read, Write:
		if c := s.cellOf(x, thread); c != nil {
			last = max(last, s.lastIn(c, step.Op, below))
		}
	case Touch:
		for n := len(s.touched[x]) - 1; n >= 0; n-- {
			j := s.touched[x][n]
			if s.Thread[j] == thread && s.Pos[j] < below && s.Conflict(i, j) {
				return max(last, s.Pos[j])
			}
		}
	}
	return last
}

// lastIn is the last position of a cell below some number of a step that conflicts with a read or a
// write of another thread.
func (s *Segment) lastIn(c *cell, op Op, below int32) int32 {
	last := s.lastOf(c.writes, c.thread, below)
	if op == Write {
		last = max(last, s.lastOf(c.reads, c.thread, below))
	}
	return last
}

// Others calls has for each thread that accesses the variable of a read or a write, but its own,
// until that returns true, and reports whether it did. Last is for [Segment.Last].
func (s *Segment) Others(i int32, has func(thread int32, last func(below int32) int32) bool) bool {
	for _, c := range s.accessed[s.Target[i]] {
		x := &s.cells[c]
		if x.thread != s.Thread[i] && has(x.thread, func(below int32) int32 {
			return s.lastIn(x, s.Steps[i].Op, below)
		}) {
			return true
		}
	}
	return false
}

// lastOf is the last position of a list below some number whose step is not silent.
func (s *Segment) lastOf(list []int32, thread, limit int32) int32 {
	for n := below(list, limit) - 1; n >= 0; n-- {
		if !s.Steps[s.Of[thread][list[n]]].Silent {
			return list[n]
		}
	}
	return None
}

// Depends reports whether a step of a thread from a position on depends on step i of another one,
// or the other way round: their order makes a difference, or one of them keeps the other from being
// made. What comes after step i in any case doesn't count, as calls that conflict do.
func (s *Segment) Depends(i, thread, from int32) bool {
	x := s.Target[i]
	later := func(list []int32) bool { return len(list) > 0 && list[len(list)-1] >= from }
	switch s.Steps[i].Op {
	case Read, Write:
		c := s.cellOf(x, thread)
		return c != nil && (later(c.writes) || s.Steps[i].Op == Write && later(c.reads))
	case Lock, RLock:
		return later(s.takers[s.taker(x, thread)])
	case Acquire, Merge, Release:
		return s.Recorded && s.lastSync[thread] >= from
	}
	return false
}

// Conflicting are the steps of other threads that conflict with step i.
func (s *Segment) Conflicting(i int32) (list []int32) {
	x := s.Target[i]
	switch s.Steps[i].Op {
	case Read, Write:
		for _, c := range s.accessed[x] {
			x := &s.cells[c]
			for _, positions := range [][]int32{x.writes, x.reads} {
				for _, at := range positions {
					if j := s.Of[x.thread][at]; s.Conflict(i, j) {
						list = append(list, j)
					}
				}
			}
		}
	case Touch:
		for _, j := range s.touched[x] {
			if s.Conflict(i, j) {
				list = append(list, j)
			}
		}
	}
	return list
}

// Holds reports whether a thread holds a lock alone, in one section, from before a position to
// after another.
func (s *Segment) Holds(thread, lock, from, to int32) bool {
	list := s.takers[s.taker(lock, thread)]
	n := below(list, from)
	if n == 0 {
		return false
	}
	take := s.Of[thread][list[n-1]]
	m := s.Mate[take]
	return s.Steps[take].Op == Lock &&
		(m == None || s.Thread[m] == thread && s.Pos[m] > to)
}
