// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package trace

import "github.com/commutego/commute/internal/event"

// An Op is the operation of an event.
type Op uint8

// Operations. An access is a Read or a Write. Two events conflict if they are accesses to one
// variable and not both a Read; if the first is a release of a lock and the second an acquire of
// it; or if they are touches of one object at access points that conflict. For atomicity, those are
// the conflicts; for data races and commutativity races, releases come before later acquires, a
// fork comes before all events of its thread, and a join after them.
const (
	Read         = Op(event.Read)         // of a variable
	Write        = Op(event.Write)        // of a variable
	Acquire      = Op(event.Acquire)      // of a lock, channel or other thing that orders threads
	Release      = Op(event.Release)      // of a lock, which replaces all earlier releases
	ReleaseMerge = Op(event.ReleaseMerge) // of a lock, beside earlier releases: a reader's unlock
	Fork         = Op(event.Fork)         // of a thread, before its first event
	Join         = Op(event.Join)         // of a thread, after its last event
	Begin        = Op(event.Begin)        // of a transaction; transactions nest
	End          = Op(event.End)          // of the transaction that the thread began last
	Touch        = Op(event.Touch)        // of an access point of an object, by a call
	Split        = Op(event.Split)        // of a new variable from an older one: see Event.Point
)

// String is the operation's name: "read", "write", "acquire", "release", "release-merge", "fork",
// "join", "begin", "end", "touch", or "split".
func (o Op) String() string { return event.Kind(o).String() }

// valid reports whether o is one of the operations.
func (o Op) valid() bool {
	for _, k := range event.Ops {
		if o == Op(k) {
			return true
		}
	}
	return false
}

// An Event is one step of a trace.
type Event struct {
	Op     Op     // what is done
	Thread string // the thread of the event

	// Target is the variable, the lock, the thread or the object that Op is about; "" for Begin and
	// End.
	Target string

	// Point is the access point of a Touch. For a Split, it is the variable that Target was a part
	// of: earlier accesses to Point count as accesses to Target.
	Point string

	// Pos is the place of the event in the source, "" if that is not known; STD then has 0.
	Pos string
}

// String returns the event in words, without its position: "T1: acquire L".
func (e Event) String() string {
	s := e.Thread + ": " + e.Op.String()
	switch {
	case e.Target == "":
		return s
	case e.Op == Touch:
		return s + " " + e.Target + "." + e.Point
	case e.Op == Split:
		return s + " " + e.Target + " from " + e.Point
	}
	return s + " " + e.Target
}
