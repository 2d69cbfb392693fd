// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package forest

// printed is theorem 4.3 as printed: no two nodes of the unit that don't contain each other are on
// a cycle of conflicts in either direction. Program order counts for nothing, so a cycle by way of
// two units of one thread is missed.
func (a *analysis) printed(t uint32, u *unit) bool {
	s := newSearch(a, t, u, nil)
	for _, out := range s.outs() {
		seen := make(map[nodeID]bool)
		var list []nodeID
		for i := range out.links {
			list = a.beyond(list, seen, t, out.links[i].access, out.links[i].group, t)
		}
		for len(list) > 0 {
			n := list[len(list)-1]
			list = list[:len(list)-1]
			other := a.nodes[n.thread][n.number].unit
			for i := range other.accesses {
				e := &other.accesses[i]
				for k := range s.own[e.item] {
					l := &s.own[e.item][k]
					if s.meets(l, n.thread, e) && !l.within(out.interval) &&
						!out.within(l.interval) {
						return false
					}
				}
				groups := a.groupsOf(e.item)
				for k := range groups {
					if g := &groups[k]; a.conflict(e.item, e.kind, g.kind) {
						list = a.beyond(list, seen, n.thread, e, g, t)
					}
				}
			}
		}
	}
	return true
}

func (i interval) within(j interval) bool { return j.first <= i.first && i.last <= j.last }

// beyond adds the units, but for those of one thread, to which an access has conflicts of a group.
func (a *analysis) beyond(list []nodeID, seen map[nodeID]bool, thread uint32, e *access, g *group,
	without uint32) []nodeID {
	for i := range g.columns {
		col := &g.columns[i]
		if col.thread == without {
			continue
		}
		for _, r := range a.refs(col, thread, e.frame.stretch) {
			if n := (nodeID{col.thread, r.node}); !seen[n] {
				seen[n] = true
				list = append(list, n)
			}
		}
	}
	return list
}
