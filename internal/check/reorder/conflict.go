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
