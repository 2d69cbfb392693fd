// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package event

import "fmt"

// An Op is what an event does.
type Op uint8

const (
	Read         Op = iota + 1 // of a variable
	Write                      // of a variable
	Acquire                    // of a lock, or of whatever else is released
	Release                    // of a lock; replaces the earlier releases
	ReleaseMerge               // of a lock; adds to the earlier releases
	Fork                       // of a thread
	Join                       // of a thread
	Begin                      // of a transaction, or of something nested in one
	End                        // of a transaction, or of something nested in one
	Touch                      // of an object's access point
	Split                      // of a variable: see Event.Point
)

var opNames = [...]string{
	Read: "read", Write: "write", Acquire: "acquire", Release: "release", ReleaseMerge: "release-merge",
	Fork: "fork", Join: "join", Begin: "begin", End: "end", Touch: "touch", Split: "split",
}

func (op Op) String() string {
	if op == 0 || int(op) >= len(opNames) {
		return fmt.Sprintf("op(%d)", uint8(op))
	}
	return opNames[op]
}

// An Event is one step of a thread. Whoever makes it may use Pos as it likes: a line of the trace, a
// program counter's number. Checkers hand it back.
//
// A Split is no step: it says that what was done to variable Point was done to Target, too, of which nothing was told before; from
// there on they are two. So a variable can stand for many bytes, for as long as they are accessed together.
type Event struct {
	Op     Op
	Thread uint32
	Target uint32 // the variable, lock, object or thread; of Begin and End 0
	Point  uint32 // of Touch; of Split the variable of which Target is to be a part
	Pos    uint32
}

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
