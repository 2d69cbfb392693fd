// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package lockorder

import "slices"

// A cut says how many steps of its segment each thread of a cycle has done.
type cut [maxLength]uint32

// A reach looks for an order of the segments of a cycle's uses that leads to all of them. Before
// its segment, each thread holds nothing: what it did until then can be done first.
type reach struct {
	uses   []*use
	held   [][][]uint32 // by thread and by steps done: the locks
	seen   map[cut]bool
	budget *int
}

// reachable reports whether there is such an order for the uses of the path. If that is not known
// for want of budget, it is not.
func (s *search) reachable() bool {
	r := &reach{uses: s.uses, seen: make(map[cut]bool), budget: &s.budget}
	for _, u := range s.uses {
		held := [][]uint32{nil}
		for _, o := range u.segment {
			now := slices.Clone(held[len(held)-1])
			if o.takes {
				now = append(now, o.lock)
			} else {
				now = slices.DeleteFunc(now, func(l uint32) bool { return l == o.lock })
			}
			held = append(held, now)
		}
		r.held = append(r.held, held)
	}
	return r.visit(cut{})
}

// visit goes on from a cut.
func (r *reach) visit(c cut) bool {
	if r.seen[c] {
		return false
	}
	if *r.budget--; *r.budget < 0 {
		return false
	}
	r.seen[c] = true
	all := true
	for i, u := range r.uses {
		if int(c[i]) == len(u.segment) {
			continue
		}
		all = false
		if !r.enabled(c, i) {
			continue
		}
		next := c
		next[i]++
		if r.visit(next) {
			return true
		}
	}
	return all
}

// enabled reports whether a thread can do its next step.
func (r *reach) enabled(c cut, i int) bool {
	o := &r.uses[i].segment[c[i]]
	for k, v := range r.uses {
		if k == i {
			continue
		}
		if o.takes && slices.ContainsFunc(r.held[k][c[k]], func(l uint32) bool {
			return excludes(l, o.lock)
		}) {
			return false
		}
		if int(c[k]) < len(v.segment) && before(v.segment[c[k]].clock, o.clock) {
			return false
		}
	}
	return true
}
