// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package tracegen

import "github.com/commutego/commute/internal/event"

// An Oracle has all events and the whole transaction graph, with an edge for every two events that
// conflict. It is slow: O(n) for each event, and O(n^2) for each query.
type Oracle struct {
	relation *event.Relation
	events   []event.Event
	of       []int // the transaction of each event
	txns     []txn
	depth    map[uint32]int
	current  map[uint32]int // the running marked transaction of a thread
	begun    map[uint32]uint32
	succ     []bits // the graph: the successors of each transaction
	before   []bits // for each event, the events that are ≤CHB it
	found    event.Transaction
}

// A txn is a transaction of the graph.
type txn struct {
	event.Transaction
	running  bool
	reported bool
	events   bits
}

// NewOracle is an oracle without events.
func NewOracle(relation *event.Relation) *Oracle {
	return &Oracle{
		relation: relation,
		depth:    make(map[uint32]int),
		current:  make(map[uint32]int),
		begun:    make(map[uint32]uint32),
	}
}

// Violation is the transaction that was found by the last call of Event that returned true.
func (o *Oracle) Violation() event.Transaction { return o.found }

// Event takes the next event. It reports what packages frontier and velodrome report: the event's
// transaction, a running marked one, reaches that of one of the event's direct predecessors in
// other threads. Each transaction is reported once.
func (o *Oracle) Event(e *event.Event) bool {
	i := len(o.events)
	o.events = append(o.events, *e)
	a := o.place(i)
	o.of = append(o.of, a)
	o.txns[a].events.add(i)

	before := bits{}
	before.add(i)
	for j := range i {
		if o.Conflict(j, i) {
			before.addAll(o.before[j])
			if o.of[j] != a {
				o.succ[o.of[j]].add(a)
			}
		}
	}
	o.before = append(o.before, before)
	return o.report(i, a)
}

// place is the transaction of event i, which is made if the event is its first.
func (o *Oracle) place(i int) int {
	e := o.events[i]
	t := e.Thread
	switch {
	case e.Op == event.Begin:
		o.depth[t]++
		if o.depth[t] == 1 {
			o.begun[t]++
			o.current[t] = o.newTxn(i, true)
		}
	case e.Op == event.End:
		o.depth[t]--
		if o.depth[t] == 0 {
			o.txns[o.current[t]].running = false
		}
	case o.depth[t] == 0:
		return o.newTxn(i, false)
	}
	return o.current[t]
}

// newTxn adds a transaction whose first event is i.
func (o *Oracle) newTxn(i int, marked bool) int {
	e := o.events[i]
	o.succ = append(o.succ, bits{})
	o.txns = append(o.txns, txn{
		Transaction: event.Transaction{
			Thread: e.Thread, Number: o.begun[e.Thread], Marked: marked, First: uint64(i),
			Pos: e.Pos,
		},
		running: marked,
	})
	return len(o.txns) - 1
}

// report reports whether event i shows that its transaction a is on a cycle, for the first time.
func (o *Oracle) report(i, a int) bool {
	if !o.txns[a].running || o.txns[a].reported {
		return false
	}
	reached := o.reach(a)
	for _, j := range o.direct(i) {
		if p := o.of[j]; p != a && reached.has(p) {
			o.txns[a].reported = true
			o.found = o.txns[a].Transaction
			return true
		}
	}
	return false
}

// reach is the transactions that a reaches, with a itself only if it is on a cycle.
func (o *Oracle) reach(a int) bits {
	reached := bits{}
	var visit func(int)
	visit = func(n int) {
		for m := range o.txns {
			if o.succ[n].has(m) && !reached.has(m) {
				reached.add(m)
				visit(m)
			}
		}
	}
	visit(a)
	return reached
}

// Cyclic reports whether the graph has a cycle.
func (o *Oracle) Cyclic() bool {
	for a := range o.txns {
		if reached := o.reach(a); reached.has(a) {
			return true
		}
	}
	return false
}

// Witness reports whether there is a witness to a violation (definition 1) of which all
// transactions but at most one are complete. The witness may leave a running transaction out if
// events before and after it are ordered directly: so edges are drawn by ≤CHB, which is transitive.
func (o *Oracle) Witness() bool {
	n := len(o.txns)
	less := make([]bits, n) // ⋖Txn
	for i := range o.events {
		for a := range n {
			if a != o.of[i] && o.before[i].intersects(o.txns[a].events) {
				less[a].add(o.of[i])
			}
		}
	}
	complete := &Oracle{txns: o.txns}
	for extra := range n {
		complete.succ = make([]bits, n)
		for a := range n {
			for b := range n {
				if less[a].has(b) && (!o.txns[a].running || a == extra) &&
					(!o.txns[b].running || b == extra) {
					complete.succ[a].add(b)
				}
			}
		}
		if complete.Cyclic() {
			return true
		}
	}
	return false
}

// Transaction is the transaction of event i.
func (o *Oracle) Transaction(i uint64) event.Transaction { return o.txns[o.of[i]].Transaction }
