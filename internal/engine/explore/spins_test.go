// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import "testing"

// TestSpins has a holder make system calls in a row: after some it lets others run, who are held no
// longer, and who come are let in. A decision begins a new row.
func TestSpins(t *testing.T) {
	m := newMachine(t, "first-1", 3)
	c := &m.c
	for row := range 2 {
		for n := 1; n < CallsMost; n++ {
			if c.Arrivals.Back() {
				t.Fatalf("row %d: after %d calls others are to run", row, n)
			}
		}
		c.Choose(0)
	}
	for n := 1; n <= 3*CallsMost; n++ {
		if got, want := c.Arrivals.Back(), n%CallsMost == 0; got != want {
			t.Fatalf("after %d calls others are to run: %v, want %v", n, got, want)
		}
	}
	held := *c.pending.at(0)
	c.Task(held).held = true
	c.holds.add(held)
	came := c.New(99, 0)
	c.Arrivals.Come(came)
	c.Steps.broken = false
	if !c.Steps.On() {
		t.Fatal("steps are not written down")
	}
	c.Spins()
	if c.Steps.On() {
		t.Error("steps go on, though the system has decided that others run")
	}
	if c.Task(held).held || c.holds.n != 0 {
		t.Error("a task is held, though who runs may wait for it")
	}
	if !c.Pace.Due() {
		t.Error("arrivals are not let in")
	}
	if c.Choose(0); !c.Task(came).pending && c.Pace.Due() {
		t.Error("the one that has come is not let in, or the next choice is due, too")
	}
}
