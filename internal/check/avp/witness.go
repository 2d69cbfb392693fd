// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package avp

import (
	"errors"
	"fmt"
	"slices"

	"github.com/commutego/commute/internal/check/reorder"
	"github.com/commutego/commute/internal/check/velodrome"
	"github.com/commutego/commute/internal/event"
)

// A Violation is a transaction that is not serializable in some order.
type Violation struct {
	// Cycle begins with the transaction. Indexes are those of the trace.
	Cycle    velodrome.Cycle
	Observed bool // it is not serializable as it happened
	Witness  Witness

	// Places are the positions of the begin of the transaction and of the two events that conflict
	// with it, out and in. A checker reports one violation for each three places.
	Places [3]uint32
}

// A Witness is an order of events of a trace. The first Before events are begins of transactions
// and acquires of locks from before the window. The first Prefix events are in the trace's order.
type Witness struct {
	Events         []event.Step
	Before, Prefix int
	First          uint64 // the trace's index of the first event after those
	Switches       int    // of threads, after the prefix
	Broken         []int  // the events that see another write than in the trace
}

// errNoCycle is the error of an order that is not what it was found for.
var errNoCycle = errors.New("avp: no cycle")

// Budgets of states: for a witness with a number of switches, and the part of that of a window
// which is for all its witnesses. When that is used up, witnesses are told with the switches with
// which they were found.
const (
	minimize   = 2000
	minimizing = 5
)

// maxSwitches is more than are tried.
const maxSwitches = 9

// newViolation makes a violation of an order in which a transaction is on cycle c. The result has
// passed Validate, and package frontier has found a cycle in it. What it takes of a budget of
// states to have few switches is taken off.
func newViolation(s *reorder.Segment, order []int32, target int32, c *cycle, states *int,
) (*Violation, error) {
	whole := s
	v := reorder.NewValidator(s.Piece, s.Relation)
	if order = order[:c.closed]; prefix(order) < len(order) {
		if s, order, target, c = tail(s, order, target, c); s != whole {
			whole, v = s, reorder.NewValidator(s.Piece, s.Relation)
		}
		order = shrink(s, v, order, target, c)
		order = fewest(s, order, target, states)
		if c = cycleOf(s, order, target); c == nil {
			return nil, fmt.Errorf("avp: a shorter order has no cycle")
		}
	}
	if s, order, target, c = tail(s, order[:c.closed], target, c); s != whole {
		v = reorder.NewValidator(s.Piece, s.Relation)
		if c = cycleOf(s, order, target); c == nil {
			return nil, fmt.Errorf("avp: the end of an order has no cycle")
		}
	}
	if err := v.Validate(order); err != nil {
		return nil, fmt.Errorf("avp: %w", err)
	}
	if _, ok := newJudge(s).cycle(order); !ok {
		return nil, fmt.Errorf("avp: package frontier finds no cycle")
	}
	return violation(s, order, c), nil
}

// tail leaves out what an order has before the first transaction of a cycle, if that is as in the
// trace: it becomes what was before the piece. What comes after the order's steps is left out, too,
// but for recorded traces, where blocks may end there.
func tail(s *reorder.Segment, order []int32, target int32, c *cycle) (*reorder.Segment, []int32,
	int32, *cycle) {
	lo, hi := prefix(order), len(s.Steps)
	for _, e := range c.edges {
		for _, i := range []int32{e.tail, e.head} {
			lo = min(lo, int(i))
			if first := s.Of[s.Thread[i]][s.Start[i]]; int(first) >= s.Before {
				lo = min(lo, int(first))
			}
		}
	}
	if lo <= s.Before {
		return s, order, target, c
	}
	if !s.Recorded {
		hi = int(slices.Max(order)) + 1
	}
	p := s.Piece.Cut(lo, hi)
	move := int32(p.Before - lo)
	moved := &cycle{closed: c.closed + int(move)}
	for _, e := range c.edges {
		moved.edges = append(moved.edges, edge{e.tail + move, e.head + move})
	}
	var rest []int32
	for i := range p.Before {
		rest = append(rest, int32(i))
		if p.Old[i] == s.Index(target) && p.Steps[i].Op == reorder.Begin {
			target = int32(i) - move
		}
	}
	for _, i := range order[lo:] {
		rest = append(rest, i+move)
	}
	return reorder.NewSegment(p, s.Relation), rest, target + move, moved
}

// prefix is how many of an order's steps are as in the trace, one after the other.
func prefix(order []int32) int {
	n := 0
	for n < len(order) && order[n] == int32(n) {
		n++
	}
	return n
}

// switches is how often another thread goes on, after the prefix.
func switches(s *reorder.Segment, order []int32) (n int) {
	for i := prefix(order) + 1; i < len(order); i++ {
		if s.Thread[order[i]] != s.Thread[order[i-1]] {
			n++
		}
	}
	return n
}

// fewest is an order of steps of another one with a cycle through the same transaction, and with
// fewer switches if one is found.
func fewest(s *reorder.Segment, order []int32, target int32, states *int) []int32 {
	fixed := order[:max(prefix(order), s.Before)]
	limit := make(reorder.Cut, s.Threads)
	for _, i := range order {
		limit[s.Thread[i]]++
	}
	for most := 1; most < min(switches(s, order), maxSwitches) && *states > 0; most++ {
		x := newSearch(s, minimize)
		x.target = target
		x.Limit = limit
		x.follow(fixed[s.Before:])
		x.switches = most
		found := x.visit()
		*states -= minimize - max(x.budget, 0)
		if found {
			return x.Order()
		}
	}
	return order
}

// leftOut reports whether a step is left out of what is told: it is an access from before the
// piece, or was none by the program.
func leftOut(s *reorder.Segment, i int32) bool {
	step := &s.Steps[i]
	access := step.Op == reorder.Read || step.Op == reorder.Write
	return s.Recorded && (step.Apart(&s.Events[i]) || access && int(i) < s.Before)
}

// violation is an order in the trace's words.
func violation(s *reorder.Segment, order []int32, c *cycle) *Violation {
	step := func(i int32) event.Step { return event.Step{Index: s.Index(i), Event: s.Events[i]} }
	v := &Violation{Observed: prefix(order) == len(order)}
	v.Witness.Switches, v.Witness.First = switches(s, order), s.First
	broken := s.Broken(order)
	for n, i := range order {
		if leftOut(s, i) {
			continue
		}
		if slices.Contains(broken, i) {
			v.Witness.Broken = append(v.Witness.Broken, len(v.Witness.Events))
		}
		v.Witness.Events = append(v.Witness.Events, step(i))
		if int(i) < s.Before {
			v.Witness.Before++
		}
		if n < prefix(order) {
			v.Witness.Prefix++
		}
	}
	for _, e := range c.edges {
		v.Cycle.Transactions = append(v.Cycle.Transactions, transaction(s, e.tail))
		v.Cycle.Edges = append(v.Cycle.Edges, velodrome.Edge{
			Tail: velodrome.Step(step(e.tail)), Head: velodrome.Step(step(e.head)),
		})
	}
	return v
}
