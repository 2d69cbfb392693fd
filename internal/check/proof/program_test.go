// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package proof

import (
	"testing"

	"github.com/commutego/commute/internal/check/forest"
	"github.com/commutego/commute/internal/check/reorder"
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

// states is how many states of a program are gone through.
const states = 20000

// judge has a checker judge what a program leaves in a trace.
func judge(p *brute.Program, m forest.Method, size int) (*Checker, *Result) {
	c := New(p.Relation, m)
	c.size = size
	for i := range p.Piece.Steps {
		c.Take(&p.Piece.Events[i], p.Piece.Steps[i], false)
	}
	return c, c.Finish(true)
}

// known are the seeds of programs on which an earlier state of this package was wrong.
var known = []uint64{18182, 23229, 35767, 95360}

// A tally counts transactions, and programs of which all were proven.
type tally struct{ all, proven, alarms, whole, missed int }

// TestPrograms has small programs be judged by what they leave in a trace. What is proven must
// hold in all interleavings of what the programs did, and an alarm must be one in some.
// The programs have channels with buffers and values, a WaitGroup, atomic variables, locks with
// readers, attempts that fail, and accesses that the trace doesn't have.
func TestPrograms(t *testing.T) {
	testPrograms(t, programs()+uint64(len(known)), func(n uint64) (seed uint64, p *brute.Program) {
		switch {
		case n >= programs():
			seed = known[n-programs()]
			return seed, brute.RandomProgram(seed)
		case n%2 == 0:
			return n / 2, brute.RandomProgram(n / 2)
		}
		return n / 2, brute.NestedProgram(n / 2)
	})
}

// TestObjects does the same with channels of all kinds, a WaitGroup to which threads add, and a
// Cond, where the trace tells which object an operation is on.
func TestObjects(t *testing.T) {
	testPrograms(t, programs(), func(n uint64) (seed uint64, p *brute.Program) {
		if n%4 == 0 {
			return n, brute.NestedObjects(n, true)
		}
		return n, brute.ObjectProgram(n, true)
	})
}

// testPrograms judges so many programs.
func testPrograms(t *testing.T, programs uint64,
	program func(n uint64) (seed uint64, p *brute.Program)) {
	t.Helper()
	methods := []forest.Method{forest.Conflict, forest.View, forest.Block, forest.Reduction}
	var counts [forest.Printed]tally
	for n := range programs {
		seed, p := program(n)
		interrupted := make(map[[2]int32][2]bool)
		for _, m := range methods {
			_, r := judge(p, m, maxPiece)
			n, all := &counts[m], true
			proven := make(map[uint32]bool)
			for pos, k := range r.Marks {
				n.all += int(k.All)
				n.proven += int(k.Proven)
				n.alarms += int(k.Alarms)
				if k.Proven > 0 {
					proven[pos] = true
				}
				if k.Proven+k.Alarms > k.All {
					t.Fatalf("program %d: %+v doesn't add up%v", seed, k, p)
				}
				all = all && k.Proven == k.All
			}
			for i := range p.Piece.Steps {
				pos := p.Piece.Events[i].Pos
				if p.Piece.Steps[i].Op != reorder.Begin {
					continue
				}
				for k, locks := range []bool{false, true} {
					key := [2]int32{int32(i), int32(k)}
					was, ok := interrupted[key]
					if !ok {
						was[0], was[1] = p.Interrupted(int32(i), locks, states)
						interrupted[key] = was
					}
					if proven[pos] && was[0] && m != forest.Block {
						t.Fatalf("program %d, method %d, locks %v: the transaction at %d is "+
							"proven%v", seed, m, locks, i, p)
					}
					if !proven[pos] && was[1] && !was[0] && locks {
						n.missed++
					}
				}
			}
			if all && len(r.Marks) > 0 && m != forest.Block {
				n.whole++
				for _, locks := range []bool{false, true} {
					if found, _ := p.Interrupted(-1, locks, states); found {
						t.Fatalf("program %d, method %d, locks %v: all is proven%v", seed, m, locks,
							p)
					}
				}
			}
			if len(r.Alarms) > 0 {
				if found, ok := p.Interrupted(-1, false, 10*states); ok && !found {
					t.Fatalf("program %d, method %d: %v, %+v can't be%v", seed, m,
						r.Alarms[0].Witness, r.Alarms[0].Units, p)
				}
			}
		}
	}
	for _, m := range methods {
		t.Logf("method %d: %+v", m, counts[m])
		if n := counts[m]; n.proven < n.all/20 || n.alarms < n.all/50 {
			t.Errorf("method %d: that is one-sided", m)
		}
	}
}

// TestBudget wants pieces to share a budget, and without it no alarms and the same proofs.
func TestBudget(t *testing.T) {
	alarms, spent := 0, uint64(0)
	for seed := range uint64(2000) {
		p := brute.RandomProgram(seed)
		c, r := judge(p, forest.Conflict, 100)
		if alarms += len(r.Alarms); len(r.Alarms) > 0 && c.most.searches >= searches {
			t.Fatalf("program %d: an alarm took nothing", seed)
		}
		c = New(p.Relation, forest.Conflict)
		c.size = 100
		c.most.searches = 0
		if seed%2 == 1 {
			c.least.forest.Limit(0) // proofs may be missing, and that is told
		}
		for i := range p.Piece.Steps {
			c.Take(&p.Piece.Events[i], p.Piece.Steps[i], false)
		}
		none := c.Finish(true)
		if len(none.Alarms) > 0 {
			t.Fatalf("program %d: alarms without a budget", seed)
		}
		for pos, m := range r.Marks {
			n := none.Marks[pos]
			spent += n.Why[forest.Spent]
			if n.All != m.All || n.Proven+n.Why[forest.Spent] < m.Proven || n.Proven > m.Proven ||
				n.Alarms > 0 {
				t.Fatalf("program %d: %+v without a budget, %+v with one", seed, n, m)
			}
		}
	}
	if alarms < 10 || spent < 10 {
		t.Errorf("%d alarms, %d transactions for which the budget was used up", alarms, spent)
	}
}
