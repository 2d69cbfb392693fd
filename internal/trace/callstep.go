// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package trace

import (
	"github.com/commutego/commute/internal/event"
)

// A CallStep is a step of a recorded trace that is no event for most checkers. It says what the
// engine is told of calls in the program that is watched, beside the points that they touch.
type CallStep struct {
	Event  uint64     // the step comes before this event of the trace; events count from 0
	Kind   event.Kind // Enter, Call, Value, Exit, Fresh, AcquireAll, Split, or one that is atomic
	Thread uint32
	// Object is which one; Fresh: the object at this address is no more. Of a Value it is the lock,
	// or the thread that is met; of those of package spec under Objects a lock as events have it.
	// An atomic operation is on a part of this variable, which is accessed plainly as well;
	// synchronization by a Mutex is one on its word. A Split: the part.
	Object uint32
	Offset uint16 // of an atomic operation and of a part: where it is, from its page's beginning
	Pos    uint32 // of a Call, as [Program.CallAt] takes it

	Method  uint32    // of an Enter or a Call; of a Channel the lock by which the object is known
	Touches uint32    // of a Call: of the events that follow; what Adds adds; 1: see FailsOn
	Keys    [4]uint64 // of an Enter
	Values  []Value   // of a Call
	What    uint64    // of a Value: what becomes of a call, or is told of synchronization
	Flags   uint8     // of a lock
}

// A Value is one that a call was given or has returned, or where it was made: see package spec.
type Value struct{ What, Value uint64 }
