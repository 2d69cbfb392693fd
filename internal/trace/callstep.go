// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package trace

import (
	"github.com/commutego/commute/internal/event"
)

// A CallStep is a step of a recorded trace that is no event for most checkers. It has the data
// about calls that the engine got in the watched program, besides the points that the calls
// touched.
type CallStep struct {
	Event  uint64     // the step comes before this event of the trace; events count from 0
	Kind   event.Kind // Enter, Call, Value, Exit, Fresh, AcquireAll, Split, or one that is atomic
	Thread uint32
	// Object depends on the kind. In general it is the number of the object. Fresh: the object at
	// this address no longer exists. A Value: the lock, or the thread that is met; for the values
	// of package spec under Objects, a lock as in events. An atomic operation: the variable, which
	// is accessed plainly as well, and of which a part is used; synchronization by a Mutex is an
	// operation on its word. A Split: the part.
	Object uint32
	Offset uint16 // of an atomic operation and of a part: its offset from the beginning of its page
	Pos    uint32 // of a Call, as [Program.CallAt] takes it

	Method  uint32    // of an Enter or a Call; of a Channel the lock that identifies the object
	Touches uint32    // of a Call: how many touches follow; of Adds: the addend; 1: see FailsOn
	Keys    [4]uint64 // of an Enter
	Values  []Value   // of a Call
	What    uint64    // of a Value: the kind of the value, about a call or synchronization
	Flags   uint8     // of a lock
}

// A Value is an argument or result of a call, or the activation that made the call: see package
// spec.
type Value struct{ What, Value uint64 }
