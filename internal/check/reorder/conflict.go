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
	if step.Silent {
		return last
	}
	x := s.Target[i]
	switch step.Op {
	case Read:
		last = max(last, s.lastOf(s.writes[s.cell(x, thread)], thread, below))
	case Write:
		last = max(last, s.lastOf(s.writes[s.cell(x, thread)], thread, below),
			s.lastOf(s.reads[s.cell(x, thread)], thread, below))
	case Join:
		if x == thread && below > 0 {
			last = below - 1
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
// made. What comes after step i in any case doesn't count.
func (s *Segment) Depends(i, thread, from int32) bool {
	x := s.Target[i]
	later := func(lists [][]int32) bool {
		list := lists[s.cell(x, thread)]
		return len(list) > 0 && list[len(list)-1] >= from
	}
	switch s.Steps[i].Op {
	case Read:
		return later(s.writes)
	case Write:
		return later(s.writes) || later(s.reads)
	case Lock, RLock:
		return later(s.takers)
	case Touch:
		return s.hasLater(s.touched[x], thread, from)
	case Acquire, Merge, Release:
		return s.hasLater(s.operations[x], thread, from)
	}
	return false
}

// hasLater reports whether a thread has a step from a position on that is in a list of steps.
func (s *Segment) hasLater(list []int32, thread, from int32) bool {
	for n := len(list) - 1; n >= 0; n-- {
		if j := list[n]; s.Thread[j] == thread {
			return s.Pos[j] >= from
		}
	}
	return false
}

// Conflicting are the steps of other threads that conflict with step i.
func (s *Segment) Conflicting(i int32) (list []int32) {
	x := s.Target[i]
	add := func(lists [][]int32) {
		for u := range s.Of {
			for _, at := range lists[s.cell(x, int32(u))] {
				if j := s.Of[u][at]; s.Conflict(i, j) {
					list = append(list, j)
				}
			}
		}
	}
	switch s.Steps[i].Op {
	case Read:
		add(s.writes)
	case Write:
		add(s.writes)
		add(s.reads)
	case Touch:
		for _, j := range s.touched[x] {
			if s.Conflict(i, j) {
				list = append(list, j)
			}
		}
	}
	return list
}

// Holds reports whether a thread holds a lock alone, in one section, from before a position to after
// another.
func (s *Segment) Holds(thread, lock, from, to int32) bool {
	list := s.takers[s.cell(lock, thread)]
	n := below(list, from)
	if n == 0 {
		return false
	}
	take := s.Of[thread][list[n-1]]
	m := s.Mate[take]
	return s.Steps[take].Op == Lock &&
		(m == None || s.Thread[m] == thread && s.Pos[m] > to)
}
