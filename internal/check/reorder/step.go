// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package reorder

import (
	"github.com/commutego/commute/internal/check/table"
	"github.com/commutego/commute/internal/event"
)

// An Op says how a step orders others.
type Op uint8

// The operations. Acquire, Merge and Release are on an object of synchronization that is no lock.
const (
	Nothing Op = iota // it has its place in its thread, and orders nothing else
	Begin             // of an outermost transaction
	End
	Read
	Write
	Lock
	Unlock
	RLock // of a lock that readers share
	RUnlock
	Fork
	Join
	Acquire
	Merge
	Release // or another operation that must not change places
	Touch
	Untold // it may have seen all that was before it
)

// A Step is an event of a trace in terms of the order that it makes.
type Step struct {
	Op     Op
	Silent bool // it is no conflict of transactions
	Reads  bool // of a Write: it sees what it overwrites
	Fixed  bool // it comes after exactly the steps before it in the trace, in the same order
	Thread uint32
	Target uint32 // the variable, lock, object or thread
	Point  uint32 // of a Touch; of a Begin the number of transactions that the thread has begun

	// In recorded traces:
	Closes bool   // it is the last step of its block
	Atomic bool   // of an access: the trace leaves out no access like it
	Opaque bool   // of an Unlock: the trace lacks some accesses that the lock guards
	Also   uint32 // 0, or a variable plus 1: the step keeps its order with accesses of the variable
	Offset uint16 // its offset in that variable; of a Split, where the part begins: from one origin
	After  uint32 // 0, or a thread plus 1: the step comes after all earlier steps of the thread
	Tries  bool   // of a Lock or RLock: an attempt, which would not have waited
	Counts bool   // of a Merge or an Acquire: a WaitGroup's Done, or Wait
	Named  bool   // of an operation on an object: the object is known
	Spread bool   // of a Touch: its call may take effect at several times
}

// Apart reports whether the event of a step of a recorded trace is not an event of the program: it
// stands for something that orders no threads, or for a split.
func (s *Step) Apart(e *event.Event) bool {
	return e.Op == event.Acquire && e.Target == 0 && (s.Op == Nothing || s.object())
}

// fixed reports whether the step is made only when the trace was followed up to it.
func (s *Step) fixed() bool { return s.Fixed || s.Op == Untold }

// A Decoder turns events into steps, for traces that have no further data about locks.
type Decoder struct {
	Mutexes bool // each lock is a mutex: see event.Validator

	depth []uint32 // by thread: transactions
	begun []uint32
	held  []uint32 // by lock: how often it was taken by the thread that holds it
}

// Step is the next event's step. If a thread takes a lock again, only the outermost section counts;
// the same holds for transactions.
func (d *Decoder) Step(e *event.Event) Step {
	s := Step{
		Thread: e.Thread, Target: e.Target, Point: e.Point, Silent: e.Flags&event.Silent != 0,
	}
	switch e.Op {
	case event.Begin:
		d.depth = table.Grow(d.depth, e.Thread)
		if d.depth[e.Thread]++; d.depth[e.Thread] == 1 {
			d.begun = table.Grow(d.begun, e.Thread)
			d.begun[e.Thread]++
			s.Op, s.Point = Begin, d.begun[e.Thread]
		}
	case event.End:
		if d.depth[e.Thread]--; d.depth[e.Thread] == 0 {
			s.Op = End
		}
	case event.Read:
		s.Op = Read
	case event.Write:
		s.Op = Write
	case event.Acquire:
		s.Op = d.acquire(e)
	case event.Release:
		s.Op = d.release(e)
	case event.ReleaseMerge:
		s.Op = Merge
	case event.Fork:
		s.Op = Fork
	case event.Join:
		s.Op = Join
	case event.Touch:
		s.Op = Touch
	}
	return s
}

func (d *Decoder) acquire(e *event.Event) Op {
	if !d.Mutexes {
		return Acquire
	}
	d.held = table.Grow(d.held, e.Target)
	if d.held[e.Target]++; d.held[e.Target] > 1 {
		return Nothing
	}
	return Lock
}

func (d *Decoder) release(e *event.Event) Op {
	if !d.Mutexes {
		return Release
	}
	if d.held[e.Target]--; d.held[e.Target] > 0 {
		return Nothing
	}
	return Unlock
}
