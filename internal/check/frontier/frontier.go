// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package frontier

import (
	"math"

	"github.com/commutego/commute/internal/check/table"
	"github.com/commutego/commute/internal/event"
)

// A Checker has the rows of the running marked transactions and what it takes to find predecessors.
type Checker struct {
	relation *event.Relation
	threads  []thread
	running  []transaction // by slot
	free     []int32       // slots that are not in use
	active   int           // slots in use
	vars     []cell
	locks    []cell
	objects  [][]pointCell

	lists     [][]moment // see cell.more
	freeLists []uint32

	index    uint64  // of the present event, counted from 1
	reaching []int32 // scratch of spread
	found    event.Transaction
}

// none is the infinity of low.
const none = math.MaxUint32

type thread struct {
	now   moment // its present or last transaction
	low   uint32 // see the package comment
	slot  int32  // of its running marked transaction, or -1
	depth uint32
	begun uint32 // marked transactions

	// column is D[..][this thread], by slot, 0 for infinity. The entry of its own running
	// transaction is there only if that is in a cycle; see transaction.number.
	column   column
	reachers uint32 // the entries of column, and one more if slot is in use

	fork    moment   // the forker's at the fork, until the first event
	applied []moment // the greatest number of which an edge was drawn, a table by thread
}

// A transaction is a running marked one.
type transaction struct {
	thread   uint32
	number   uint32   // D[A][thread]
	reached  []uint32 // threads in whose column it is
	reported bool
	first    event.Transaction
}

// New is a checker for streams whose access points conflict as in relation; it may be nil.
func New(relation *event.Relation) *Checker {
	return &Checker{relation: relation}
}

// Violation is the transaction that was found by the last call of Event that returned true.
func (c *Checker) Violation() event.Transaction { return c.found }

// Event takes the next event and reports whether its transaction is found to violate
// serializability.
func (c *Checker) Event(e *event.Event) bool {
	c.index++
	if c.active == 0 && e.Op != event.Begin {
		return false // by (3) of the package comment
	}
	if uint64(e.Thread) >= uint64(len(c.threads)) {
		c.addThreads(e.Thread)
	}
	t := &c.threads[e.Thread]
	if e.Op == event.Begin {
		c.begin(t, e)
	}
	if t.fork != 0 {
		c.conflict(t, t.fork) // closes no cycle: the thread has done nothing yet
		t.fork = 0
	}
	switch e.Op {
	case event.Read:
		if uint64(e.Target) >= uint64(len(c.vars)) {
			c.vars = table.Grow(c.vars, e.Target)
		}
		x := &c.vars[e.Target]
		if x.last == t.now || x.one == t.now {
			return false // a repetition
		}
		found := c.conflict(t, x.last)
		c.add(x, t.now)
		return found
	case event.Write:
		if uint64(e.Target) >= uint64(len(c.vars)) {
			c.vars = table.Grow(c.vars, e.Target)
		}
		x := &c.vars[e.Target]
		if x.last == t.now && x.one == 0 {
			return false // a repetition
		}
		found := c.meet(t, x)
		c.replace(x, t.now)
		return found
	case event.End:
		c.end(t)
	case event.Begin:
	default:
		return c.synchronize(t, e)
	}
	return false
}

// synchronize takes the events that are rarer.
func (c *Checker) synchronize(t *thread, e *event.Event) bool {
	switch e.Op {
	case event.Acquire:
		return c.meet(t, c.lock(e.Target))
	case event.Release:
		c.replace(c.lock(e.Target), t.now)
	case event.ReleaseMerge:
		c.add(c.lock(e.Target), t.now)
	case event.Touch:
		return c.touch(t, e.Target, e.Point)
	case event.Split:
		c.split(e.Target, e.Point)
	case event.Fork:
		now := t.now
		c.addThreads(e.Target)
		c.threads[e.Target].fork = now
	case event.Join:
		c.addThreads(e.Target)
		t = &c.threads[e.Thread]
		// If the other has done nothing, no row reaches it, and this does nothing.
		return c.conflict(t, c.threads[e.Target].now)
	}
	return false
}

func (c *Checker) lock(l uint32) *cell {
	c.locks = table.Grow(c.locks, l)
	return &c.locks[l]
}

// addThreads makes the table of threads long enough for t.
func (c *Checker) addThreads(t uint32) {
	n := len(c.threads)
	c.threads = table.Grow(c.threads, t)
	for i := n; i < len(c.threads); i++ {
		c.threads[i] = thread{now: momentOf(uint32(i), 1), low: none, slot: -1}
	}
}

// next gives a thread a new number.
func (t *thread) next() {
	if t.now.number() == none-1 {
		panic("frontier: a thread has too many transactions")
	}
	t.now++
}

func (c *Checker) begin(t *thread, e *event.Event) {
	t.depth++
	if t.depth > 1 {
		return
	}
	t.next()
	t.begun++
	if n := len(c.free); n > 0 {
		t.slot = c.free[n-1]
		c.free = c.free[:n-1]
	} else {
		t.slot = int32(len(c.running))
		c.running = append(c.running, transaction{})
	}
	c.active++
	a := &c.running[t.slot]
	a.thread, a.number, a.reported = e.Thread, t.now.number(), false
	a.first = event.Transaction{Thread: e.Thread, Number: t.begun, Marked: true, First: c.index - 1,
		Pos: e.Pos}
	t.reachers++
	t.low = min(t.low, a.number)
}

func (c *Checker) end(t *thread) {
	t.depth--
	if t.depth > 0 {
		return
	}
	a := &c.running[t.slot]
	for _, u := range a.reached {
		c.threads[u].column.remove(t.slot)
		c.threads[u].unreach()
	}
	a.reached = a.reached[:0]
	t.unreach()
	c.free = append(c.free, t.slot)
	c.active--
	t.slot = -1
}

// unreach is told that one transaction that reached u is gone. While others are left, low may be
// too low, until spread looks at them.
func (u *thread) unreach() {
	u.reachers--
	if u.reachers == 0 {
		u.low = none
	}
}
