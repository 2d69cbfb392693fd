// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import "math/rand"

// maxProcs is as many as a set of processors in a word can have.
const maxProcs = 64

// params are the calls, and what they cost in nanoseconds.
type params struct {
	calls, keys            int
	own, outside, transfer int64
	again                  int64 // of a Load that is remembered, in place of own
}

// A state is that of a line: the set of processors that have a copy of it. Who writes it has the
// only one.
type state struct{ copies uint64 }

// A machine is the caches, and for each key and stripe the processor that came last.
type machine struct {
	lines        map[line]*state
	last, lastIn []int
	stores       []int // by key: how many there were
	// By processor and key: the stores at the processor's last call that has locked, and 1.
	seen  [maxProcs][]int
	moved int64 // lines that have come from other processors
}

func newMachine(keys, parts int) *machine {
	m := &machine{lines: make(map[line]*state), last: make([]int, keys),
		lastIn: make([]int, parts), stores: make([]int, keys)}
	for p := range m.seen {
		m.seen[p] = make([]int, keys)
	}
	return m
}

// access is a processor's access to a line.
func (m *machine) access(p int, l line, write bool) {
	s := m.lines[l]
	if s == nil {
		s = new(state)
		m.lines[l] = s
	}
	me := uint64(1) << p
	if others := s.copies &^ me; others != 0 && (write || s.copies&me == 0) {
		m.moved++
	}
	if write {
		s.copies = me
		return
	}
	s.copies |= me
}

// A cost is what a call takes on average: transfers, and the nanoseconds between two calls.
type cost struct{ transfers, ns float64 }

// simulate has n processors make calls of an object with a number of stripes. The processor whose
// time is the least goes next, and waits until the lock of its stripe is free. If they remember
// Loads, those that were remembered need no lock. O(calls * n).
func simulate(p params, n, parts int, remember bool) cost {
	r := rand.New(rand.NewSource(1))
	m := newMachine(p.keys, parts)
	now, free, done := make([]int64, n), make([]int64, parts), make([]int, n)
	for left := n; left > 0; {
		who := next(now, done, p.calls)
		now[who] += p.outside/2 + r.Int63n(p.outside+1)
		key := r.Intn(p.keys)
		part := key % parts
		store := r.Intn(16) == 0
		before := m.moved
		if remember && !store && m.seen[who][key] == m.stores[key]+1 {
			m.again(who, key, parts)
			now[who] += p.again + (m.moved-before)*p.transfer
		} else {
			now[who] = max(now[who], free[part])
			m.access(who, line{kind: lockLine, index: part}, true)
			m.call(who, key, parts, store)
			now[who] += p.own + (m.moved-before)*p.transfer
			free[part] = now[who]
		}
		if done[who]++; done[who] == p.calls {
			left--
		}
	}
	end := int64(0)
	for _, t := range now {
		end = max(end, t)
	}
	calls := float64(n) * float64(p.calls)
	return cost{float64(m.moved) / calls, float64(end) / calls}
}

// next is the processor with the least time, of those that have calls left.
func next(now []int64, done []int, calls int) int {
	who := -1
	for i, t := range now {
		if done[i] < calls && (who < 0 || t < now[who]) {
			who = i
		}
	}
	return who
}
