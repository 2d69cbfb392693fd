// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commrace

// markNarrow finds the methods that are narrow, and for each set of touches the points without a
// key that it conflicts with.
func (t *Table) markNarrow() {
	for i := range t.methods {
		m := &t.Methods[i]
		m.narrow = m.oneKey()
		t.observersMove = t.observersMove || m.Callback && m.Role != Observer
		if m.Open { // their order is that of the turns at which they begin
			t.observersMove = true
		}
	}
	for again := true; again; {
		again = false
		global := t.narrowGlobals()
		for i := range t.methods {
			if m := &t.Methods[i]; m.narrow && t.conflicts(m)&global != 0 {
				m.narrow, again = false, true
			}
		}
	}
	global := uint64(0)
	for i := range t.points {
		if !t.points[i].keyed {
			global |= 1 << i
		}
	}
	for i := range t.methods {
		m := &t.Methods[i]
		for beta := range m.betas {
			t.setWide(m.touches(beta), m.nkeys, global)
		}
		t.setWide(&m.may, m.nkeys, global)
	}
}

// setWide finds the points that conflict with those of a set, those of them without a key, and the
// points that they subsume, for a method of so many keys. It also finds the list of the touch that
// is remembered.
func (t *Table) setWide(ts *touches, nkeys int, global uint64) {
	for i := range ts.n {
		p := &t.points[ts.all[i].point]
		ts.conflicts |= p.conflicts
		ts.subsumes |= p.subsumes
	}
	ts.wide = ts.conflicts & global
	for i := range ts.n {
		if tc := &ts.all[i]; tc.keyed || nkeys == 0 {
			ts.found = tc.index + 1
		}
	}
}

// oneKey reports whether all that m touches are points of one and the same key, and points without
// a key, and whether m is neither open nor calls back. It notes the key.
func (m *Method) oneKey() bool {
	found := false
	for beta := range m.betas {
		ts := m.touches(beta)
		for i := range ts.n {
			switch tc := &ts.all[i]; {
			case !tc.keyed:
			case found && m.stripeKey != tc.key:
				return false
			default:
				m.stripeKey, found = tc.key, true
			}
		}
	}
	return found && !m.Callback && !m.Open
}

// narrowGlobals is the set of points without a key that narrow methods touch.
func (t *Table) narrowGlobals() (set uint64) {
	for i := range t.methods {
		m := &t.Methods[i]
		for beta := range m.betas {
			for ts, j := m.touches(beta), 0; m.narrow && j < ts.n; j++ {
				if !ts.all[j].keyed {
					set |= 1 << ts.all[j].point
				}
			}
		}
	}
	return set
}

// conflicts is the set of points that conflict with what m may touch.
func (t *Table) conflicts(m *Method) (set uint64) {
	for beta := range m.betas {
		for ts, j := m.touches(beta), 0; j < ts.n; j++ {
			set |= t.points[ts.all[j].point].conflicts
		}
	}
	return set
}
