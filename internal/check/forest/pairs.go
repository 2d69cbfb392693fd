// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package forest

// pairs tells of units of other threads that have conflicts with two nodes of the transaction, one
// wholly before the other, until arrived says that it is enough. It reports whether there was
// budget for all.
func (s *search) pairs(arrived func(exit, in crossing) bool) (done bool) {
	s.arrived = func(_, in crossing) bool {
		out, ok := s.earlier(in)
		return ok && arrived(out, in)
	}
	s.direct = true
	for v := range s.nodes {
		for i := s.window[v].lo; i < s.window[v].hi && !s.stopped; i++ {
			u := s.nodes[v][i].unit
			if s.budget -= 1 + len(u.accesses)/4; s.budget < 0 {
				return false
			}
			s.back(nodeID{uint32(v), i}, u)
		}
	}
	return true
}

// earlier is an out-node that ends before an in-node, to the unit by which that is entered.
func (s *search) earlier(in crossing) (out crossing, ok bool) {
	u := s.nodes[in.other.thread][in.other.number]
	for i := range u.accesses {
		e := &u.accesses[i]
		for k := range s.own[e.item] {
			l := &s.own[e.item][k]
			if l.last < in.first && s.meets(l, in.other.thread, e) {
				return crossing{interval: l.interval, lock: l.lock, locked: l.locked,
					access: l.access, other: in.other}, true
			}
		}
	}
	for i := range s.u.steps {
		p := &s.u.steps[i]
		if p.out && s.crosses(p) && p.pos < in.first &&
			s.before(s.t, p.stretch, in.other.thread, u.end) {
			return crossing{interval: interval{p.pos, p.pos}, step: p, other: in.other}, true
		}
	}
	return crossing{}, false
}

// meets reports whether an access of another thread is one that a link is for, and concurrent.
func (s *search) meets(l *link, v uint32, e *access) bool {
	if l.group.kind != e.kind || l.group.locks != e.frame.locks {
		return false
	}
	if !s.ordered {
		return true
	}
	w := s.concurrent(s.t, l.access.frame.stretch, v)
	return w.lo <= e.frame.stretch && e.frame.stretch < w.hi
}
