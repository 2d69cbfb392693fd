// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package forest

// A viewer tells which links of a transaction matter to what reads see and what is written last:
// figure 5 of the paper. A conflict that isn't one of these is no node there.
type viewer struct {
	*analysis
	t      uint32
	u      *unit
	budget int // of pairs; without, all conflicts count
}

// viewed reports whether a link is one in the view forest, for some access of its group.
func (w *viewer) viewed(l *link) bool {
	e := l.access
	if e.item&1 == 1 {
		return true // what calls see isn't known
	}
	for i := range l.group.columns {
		col := &l.group.columns[i]
		for _, r := range w.refs(col, w.t, e.frame.stretch) {
			v := w.nodes[col.thread][r.node].unit
			for k := range v.accesses {
				f := &v.accesses[k]
				if f.item != e.item || f.kind != l.group.kind || f.frame.locks != l.group.locks ||
					f.frame.stretch != r.stretch {
					continue
				}
				if w.budget--; w.budget < 0 || w.edge(e, f, v, col.thread) {
					return true
				}
			}
		}
	}
	return false
}

// needsConflict reports whether the view forest proves nothing of the transaction: an access
// outside of transactions conflicts with it and holds a lock, so no serial trace may have that
// order.
func (w *viewer) needsConflict() (needs bool) {
	w.links(w.t, w.u, func(l *link) bool {
		needs = l.group.outside && w.any(l.group, w.t, l.access.frame.stretch)
		return !needs
	})
	return needs
}

// edge reports whether an access e of the transaction and f of another unit have an edge.
func (w *viewer) edge(e, f *access, v *unit, thread uint32) bool {
	switch {
	case w.u.blurred || v.blurred:
		return true
	case e.kind == 0:
		return w.sees(w.u, e, f)
	case f.kind == 0:
		return w.sees(v, f, e)
	}
	if w.u.lastWrite(e.item) == e && v.lastWrite(f.item) == f {
		return true
	}
	return w.reader(w.u, e, f) || w.reader(v, f, e) || w.third(e, f, thread)
}

// sees reports whether a read of a unit can see a concurrent write of another one: not if they have
// a common lock, and the read comes after a write of its own in that section.
func (w *viewer) sees(u *unit, read, write *access) bool {
	lock, locked := w.locks.choose(read.frame.locks, write.frame.locks)
	if !locked {
		return true
	}
	s := u.interval(read, lock, true)
	own := u.writeBefore(read)
	return own == nil || own.pos < s.first
}

// reader reports whether a read of a unit can see the unit's own write e, and f of another one.
func (w *viewer) reader(u *unit, e, f *access) bool {
	for i := range u.accesses {
		r := &u.accesses[i]
		if r.item == e.item && r.kind == 0 && u.writeBefore(r) == e && w.sees(u, r, f) {
			return true
		}
	}
	return false
}

// third reports whether a read of a further unit can see both a write of the transaction and one of
// another thread.
func (w *viewer) third(e, f *access, thread uint32) bool {
	groups := w.groupsOf(e.item)
	for k := range groups {
		g := &groups[k]
		if g.kind != 0 {
			continue
		}
		for i := range g.columns {
			col := &g.columns[i]
			for _, r := range col.refs {
				if w.budget--; w.budget < 0 {
					return true
				}
				u := w.nodes[col.thread][r.node].unit
				for n := range u.accesses {
					if x := &u.accesses[n]; x.item == e.item && x.kind == 0 &&
						w.canSee(col.thread, u, x, w.t, e) &&
						w.canSee(col.thread, u, x, thread, f) {
						return true
					}
				}
			}
		}
	}
	return false
}

// canSee reports whether a read of a thread can see a write of another: one that comes before it,
// or one that is concurrent.
func (w *viewer) canSee(thread uint32, u *unit, read *access, of uint32, write *access) bool {
	if thread == of {
		return false
	}
	if !w.ordered {
		return w.sees(u, read, write)
	}
	s := w.concurrent(thread, read.frame.stretch, of)
	return write.frame.stretch < s.lo || write.frame.stretch < s.hi && w.sees(u, read, write)
}

// lastWrite is the last write of a variable in a unit.
func (u *unit) lastWrite(item uint32) (last *access) {
	for i := range u.accesses {
		if e := &u.accesses[i]; e.item == item && e.kind == 1 {
			last = e
		}
	}
	return last
}

// writeBefore is the last write of what a read reads that is before it in its unit.
func (u *unit) writeBefore(read *access) (last *access) {
	for i := range u.accesses {
		if e := &u.accesses[i]; e.item == read.item && e.kind == 1 && e.pos < read.pos {
			last = e
		}
	}
	return last
}
