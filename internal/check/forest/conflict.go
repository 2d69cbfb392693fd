// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package forest

// A link is a node of a transaction for one group of conflicting accesses of other threads.
type link struct {
	interval
	access *access
	group  *group
	lock   uint32
	locked bool
}

// links has each link of a unit of thread t, until f returns false. A link is good for one call.
func (a *analysis) links(t uint32, u *unit, f func(*link) bool) {
	l := &a.link // it is used by one at a time
	for i := range u.accesses {
		e := &u.accesses[i]
		groups := a.groupsOf(e.item)
		for k := range groups {
			g := &groups[k]
			if !a.conflict(e.item, e.kind, g.kind) {
				continue
			}
			lock, locked := a.locks.choose(e.frame.locks, g.locks)
			*l = link{u.interval(e, lock, locked), e, g, lock, locked}
			if !f(l) {
				return
			}
		}
	}
}

// common is the first condition: the positions that all nodes of a unit have in common. Steps of
// must-order are nodes, too. If w is not nil, only what it has in view counts.
func (a *analysis) common(t uint32, u *unit, w *viewer) interval {
	all := interval{0, u.last}
	for i := range u.steps {
		s := &u.steps[i]
		if !a.crosses(s) {
			continue
		}
		all = all.meet(interval{s.pos, s.pos})
	}
	if all.empty() {
		return all
	}
	a.links(t, u, func(l *link) bool {
		if l.first <= all.first && all.last <= l.last {
			return true // whether it is a node makes no difference
		}
		if a.any(l.group, t, l.access.frame.stretch) && (w == nil || w.viewed(l)) {
			all = all.meet(l.interval)
		}
		return !all.empty()
	})
	return all
}
