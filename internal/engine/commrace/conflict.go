// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commrace

// conflict reports whether two calls touch conflicting points, and don't commute.
func (t *Table) conflict(a, b *Action, s Sink) bool {
	ta, tb := t.touched(a.Method, a.beta), t.touched(b.Method, b.beta)
	return t.conflictingTouches(ta, a, tb, b) && !t.excepted(a, b, s)
}

// conflictingTouches reports whether a touch of call a, of those in ta, conflicts with a touch of
// call b, of those in tb.
func (t *Table) conflictingTouches(ta *touches, a *Action, tb *touches, b *Action) bool {
	for i := range ta.n {
		pt := &t.points[ta.all[i].point]
		for j := range tb.n {
			if pt.conflicts>>tb.all[j].point&1 != 0 &&
				(!pt.keyed || a.keys[ta.all[i].key] == b.keys[tb.all[j].key]) {
				return true
			}
		}
	}
	return false
}

// callSubsumes reports whether a touch of a subsumes one of c. If c has touched points of keys, one
// of those is meant.
func (t *Table) callSubsumes(a, c *Action) bool {
	ta, tc := t.touched(a.Method, a.beta), t.touched(c.Method, c.beta)
	keyed := false
	for i := range tc.n {
		keyed = keyed || tc.all[i].keyed
	}
	for i := range tc.n {
		x := &tc.all[i]
		for j := range ta.n {
			y := &ta.all[j]
			if x.keyed == keyed && t.points[y.point].subsumes>>x.point&1 != 0 &&
				(!keyed || a.keys[y.key] == c.keys[x.key]) {
				return true
			}
		}
	}
	return false
}
