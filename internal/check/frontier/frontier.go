// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package frontier

import (
	"math"

	"github.com/commutego/commute/internal/check/table"
	"github.com/commutego/commute/internal/event"
)

// A Checker has the matrix D of the running marked transactions, and the cells in which events find
// their direct predecessors.
type Checker struct {
	relation *event.Relation
	threads  []thread
	running  []transaction // by slot
	free     []int32       // the slots that are not in use
	active   int           // the number of slots in use
	vars     []cell
	locks    []cell
	objects  [][]pointCell

	lists     [][]txnRef // see cell.more
	freeLists []uint32

	index    uint64  // of the present event, counted from 1
	reaching []int32 // slots of transactions that reach the source of an edge: scratch of spread
	found    event.Transaction
}

// none is the infinity of low: greater than all numbers.
const none = math.MaxUint32

// A thread has its column of the matrix, and the transactions of which it has edges.
type thread struct {
	now   txnRef // its present or last transaction
	low   uint32 // see the package comment; exact after spread, and too low at other times
	slot  int32  // of its running marked transaction, or -1
	depth uint32 // nested begins; only the outermost transaction counts
	begun uint32 // the number of marked transactions

	// column is D[..][this thread], by slot, 0 for infinity. The entry of the thread's own running
	// transaction is there only if that is on a cycle; otherwise see transaction.number.
	column   column
	reachers uint32 // the number of entries of column, and one more if slot is in use

	fork txnRef // the transaction that forked the thread, until the first event

	// applied is for (5): a hash table, by thread, of the latest transaction from which an edge
	// into this thread was added. Its size is a power of two.
	applied []txnRef
}

// A transaction is a running marked one, A in the package comment.
type transaction struct {
	thread   uint32
	number   uint32   // D[A][thread]
	reached  []uint32 // the threads in whose columns A has an entry: its row
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
		return false // (3)
	}
	if uint64(e.Thread) >= uint64(len(c.threads)) {
		c.addThreads(e.Thread)
	}
	t := &c.threads[e.Thread]
	if e.Op == event.Begin {
		c.begin(t, e)
	}
	if t.fork != 0 {
		c.addEdge(t, t.fork) // closes no cycle: the thread has done nothing yet
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
		found := c.addEdge(t, x.last)
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
		found := c.addEdges(t, x)
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

// synchronize takes the kinds of events that are rarer, so that Event stays small.
func (c *Checker) synchronize(t *thread, e *event.Event) bool {
	switch e.Op {
	case event.Acquire:
		return c.addEdges(t, c.lock(e.Target))
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
		// If the other thread has had no event, no row reaches it, and this does nothing.
		return c.addEdge(t, c.threads[e.Target].now)
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
		c.threads[i] = thread{now: newTxnRef(uint32(i), 1), low: none, slot: -1}
	}
}

// next gives a thread a new number.
func (t *thread) next() {
	if t.now.number() == none-1 {
		panic("frontier: a thread has too many transactions")
	}
	t.now++
}

// begin starts a marked transaction, unless t is in one. It reaches itself only, so D gets no entry
// beside transaction.number.
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

// end removes the row of t's transaction, unless t is still in it. O(1) for each thread reached.
func (c *Checker) end(t *thread) {
	t.depth--
	if t.depth > 0 {
		return
	}
	a := &c.running[t.slot]
	for _, u := range a.reached {
		c.threads[u].column.remove(t.slot)
		c.threads[u].dropReacher()
	}
	a.reached = a.reached[:0]
	t.dropReacher()
	c.free = append(c.free, t.slot)
	c.active--
	t.slot = -1
}

// dropReacher notes that one transaction that reached u has ended. While others are left, u.low
// stays as it is and may be too low, which is safe, until the next spread from u.
func (u *thread) dropReacher() {
	u.reachers--
	if u.reachers == 0 {
		u.low = none
	}
}
