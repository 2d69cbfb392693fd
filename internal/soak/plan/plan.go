// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package plan makes small concurrent programs from a seed, and knows of any two accesses in them
// whether some synchronization orders them.
//
// Input: a seed and options. Output: a [Plan], and the [Verdict] of each pair of accesses that
// conflict.
//
// A plan is a list of operations, each by one goroutine. They could be executed in the order of the
// list, so no plan deadlocks. The list alone says what is ordered in a program that follows the
// plan: each [Link] is used once, by the operations that name it. Two cases are uncertain. An order
// may depend on the schedule (which goroutine takes a lock first), or the standard library may
// order more than it has to (see [Class]). Then the plan says that two accesses may be ordered.
package plan

import (
	"fmt"
	"strings"
)

// An Action is the kind of an operation.
type Action uint8

// The actions.
const (
	Read   Action = iota
	Write         //
	Signal        // of a link: comes before the waits
	Wait          // for all signals of a link
	Fork          // starts goroutine Child
	Next          // runs the iterator that goroutine Child is until its next Yield
	Yield         // by an iterator
	Enter         // takes a lock
	Leave         // lets it go
	Split         // a transaction of two critical sections; a Meddle comes in between
	Meddle        // changes what a Split has read
	Whole         // a transaction of one critical section
)

var actions = [...]string{"read", "write", "signal", "wait", "fork", "next", "yield", "enter",
	"leave", "split", "meddle", "whole"}

func (a Action) String() string { return actions[a] }

// An Op is one operation. Which fields count depends on its action.
type Op struct {
	G      int // the goroutine
	Action Action
	Shared bool // Enter, Leave: as a reader
	Var    int  // Read, Write
	Value  int  // Write: what is written, over 0 and under 64
	Site   int  // Read, Write, and transactions: the place in the source
	Link   int  // Signal, Wait
	Lock   int  // Enter, Leave, and transactions
	Child  int  // Fork, Next; Yield: the goroutine that is resumed
}

// A Link orders its signals before its waits.
type Link struct {
	Kind Kind
	Room int // of a queue
}

// A Goroutine is started by a Fork in some way. The first is the one that runs the plan.
type Goroutine struct {
	Start  Start
	Parent int
}

// A Lock is taken by Enter, or by transactions.
type Lock struct {
	RW  bool
	Txn bool // by transactions only
}

// A Var is memory, or a key of a map.
type Var struct {
	Type  Type
	Ready Verdict // what is known of its accesses
}

// A Plan is the operations of one round of the machine.
type Plan struct {
	Seed       uint64
	Forced     bool // the operations are executed in their order
	Ops        []Op
	Goroutines []Goroutine
	Links      []Link
	Locks      []Lock
	Vars       []Var
}

// Access reports whether an operation is an access to a variable.
func (o *Op) Access() bool { return o.Action <= Write }

// Txn reports whether an operation is a transaction or meddles with one.
func (o *Op) Txn() bool { return o.Action >= Split }

// String is the whole plan, an operation a line.
func (p *Plan) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "plan %d, forced: %v\n", p.Seed, p.Forced)
	for i := range p.Ops {
		fmt.Fprintf(&b, "%4d  %s%s\n", i, strings.Repeat("    ", p.Ops[i].G), p.describe(&p.Ops[i]))
	}
	return b.String()
}

func (p *Plan) describe(o *Op) string {
	who := fmt.Sprintf("g%d %v", o.G, o.Action)
	switch {
	case o.Access():
		return fmt.Sprintf("%s v%d (%v) at %d", who, o.Var, p.Vars[o.Var].Type, o.Site)
	case o.Action == Signal || o.Action == Wait:
		return fmt.Sprintf("%s l%d (%v)", who, o.Link, p.Links[o.Link].Kind)
	case o.Action == Fork || o.Action == Next:
		return fmt.Sprintf("%s g%d (%v)", who, o.Child, p.Goroutines[o.Child].Start)
	case o.Action == Enter || o.Action == Leave:
		return fmt.Sprintf("%s k%d (shared: %v)", who, o.Lock, o.Shared)
	case o.Txn():
		return fmt.Sprintf("%s k%d at %d", who, o.Lock, o.Site)
	}
	return who
}

// Events counts the operations.
func (p *Plan) Events() int { return len(p.Ops) }

// A set is a set of small numbers.
type set []uint64

func newSet(n int) set { return make(set, (n+63)/64) }

func (s set) has(i int) bool { return s[i/64]>>(i%64)&1 != 0 }
func (s set) add(i int)      { s[i/64] |= 1 << (i % 64) }
