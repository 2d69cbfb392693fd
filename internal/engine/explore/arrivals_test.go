// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"math/rand"
	"slices"
	"testing"
)

// TestArrivals expects arrivals to be let in in one order, whatever the order in which they come.
func TestArrivals(t *testing.T) {
	run := func(order []int) (hash uint64, ids []uint32) {
		m := newMachine(t, "random-7", 12)
		for m.c.Pending() > 0 { // each comes to wait for input
			m.choose(0)
			m.blocked = append(m.blocked, m.holder)
		}
		for _, i := range order {
			m.c.Arrivals.Come(m.blocked[i])
		}
		m.c.Arrivals.Admit(&m.c)
		for m.c.Pending() > 0 {
			ids = append(ids, m.c.Choose(0))
		}
		r, _ := m.c.Done()
		return r.Hash, ids
	}
	r := rand.New(rand.NewSource(1))
	want, ids := run(r.Perm(12))
	for range 100 {
		if got, other := run(r.Perm(12)); got != want || !slices.Equal(other, ids) {
			t.Fatalf("%v in another order, then %v", ids, other)
		}
	}
}

// TestArrivalsSpin expects an arrival to be let in though a task that waits for it only yields.
func TestArrivalsSpin(t *testing.T) {
	for p := range policies {
		m := newMachine(t, p.String()+"-7", 2)
		m.choose(0)
		waits := m.holder
		m.choose(0)
		spins := m.holder
		m.c.Arrivals.Come(waits)
		for range 10 * admitIdle {
			m.c.Ready(spins)
			if m.c.Choose(0) == waits {
				waits = 0
				break
			}
		}
		if waits != 0 {
			t.Errorf("policy %v never lets it in", p)
		}
	}
}
