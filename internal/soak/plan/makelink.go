// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package plan

import "slices"

// signal uses a link that g may signal, or a new one.
func (m *maker) signal(g int, waits bool) {
	for try := range 3 {
		l := len(m.p.Links)
		if try == 0 && l > 0 {
			l = m.r.IntN(l)
		} else {
			kind := m.kinds[m.r.IntN(len(m.kinds))]
			if properties[kind].meet {
				m.meet(g, kind, waits)
				return
			}
			m.newLink(kind)
		}
		if m.maySignal(g, l) {
			m.use[l].signals = append(m.use[l].signals, g)
			m.append(Op{G: g, Action: Signal, Link: l})
			return
		}
	}
}

func (m *maker) newLink(kind Kind) {
	m.p.Links = append(m.p.Links, Link{Kind: kind, Room: 1 + m.r.IntN(3)})
	m.use = append(m.use, uses{})
}

func (m *maker) maySignal(g, l int) bool {
	u, kind := &m.use[l], &properties[m.p.Links[l].Kind]
	if kind.meet || len(u.signals) >= kind.signals {
		return false
	}
	if kind.queue {
		if (m.in[g] >= 0 || m.p.Goroutines[g].Start.Collected()) &&
			len(u.signals) >= m.p.Links[l].Room {
			return false // it could have to wait, and must not
		}
		return (len(u.signals) == 0 || u.signals[0] == g) && !slices.Contains(u.waits, g) &&
			len(u.signals)-len(u.waits) < m.p.Links[l].Room
	}
	return len(u.waits) == 0
}

// wait waits for a link that another goroutine has signaled.
func (m *maker) wait(g int) {
	if len(m.p.Links) == 0 {
		return
	}
	for range 4 {
		l := m.r.IntN(len(m.p.Links))
		if m.mayWait(g, l) {
			m.use[l].waits = append(m.use[l].waits, g)
			m.append(Op{G: g, Action: Wait, Link: l})
			return
		}
	}
}

func (m *maker) mayWait(g, l int) bool {
	u, kind := &m.use[l], &properties[m.p.Links[l].Kind]
	if kind.meet || len(u.signals) == 0 || len(u.waits) >= kind.waits ||
		slices.Contains(u.signals, g) {
		return false
	}
	if kind.queue {
		return len(u.waits) < len(u.signals) && (len(u.waits) == 0 || u.waits[0] == g)
	}
	return !slices.Contains(u.waits, g)
}

// meet has two goroutines wait for each other.
func (m *maker) meet(g int, kind Kind, waits bool) {
	other := m.other(g)
	if !waits || other < 0 {
		return
	}
	m.newLink(kind)
	l := len(m.p.Links) - 1
	m.use[l] = uses{[]int{g}, []int{other}}
	m.append(Op{G: g, Action: Signal, Link: l})
	m.append(Op{G: other, Action: Wait, Link: l})
}

// other is another goroutine that may wait now, -1 if none is found. An iterator's goroutine waits
// within a Next, so it meets no goroutine that would have to wait for it to be resumed.
func (m *maker) other(g int) int {
	if m.p.Goroutines[g].Start == Pull {
		return -1
	}
	for range 4 {
		h := m.r.IntN(len(m.live))
		if h != g && m.live[h] && m.in[h] < 0 && !m.p.Goroutines[h].Start.Collected() {
			return h
		}
	}
	return -1
}

// transaction makes a transaction, with another goroutine that interferes or without one.
func (m *maker) transaction(g int) {
	if m.r.IntN(2) == 0 {
		for k := range m.p.Locks {
			if m.p.Locks[k].Txn && m.holders[k] == 0 && m.r.IntN(2) == 0 {
				m.append(Op{G: g, Action: Whole, Lock: k})
				return
			}
		}
		m.newTxn(0)
		m.append(Op{G: g, Action: Whole, Lock: len(m.p.Locks) - 1})
		return
	}
	if other := m.other(g); other >= 0 && !m.o.Silent {
		m.newTxn(1) // nobody else has it
		k := len(m.p.Locks) - 1
		m.append(Op{G: g, Action: Split, Lock: k})
		m.append(Op{G: other, Action: Meddle, Lock: k})
	}
}

func (m *maker) newTxn(holders int) {
	m.p.Locks = append(m.p.Locks, Lock{Txn: true})
	m.holders, m.guarded = append(m.holders, holders), append(m.guarded, nil)
}
