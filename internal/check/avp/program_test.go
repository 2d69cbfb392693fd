// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package avp

import (
	"slices"
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
	return 2000
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

// TestObjects does the same with channels of all kinds, a WaitGroup to which threads add, and a
// Cond, where the trace tells which object an operation is on. More is found than without.
func TestObjects(t *testing.T) {
	found, gained, lost, missed, none := 0, 0, 0, 0, 0
	for seed := range programs() {
		p := brute.ObjectProgram(seed, true)
		list := look(t, seed, p, Options{Recorded: true})
		look(t, seed, p, Options{Recorded: true, Window: 12})
		if len(list) > 0 {
			found++
		} else if violable, ok := p.Violable(5000); ok && violable {
			missed++
		} else {
			none++
		}
		q := brute.ObjectProgram(seed, false)
		if q.Length() != p.Length() {
			continue // it was cut off elsewhere
		}
		old, _ := checked(q, Options{Recorded: true})
		old = slices.DeleteFunc(old, func(v *Violation) bool { return !q.Makes(orderOf(v)) })
		switch {
		case len(list) > 0 && len(old) == 0:
			gained++
		case len(list) == 0 && len(old) > 0:
			lost++
		}
	}
	t.Logf("%d of %d programs: found, %d more and %d less than without objects; %d missed", found,
		programs(), gained, lost, missed)
	if found < int(programs()/20) || none < 50 || gained == 0 {
		t.Error("that is one-sided")
	}
}

// orderOf is the order of a violation, from the beginning of the trace on.
func orderOf(v *Violation) (order []int32) {
	for i := range int32(v.Witness.First) {
		order = append(order, i)
	}
	for _, s := range v.Witness.Events[v.Witness.Before:] {
		order = append(order, int32(s.Index))
	}
	return order
}

// checked has a checker look at a program's trace.
func checked(p *brute.Program, o Options) (list []*Violation, c *Checker) {
	c = New(p.Relation, o, func(v *Violation) bool {
		list = append(list, v)
		return false
	})
	for i := range p.Piece.Steps {
		c.Take(&p.Piece.Events[i], p.Piece.Steps[i])
	}
	c.End()
	return list, c
}

// look has a checker look at a program's trace, and proves what it finds.
func look(t *testing.T, seed uint64, p *brute.Program, o Options) []*Violation {
	t.Helper()
	list, c := checked(p, o)
	for _, err := range c.unproven {
		t.Fatalf("program %d: not proven: %v", seed, err)
	}
	if n := c.Counts; n.All != n.Filtered+n.Found+n.None+n.GaveUp {
		t.Fatalf("program %d: %+v doesn't add up", seed, n)
	}
	for _, v := range list {
		if order := orderOf(v); !p.Makes(order) {
			t.Fatalf("program %d can't make %v (%d states left)%v", seed, order, p.Nodes, p)
		}
	}
	return list
}
