// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package avp

import (
	"slices"

	"github.com/commutego/commute/internal/check/reorder"
)

// shrink leaves steps out that a cycle doesn't need: all but the closure of its steps. Where that
// isn't valid, as blocks of recorded traces may want more, it leaves out of each thread what comes
// after its last part in the cycle, if the rest can be made without.
func shrink(s *reorder.Segment, v *reorder.Validator, order []int32, target int32, c *cycle,
) []int32 {
	need := s.Begin()
	for _, e := range c.edges {
		for _, i := range []int32{e.tail, e.head} {
			need[s.Thread[i]] = max(need[s.Thread[i]], s.Pos[i]+1)
		}
	}
	try := func(beyond func(i int32) bool) bool {
		less := slices.DeleteFunc(slices.Clone(order), beyond)
		if len(less) == len(order) || v.Validate(less) != nil || cycleOf(s, less, target) == nil {
			return false
		}
		order = less
		return true
	}
	cut := needed(s, order, slices.Clone(need))
	if try(func(i int32) bool { return s.Pos[i] >= cut[s.Thread[i]] }) {
		return order
	}
	for t := range int32(s.Threads) {
		try(func(i int32) bool { return s.Thread[i] == t && s.Pos[i] >= need[t] })
	}
	return order
}

// needed is the least cut that has some steps of an order, and can be made in that order without
// the others: with a step it has what that comes after, and the write that it sees; and of two
// sections of a lock the earlier one is whole. It is made in passes over the order, each O(n),
// until nothing is added.
func needed(s *reorder.Segment, order []int32, cut reorder.Cut) reorder.Cut {
	for more := true; more; {
		more = false
		include := func(i int32) {
			if t := s.Thread[i]; cut[t] <= s.Pos[i] {
				cut[t], more = s.Pos[i]+1, true
			}
		}
		open := make(map[int32][]int32) // by lock: sections that are there and have no end
		writer := make(map[int32]int32) // by variable: 1 and the last write of the order
		for _, i := range order {
			x, w := s.Target[i], s.Source(i)
			sees := w != reorder.None && writer[x] == s.From[i]+1 // or it is broken
			if s.Steps[i].Op == reorder.Write {
				writer[x] = i + 1
			}
			if s.Pos[i] >= cut[s.Thread[i]] {
				continue
			}
			if sees {
				include(w)
			}
			for _, j := range s.Needs(i) {
				include(j)
			}
			switch s.Steps[i].Op {
			case reorder.Join:
				if x != reorder.None {
					include(s.Of[x][len(s.Of[x])-1])
				}
			case reorder.Lock, reorder.RLock:
				open[x] = slices.DeleteFunc(open[x], func(j int32) bool {
					if s.Steps[j].Op == reorder.RLock && s.Steps[i].Op == reorder.RLock {
						return false
					}
					if m := s.Mate[j]; m != reorder.None {
						include(m)
					}
					return true
				})
				open[x] = append(open[x], i)
			case reorder.Unlock, reorder.RUnlock:
				open[x] = slices.DeleteFunc(open[x], func(j int32) bool { return s.Mate[j] == i })
			}
		}
	}
	return cut
}
