// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commrace

// What option conc_cover asks of a specification: which calls, and which methods, may conflict.

// Keys is how many keys a call has at most.
const Keys = maxKeys

// Meet reports whether two calls conflict: they touch points that do. Each has a method, the case
// of its specification, and keys. A case that the method doesn't have stands for all of them.
// O(points that the two touch).
func (t *Table) Meet(m, beta uint32, keys *[Keys]uint64, n, gamma uint32,
	others *[Keys]uint64) bool {
	a, b := &t.Methods[m], &t.Methods[n]
	if a.narrow && b.narrow && keys[a.stripeKey] != others[b.stripeKey] {
		return false // narrow calls meet in points of one key only
	}
	ta, tb := t.touched(m, beta), t.touched(n, gamma)
	for i := range ta.n {
		a := &ta.all[i]
		conflicts := t.points[a.point].conflicts
		for j := range tb.n {
			b := &tb.all[j]
			if conflicts>>b.point&1 != 0 && (!a.keyed || keys[a.key] == others[b.key]) {
				return true
			}
		}
	}
	return false
}

// MayMeet reports whether there are calls of two methods that conflict.
func (t *Table) MayMeet(m, n uint32) bool {
	ta, tb := &t.Methods[m].may, &t.Methods[n].may
	for i := range ta.n {
		for j := range tb.n {
			if t.points[ta.all[i].point].conflicts>>tb.all[j].point&1 != 0 {
				return true
			}
		}
	}
	return false
}
