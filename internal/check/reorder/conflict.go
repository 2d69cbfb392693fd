// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package reorder

import (
	"iter"
	"math"
	"slices"
)

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

// Last is the position of the last step of another thread that conflicts with step i, also as a
// fork or a join, among its first steps up to below; or None.
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

// Others are the other threads that access the variable of step i, a read or a write.
func (s *Segment) Others(i int32) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for _, c := range s.accessed[s.Target[i]] {
			if t := s.cells[c].thread; t != s.Thread[i] && !yield(t) {
				return
			}
		}
	}
}

// NextConflict is the position of the first access of a thread, from position from on, that
// conflicts with step i, a read or a write of another thread; None if there is none.
func (s *Segment) NextConflict(i, thread, from int32) int32 {
	c := s.cellOf(s.Target[i], thread)
	if c == nil {
		return None
	}
	next := s.nextOf(c.writes, thread, from)
	if s.Steps[i].Op == Write {
		if r := s.nextOf(c.reads, thread, from); next == None || r != None && r < next {
			next = r
		}
	}
	return next
}

// nextOf is the first position of a list, from one on, whose step is not silent.
func (s *Segment) nextOf(list []int32, thread, from int32) int32 {
	for n := below(list, from); n < len(list); n++ {
		if !s.Steps[s.Of[thread][list[n]]].Silent {
			return list[n]
		}
	}
	return None
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

// Depends reports whether some step of a thread, from a position on, and step i of another thread
// depend on each other: their order makes a difference, or one of them prevents the other. Steps
// that come after step i in every order, such as calls that conflict, don't count.
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

// Around is the section of a lock that a thread holds at step i: the positions of its taking and of
// its release. Without a release it has no end.
func (s *Segment) Around(i, lock int32) (from, to int32) {
	t := s.Thread[i]
	list := s.takers[s.taker(lock, t)]
	from = list[below(list, s.Pos[i])-1]
	if m := s.Mate[s.Of[t][from]]; m != None {
		return from, s.Pos[m]
	}
	return from, math.MaxInt32
}
