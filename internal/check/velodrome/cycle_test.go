// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package velodrome

import (
	"fmt"
	"testing"

	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace/tracegen"
)

// wrong is the error in a cycle that was found at event i, nil if there is none.
func wrong(c Cycle, graph *tracegen.Oracle, tr tracegen.Trace, i int) error {
	n := len(c.Transactions)
	if n < 2 || len(c.Edges) != n {
		return fmt.Errorf("%d transactions and %d edges", n, len(c.Edges))
	}
	seen := map[uint64]bool{}
	for k, from := range c.Transactions {
		to, e := c.Transactions[(k+1)%n], c.Edges[k]
		switch {
		case seen[from.First]:
			return fmt.Errorf("transaction %+v is there twice", from)
		case e.Tail.Index >= e.Head.Index:
			return fmt.Errorf("edge %d leads back in time", k)
		case e.Tail.Event != tr.Events[e.Tail.Index] || e.Head.Event != tr.Events[e.Head.Index]:
			return fmt.Errorf("edge %d has events that are not those of the stream", k)
		case graph.Transaction(e.Tail.Index) != from:
			return fmt.Errorf("the tail of edge %d is in %+v, not in %+v", k,
				graph.Transaction(e.Tail.Index), from)
		case graph.Transaction(e.Head.Index) != to:
			return fmt.Errorf("the head of edge %d is in %+v, not in %+v", k,
				graph.Transaction(e.Head.Index), to)
		case !graph.Conflict(int(e.Tail.Index), int(e.Head.Index)):
			return fmt.Errorf("the events of edge %d don't conflict", k)
		case k > 0 && programOrder(e.Tail, e.Head) &&
			programOrder(c.Edges[k-1].Tail, c.Edges[k-1].Head):
			return fmt.Errorf("edges %d and %d could be one", k-1, k)
		}
		seen[from.First] = true
	}
	if last := c.Edges[n-1].Head.Index; last != uint64(i) {
		return fmt.Errorf("the cycle is closed by event %d, and was found at %d", last, i)
	}
	return nil
}

// TestCyclesAreCycles wants each cycle to be one by the definitions of package event.
func TestCyclesAreCycles(t *testing.T) {
	var cycles, unary, long, programOrders int
	tracegen.Each(t, 15000, func(tr tracegen.Trace) error {
		v, graph := New(tr.Relation), tracegen.NewOracle(tr.Relation)
		for i := range tr.Events {
			e := &tr.Events[i]
			inV, inGraph := v.Event(e), graph.Event(e)
			if inV != inGraph {
				return fmt.Errorf("event %d: Velodrome says %v, the graph %v", i, inV, inGraph)
			}
			if !inV {
				continue
			}
			if err := wrong(v.Cycle(), graph, tr, i); err != nil {
				return fmt.Errorf("event %d: %v:\n%v", i, err, v.Cycle())
			}
			cycles++
			if len(v.Cycle().Edges) > 2 {
				long++
			}
			for k, e := range v.Cycle().Edges {
				if !v.Cycle().Transactions[k].Marked {
					unary++
				}
				if e.Tail.Event.Thread == e.Head.Event.Thread {
					programOrders++
				}
			}
		}
		return nil
	})
	t.Logf("%d cycles, %d of more than two transactions, %d unary transactions, %d edges of "+
		"program order",
		cycles, long, unary, programOrders)
	if long == 0 || unary == 0 || programOrders == 0 {
		t.Error("some kind of cycle is missing")
	}
}

// events makes a stream, each event with a Pos ten times its index.
func events(list ...event.Event) []event.Event {
	for i := range list {
		list[i].Pos = uint32(10 * i)
	}
	return list
}

func run(c *Checker, list []event.Event) (at []int) {
	for i := range list {
		if c.Event(&list[i]) {
			at = append(at, i)
		}
	}
	return at
}

// TestShortestCycle has a cycle of two transactions and one of three.
func TestShortestCycle(t *testing.T) {
	list := events(
		event.Event{Op: event.Begin, Thread: 1},
		event.Event{Op: event.Write, Thread: 1, Target: 1},
		event.Event{Op: event.Begin, Thread: 2},
		event.Event{Op: event.Read, Thread: 2, Target: 1}, // 1 -> 2
		event.Event{Op: event.Write, Thread: 2, Target: 2},
		event.Event{Op: event.Begin, Thread: 3},
		event.Event{Op: event.Read, Thread: 3, Target: 2}, // 2 -> 3
		event.Event{Op: event.Read, Thread: 3, Target: 1}, // 1 -> 3
		event.Event{Op: event.Write, Thread: 3, Target: 3},
		event.Event{Op: event.Read, Thread: 1, Target: 3}, // 3 -> 1
	)
	c := New(nil)
	if at := run(c, list); len(at) != 1 || at[0] != 9 {
		t.Fatalf("violations at %v, want one at 9", at)
	}
	const want = "thread 1, marked 1, from event 0: event 1 (thread 1: write 1) before event 7 " +
		"(thread 3: read 1)\n" +
		"thread 3, marked 1, from event 5: event 8 (thread 3: write 3) before event 9 (thread 1: " +
		"read 3)\n"
	if got := c.Cycle().String(); got != want {
		t.Errorf("the cycle is\n%swant\n%s", got, want)
	}
	if first := (event.Transaction{Thread: 1, Number: 1, Marked: true}); c.Violation() != first {
		t.Errorf("the violating transaction is %+v, want %+v", c.Violation(), first)
	}
}

// TestUnaryTransactionsAreSeparated has a path that enters at one unary event and leaves from the
// next, which shares its node.
func TestUnaryTransactionsAreSeparated(t *testing.T) {
	list := events(
		event.Event{Op: event.Begin, Thread: 1},
		event.Event{Op: event.Write, Thread: 1, Target: 1},
		event.Event{Op: event.Read, Thread: 2, Target: 1},
		event.Event{Op: event.Write, Thread: 2, Target: 2},
		event.Event{Op: event.Read, Thread: 1, Target: 2},
	)
	c := New(nil)
	if at := run(c, list); len(at) != 1 || at[0] != 4 {
		t.Fatalf("violations at %v, want one at 4", at)
	}
	if len(c.nodes) != 2 {
		t.Errorf("%d nodes, want one for the marked and one for both unary transactions",
			len(c.nodes))
	}
	const want = "thread 1, marked 1, from event 0: event 1 (thread 1: write 1) before event 2 " +
		"(thread 2: read 1)\n" +
		"thread 2, unary, from event 2: event 2 (thread 2: read 1) before event 3 (thread 2: " +
		"write 2)\n" +
		"thread 2, unary, from event 3: event 3 (thread 2: write 2) before event 4 (thread 1: " +
		"read 2)\n"
	if got := c.Cycle().String(); got != want {
		t.Errorf("the cycle is\n%swant\n%s", got, want)
	}
}

// TestEdgesAreAddedOnce has several events of two transactions that conflict.
func TestEdgesAreAddedOnce(t *testing.T) {
	c := New(nil)
	run(c, tracegen.Parse("1> 1wa 1wb 1wc 2> 2ra 2rb 2wc 2< 2ra 2> 2ra"))
	if n := len(c.threads[1].node.out); n != 1 {
		t.Errorf("%d edges, want one: the others follow from it", n)
	}
	c = New(nil)
	run(c, tracegen.Parse("1> 1wa 1wb 2ra 2rb 2ra"))
	if n := len(c.nodes); n != 2 {
		t.Errorf("%d nodes, want one for the unary transactions: only the first has an edge of "+
			"its own", n)
	}
}

// TestGarbageCollection wants the graph to stay small, before and after a cycle.
func TestGarbageCollection(t *testing.T) {
	c := New(nil)
	greatest := 0
	rounds := func() {
		greatest = 0
		for i := range uint32(5000) {
			for _, e := range []event.Event{
				{Op: event.Begin, Thread: i % 3},
				{Op: event.Write, Thread: i % 3, Target: 1},
				{Op: event.Read, Thread: 3, Target: 1},
				{Op: event.End, Thread: i % 3},
				{Op: event.Read, Thread: i % 3, Target: 1},
			} {
				c.Event(&e)
				greatest = max(greatest, len(c.nodes))
			}
		}
	}
	rounds()
	if greatest > 4 {
		t.Errorf("the graph has grown to %d nodes, before any cycle", greatest)
	}
	run(c, events(
		event.Event{Op: event.Begin, Thread: 0},
		event.Event{Op: event.Write, Thread: 0, Target: 1},
		event.Event{Op: event.Write, Thread: 1, Target: 1},
		event.Event{Op: event.Read, Thread: 0, Target: 1},
		event.Event{Op: event.End, Thread: 0},
	))
	if !c.cyclic {
		t.Fatal("no cycle was found")
	}
	rounds()
	if greatest > 2*minSweep {
		t.Errorf("the graph has grown to %d nodes, after a cycle", greatest)
	}
}
