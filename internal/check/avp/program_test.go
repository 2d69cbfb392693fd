// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package avp

import (
	"testing"

	"github.com/commutego/commute/internal/check/reorder/brute"
	"github.com/commutego/commute/internal/longtest"
)

// programs is how many random programs there are.
func programs() uint64 {
	switch {
	case longtest.Asked():
		return 100000
	case testing.Short():
		return 500
	}
	return 4000
}

// TestPrograms has a checker look at what small programs leave in a trace, and wants the programs
// to be able to make each order that is found: with channels that have buffers and values, a
// WaitGroup, atomic variables, locks with readers, attempts that fail, and accesses that the trace
// doesn't have.
func TestPrograms(t *testing.T) {
	found, inWindows, missed, none := 0, 0, 0, 0
	for seed := range programs() {
		p := brute.RandomProgram(seed)
		list := look(t, seed, p, Options{Recorded: true})
		inWindows += len(look(t, seed, p, Options{Recorded: true, Window: 12}))
		violable, ok := p.Violable(30000)
		switch {
		case len(list) > 0:
			found++
		case ok && violable:
			missed++
		default:
			none++
		}
	}
	t.Logf("%d of %d programs: found, %d missed; %d found in windows", found, programs(), missed,
		inWindows)
	if found < 50 || none < 50 || inWindows < 5 {
		t.Error("that is one-sided")
	}
}

// look has a checker look at a program's trace, and proves what it finds.
func look(t *testing.T, seed uint64, p *brute.Program, o Options) (list []*Violation) {
	t.Helper()
	c := New(p.Relation, o, func(v *Violation) bool {
		list = append(list, v)
		return false
	})
	for i := range p.Piece.Steps {
		c.Take(&p.Piece.Events[i], p.Piece.Steps[i])
	}
	c.End()
	for _, err := range c.unproven {
		t.Fatalf("program %d: not proven: %v", seed, err)
	}
	if n := c.Counts; n.All != n.Filtered+n.Found+n.None+n.GaveUp {
		t.Fatalf("program %d: %+v doesn't add up", seed, n)
	}
	for _, v := range list {
		var order []int32
		for i := range int32(v.Witness.First) {
			order = append(order, i)
		}
		for _, s := range v.Witness.Events[v.Witness.Before:] {
			order = append(order, int32(s.Index))
		}
		if !p.Makes(order) {
			t.Fatalf("program %d can't make %v (%d states left)%v", seed, order, p.Nodes, p)
		}
	}
	return list
}
