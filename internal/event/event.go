// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build !commute_bundle

package event

import "fmt"

// An Event is one step of a thread. Pos is for the maker of events: a line of the trace, say, or
// the number of a program counter. Checkers only hand it back.
//
// A Split is no step. It says that Target, which had no event before, was a part of variable Point
// so far: all that was done to Point was done to it. From there on they are two variables. So a
// variable can stand for many bytes, for as long as these are accessed together.
type Event struct {
	Op     Kind
	Flags  Flags
	Thread uint32
	Target uint32 // the variable, lock, object or thread; of Begin and End 0
	Point  uint32 // of Touch; of Split the variable of which Target is to be a part
	Pos    uint32
}

// Flags say what an event does not count for. An event without flags counts for everything.
type Flags uint8

const (
	// Only is set where an event is a conflict of transactions, and neither orders nor races. Such
	// is the read or write of an atomic operation.
	Only Flags = 1 << iota
	// Quiet is set where an event orders or races, and is no conflict of transactions. It is a
	// library's own, or another event stands for it there.
	Quiet
	// Hidden is as Quiet, for an event inside of a call that counts as one step.
	Hidden

	// Silent has the flags of which an event has at least one if it is no conflict of transactions.
	Silent = Hidden | Quiet
)

// String is the event as in "thread 1: write 3", with the point where there is one.
func (e Event) String() string {
	switch e.Op {
	case Begin, End:
		return fmt.Sprintf("thread %d: %v", e.Thread, e.Op)
	case Touch:
		return fmt.Sprintf("thread %d: %v %d.%d", e.Thread, e.Op, e.Target, e.Point)
	case Split:
		return fmt.Sprintf("thread %d: %v %d from %d", e.Thread, e.Op, e.Target, e.Point)
	}
	return fmt.Sprintf("thread %d: %v %d", e.Thread, e.Op, e.Target)
}
